/** Holds an adapter to the contract, with the agent server's own command between it and a fake agent. */
import { ClaudeCodeMcpClientAdapter } from "@zain/claude-code-client"
import { CodexMcpClientAdapter } from "@zain/codex-client"
import type { McpTransport } from "@zain/core/McpTransport"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll } from "vitest"
import type { DialectName } from "../../src/FakePeer.ts"
import { run } from "../../src/VitestRunner.ts"
import * as Served from "./Served.ts"

const adapters = {
  codex: { name: "Codex", make: CodexMcpClientAdapter.make() },
  "claude-code": { name: "Claude Code", make: ClaudeCodeMcpClientAdapter.make() },
}

/** Registers every case, at the top of a test file. */
export const hold = async (agent: DialectName, transport: McpTransport) => {
  const scope = await Effect.runPromise(Scope.make())
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const served = await Effect.runPromise(Scope.provide(Served.serve(agent, transport), scope))
  const { make, name } = adapters[agent]
  run({ ...served, name: `${name} behind the agent server, over ${transport}`, provider: agent, make })
}
