/**
 * A real agent behind the agent server as a subject of the contract suite.
 */
import { ClaudeCodeMcpClientAdapter } from "@zain/claude-code-client"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import { CodexMcpClientAdapter } from "@zain/codex-client"
import { fakeCodex } from "@zain/codex-client/fake"
import { type ContractSubject, FakePeer } from "@zain/contract-tests"
import { McpConnectionConfig } from "@zain/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll } from "vitest"
import * as Revived from "../../contract-tests/runs/test/agent-server/Revived.ts"
import * as AgentServers from "./AgentServers.ts"
import * as OwnClient from "./OwnClient.ts"
import * as ScriptedSubject from "./ScriptedSubject.ts"

const names = { codex: "the real Codex", "claude-code": "the real Claude Code" }
const fakes = { codex: fakeCodex, "claude-code": fakeClaudeCode }
const makes = { codex: CodexMcpClientAdapter.make, "claude-code": ClaudeCodeMcpClientAdapter.make }

const over = {
  stdio: { name: "stdio", transport: "stdio" },
  http: { name: "Streamable HTTP", transport: "streamable-http" },
  sse: { name: "SSE", transport: "sse" },
} as const

/** Makes it for a test file; what it started ends after the file's tests. `model`: of Codex. */
export const make = async (
  agent: AgentServers.AgentName,
  front: AgentServers.Front,
  model?: string,
): Promise<ContractSubject.ContractSubject> => {
  const { claudeCode, codex, end, peer, peerApart } = await ScriptedSubject.make("agent-server", model)
  const scope = await Effect.runPromise(Scope.make())
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await end()
  })
  const served = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))

  const home = agent === "codex" ? codex : claudeCode
  const { name } = over[front]
  const told = model === undefined ? "" : ` with ${model}`
  const base = {
    name: `${names[agent]}${told} behind the agent server, over ${name}`,
    provider: agent,
    make: makes[agent](),
  }
  const local = OwnClient.local(agent, home)
  const elsewhere = OwnClient.going(local)
  if (front === "stdio") {
    const { directory: cwd, env } = home
    return {
      ...base,
      ...{ config: local, resume: elsewhere, elsewhere },
      unreachable: OwnClient.local(agent, home, "/nowhere/agent"),
      silent: McpConnectionConfig.stdio({ env, cwd, command: "sleep", args: ["1000"] }),
      peer,
    }
  }
  const { silent, unreachable } = await served(FakePeer.serve(fakes[agent], { transport: over[front].transport }))
  // A case kills the server, and the next must find one at the same place: behind a relay, whose port is not its own.
  const args = ["--json", "--allow-host", "127.0.0.1"]
  const url = await served(Revived.serve(AgentServers.commandLine(agent, home, front, args)))
  const config = OwnClient.remote(agent, home, front, url)
  return { ...base, config, resume: OwnClient.going(config), elsewhere, unreachable, silent, peer: peerApart }
}
