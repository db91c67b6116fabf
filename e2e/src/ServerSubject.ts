/**
 * A real agent behind the agent server as a subject of the contract suite.
 */
import type { Agent } from "@zain/agent-list/Agent"
import { agents } from "@zain/agent-list/Agents"
import { type ContractSubject, FakePeer, McpClientContractSuite } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/VitestRunner"
import { McpConnectionConfig } from "@zain/core"
import { Effect, Exit, Scope } from "effect"
import { afterAll } from "vitest"
import * as Revived from "../../contract-tests/runs/testing/agent-server/Revived.ts"
import * as AgentServers from "./AgentServers.ts"
import * as CodexCalls from "./CodexCalls.ts"
import * as OwnClient from "./OwnClient.ts"
import * as ScriptedSubject from "./ScriptedSubject.ts"

/** The entry of the list. */
const listed = async (agent: AgentServers.AgentName) => {
  const entry = agents.find(({ name }) => name === agent) as Agent
  const [{ title }, { make }, dialect] = await Promise.all([entry.facts(), entry.client(), entry.fake()])
  return { name: `the real ${title}`, make, dialect }
}

const listening = { only: McpClientContractSuite.ofTransport }

const { code, unknown } = CodexCalls.models

const over = {
  stdio: { name: "stdio", due: AgentServers.agents, model: code, options: {} },
  http: {
    name: "Streamable HTTP",
    transport: "streamable-http",
    due: ["claude-code"],
    model: code,
    options: listening,
  },
  sse: { name: "SSE", transport: "sse", due: ["codex"], model: unknown, options: listening },
} as const

/**
 * Holds the real agents behind the agent server to the contract: over stdio to the whole of it, and one of them over each
 * transport that listens to what a transport can change. `only`: this agent alone, so that files of tests run beside each other.
 */
export const hold = async (front: keyof typeof over, only?: AgentServers.AgentName): Promise<void> => {
  const { due, model, options } = over[front]
  for (const agent of due) {
    if (only !== undefined && only !== agent) continue
    run(await subjectOf(agent, front, agent === "codex" ? model : undefined), options)
  }
}

/** Makes it for a test file; what it started ends after the file's tests. `model`: of Codex. */
const subjectOf = async (
  agent: AgentServers.AgentName,
  front: keyof typeof over,
  model?: string,
): Promise<ContractSubject.ContractSubject> => {
  const { end, home, peer, peerApart } = await ScriptedSubject.make(agent, "agent-server", model)
  const scope = await Effect.runPromise(Scope.make())
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await end()
  })
  const served = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))

  const { dialect, make, name } = await listed(agent)
  const suffix = model === undefined ? "" : ` with ${model}`
  const base = {
    name: `${name}${suffix} behind the agent server, over ${over[front].name}`,
    provider: agent,
    make,
    ...(dialect.turn === undefined ? {} : { turn: dialect.turn }),
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
  const { silent, unreachable } = await served(FakePeer.serve(dialect, { transport: over[front].transport }))
  // A case kills the server, and the next must find one at the same place: behind a relay, whose port is not its own.
  const args = ["--json", "--allow-host", "127.0.0.1"]
  const url = await served(Revived.serve(AgentServers.commandLine(agent, home, front, args)))
  const config = OwnClient.remote(agent, home, front, url)
  return { ...base, config, resume: OwnClient.going(config), elsewhere, unreachable, silent, peer: peerApart }
}
