/** A fake Codex over one transport, in another process, so that its memory does not count. */

import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { fakeCodex } from "@zain/codex-client/fake"
import { FakePeer } from "@zain/contract-tests"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpTransport } from "@zain/core/McpTransport"
import { processesWith } from "../../packages/sdk-client/testing/Server.ts"
import { canSeeProcesses } from "./Inventory.ts"

export interface FakeAgent {
  /** Opens a session with it. */
  readonly config: McpConnectionConfig.McpConnectionConfig
  /** Lists its open sessions: processes, or the server's sessions and sockets. */
  readonly left: () => Promise<ReadonlyArray<string>>
  /** Ends it. */
  readonly stop: () => Promise<void>
}

/** A fake agent over a transport. */
export const start = (transport: McpTransport): Promise<FakeAgent> =>
  transport === "stdio" ? Promise.resolve(asProcesses()) : asServer(transport)

const asProcesses = (): FakeAgent => {
  const mark = `zain-soak-${randomUUID()}`
  const command = FakePeer.command(fakeCodex)
  return {
    config: McpConnectionConfig.stdio({ ...command, env: { ...command.env, ZAIN_SOAK: mark } }),
    left: async () => (canSeeProcesses ? processesWith(mark).map(({ pid }) => `process ${pid}`) : []),
    stop: async () => {},
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
