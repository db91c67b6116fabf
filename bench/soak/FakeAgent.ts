/** A fake Codex over one transport, in another process, so that its memory does not count. */

import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { fakeCodex } from "@zain/codex-client/fake"
import { FakePeer, FakeAgent as Installed } from "@zain/contract-tests"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpTransport } from "@zain/core/McpTransport"
import * as Effect from "effect/Effect"
import { processesWith } from "../../packages/sdk-client/testing/Server.ts"
import { setup } from "../../scripts/bundle-commands.ts"
import { canSeeProcesses } from "./Inventory.ts"

/** `shared`: over stdio, one agent server for all sessions of the client. */
export type Place = McpTransport | "shared"

export interface FakeAgent {
  /** Opens a session with it. */
  readonly config: McpConnectionConfig.McpConnectionConfig
  /** Lists its open sessions: processes, or the server's sessions and sockets. */
  readonly left: () => Promise<ReadonlyArray<string>>
  /** Ends it. */
  readonly stop: () => Promise<void>
}

/** A fake agent in a place. */
export const start = (place: Place): Promise<FakeAgent> => {
  if (place === "shared") return behindOneServer()
  return place === "stdio" ? Promise.resolve(asProcesses(FakePeer.command(fakeCodex))) : asServer(place)
}

const asProcesses = (options: McpConnectionConfig.StdioOptions): FakeAgent => {
  const mark = `zain-soak-${randomUUID()}`
  return {
    config: McpConnectionConfig.stdio({ ...options, env: { ...options.env, ZAIN_SOAK: mark } }),
    left: async () => (canSeeProcesses ? processesWith(mark).map(({ pid }) => `process ${pid}`) : []),
    stop: async () => {},
  }
}

/** The agent server of Codex as it is published. */
const server = fileURLToPath(new URL("../../packages/codex-client/bin/zain-codex-mcp.js", import.meta.url))

const behindOneServer = async (): Promise<FakeAgent> => {
  await setup()
  const home = mkdtempSync(join(tmpdir(), "zain-soak-"))
  const { command } = await Effect.runPromise(Installed.install(fakeCodex, home))
  const env = { HOME: home, CODEX_HOME: home, XDG_STATE_HOME: home, PATH: "/usr/bin:/bin" }
  const args = [server, "shared", "--command", command]
  return {
    ...asProcesses({ command: process.execPath, args, env, cwd: home, shared: true }),
    stop: async () => rmSync(home, { recursive: true }),
  }
}

const program = fileURLToPath(new URL("server.ts", import.meta.url))

const asServer = async (transport: McpTransport): Promise<FakeAgent> => {
  const server = spawn(process.execPath, ["--conditions=zain-source", program, transport], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error("The fake agent has ended.")
    return JSON.parse(value)
  }
  return {
    config: await next(),
    left: () => {
      server.stdin.write("look\n")
      return next()
    },
    stop: async () => {
      const closed = once(server, "close")
      server.stdin.end()
      await closed
    },
  }
}
