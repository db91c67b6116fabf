/**
 * The agent server's own commands in front of fake agents, as places that a client can be held to.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { McpConnectionConfig } from "@zain/core"
import type { McpTransport } from "@zain/core/McpTransport"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as FakeAgent from "../../src/FakeAgent.ts"
import * as FakePeer from "../../src/FakePeer.ts"
import { compileCache } from "../../src/FakePeerLog.ts"
import * as Revived from "./Revived.ts"

const programs: Readonly<Record<FakePeer.DialectName, string>> = {
  codex: "zain-codex-mcp",
  "claude-code": "zain-claude-code-mcp",
}

const directory = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "zain-agent-server-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

/** Where an agent server is reached, what else a contract needs, and what the agent behind it saw. */
export const serve = (
  agent: FakePeer.DialectName,
  transport: McpTransport,
  options: FakeAgent.Options = { dies: "with-its-server" },
): Effect.Effect<FakePeer.InProcess, never, Scope.Scope> =>
  Effect.gen(function* () {
    const home = yield* directory
    const { command, peer } = yield* FakeAgent.install(agent, home, options)
    const program = createRequire(import.meta.url).resolve(`@zain/agent-server/${programs[agent]}`)
    const args = (kind: string) => [program, kind, "--command", command]
    const places = { HOME: home, XDG_STATE_HOME: home, CLAUDE_CONFIG_DIR: home, CODEX_HOME: home }
    const env = { ...places, PATH: "/usr/bin:/bin", ...compileCache() }
    if (transport === "stdio") {
      const log = join(home, "silent.log")
      return {
        config: McpConnectionConfig.stdio({ command: process.execPath, args: args("stdio"), env, cwd: home }),
        unreachable: McpConnectionConfig.stdio({ command: "/nowhere/agent-server" }),
        silent: McpConnectionConfig.stdio(silentServer(log)),
        peer: { ...peer, leftovers: soon(peer.leftovers) },
      }
    }
    const { silent, unreachable } = yield* FakePeer.serve("codex", { transport })
    const kind = transport === "sse" ? "sse" : "http"
    const serverUrl = yield* Revived.serve({
      args: [...args(kind), "--json", "--port", "0", "--allow-host", "127.0.0.1"],
      env,
    })
    return { config: { transport, serverUrl }, unreachable, silent, peer: { ...peer, leftovers: soon(peer.leftovers) } }
  })

/** Nothing on its command line says whose server it is. */
const silentServer = (log: string): FakePeer.Command => {
  const { args, ...rest } = FakePeer.command("codex", { log, silent: true })
  return { ...rest, args: args.slice(0, -1) }
}

/** Agents end soon after their server, or after their client at its server, and not before the client knows. */
const soon = (leftovers: Effect.Effect<ReadonlyArray<string>>) =>
  Effect.repeat(leftovers, {
    until: (left) => left.length === 0,
    schedule: Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: "5 seconds" })),
  }).pipe(Effect.andThen(leftovers))
