/**
 * Zain's port in front of the agent server, as users of the two clients have it.
 */
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { compileCache } from "@zain/contract-tests/FakePeerLog"
import { McpApproval, type McpClientAdapter, McpConnectionConfig, type McpEvent } from "@zain/core"
import { Effect, Fiber, Stream } from "effect"
import { type AgentName, type Front, type Place, programs, type Way } from "./AgentServers.ts"
import { binaries } from "./RealAgents.ts"

/** The server between the port and an agent: Zain's, or the agent's own. */
export type Profile = "agent-server" | "native"

/** An adapter with this policy. */
export const adapter = (agent: AgentName, approvals?: McpApproval.Options, profile: Profile = "agent-server") => {
  const make =
    agent === "codex" ? CodexMcpClientAdapter.make({ profile }) : ClaudeCodeMcpClientAdapter.make({ profile })
  return approvals === undefined
    ? make
    : Effect.provideService(make, McpApproval.McpApproval, McpApproval.make(approvals))
}

type Home = Pick<Place, "directory" | "env">

/** The options of every session. Codex's approval policy is set here, not in its home, so that the option is tested too. */
const optionsOf = (agent: AgentName, { directory: cwd }: Home) =>
  agent === "codex" ? ({ cwd, approvalPolicy: "on-request" } as const) : { cwd }

/** The agent server over stdio, in front of an agent with this home. */
export const local = (agent: AgentName, home: Home, command = programs[agent]) => {
  const { directory: cwd } = home
  const env = { ...compileCache(), ...home.env }
  return agent === "codex"
    ? CodexTransportFactory.local({ command, env, cwd, options: { cwd, approvalPolicy: "on-request" } })
    : ClaudeCodeTransportFactory.local({ command, env, cwd, options: { cwd } })
}

/** The agents' own MCP servers, with a home. `more`: options that replace the usual ones. */
export const native = {
  codex: ({ directory: cwd, env }: Home, more: CodexTransportFactory.NativeOptions = {}) =>
    CodexTransportFactory.native({ command: binaries.codexNative, cwd, env, ...more }),
  "claude-code": ({ directory: cwd, env }: Home, more: ClaudeCodeTransportFactory.NativeOptions = {}) =>
    ClaudeCodeTransportFactory.native({ command: binaries.claudeCode, cwd, env, ...more }),
}

/** The agent server at a URL. */
export const remote = (agent: AgentName, home: Home, front: Exclude<Front, "stdio">, url: string) => {
  const options = { url, providerOptions: optionsOf(agent, home) }
  return front === "http" ? McpConnectionConfig.streamableHttp(options) : McpConnectionConfig.sse(options)
}

/** The configuration for the server of a place, by default one over stdio. */
export const config = (place: Place, { front, url = "" }: Way = { front: "stdio" }): McpConnectionConfig =>
  front === "stdio" ? local(place.agent, place) : remote(place.agent, place, front, url)

/** Sends a prompt, and returns the answer with every event of its turn, in order. */
export const ask = Effect.fnUntraced(function* (
  client: McpClientAdapter,
  session: Effect.Success<ReturnType<typeof client.openSession>>,
  content: string,
) {
  const isLast = ({ _tag }: McpEvent) => _tag === "TurnCompleted" || _tag === "TurnFailed"
  const reading = yield* client
    .events(session)
    .pipe(Stream.takeUntil(isLast), Stream.runCollect, Effect.forkChild({ startImmediately: true }))
  const answer = yield* client.execute(session, { content })
  return { ...answer, events: yield* Fiber.join(reading) }
})

/** A configuration with more options of the provider. */
export const adding = (config: McpConnectionConfig, options: object): McpConnectionConfig => ({
  ...config,
  providerOptions: { ...config.providerOptions, ...options },
})

/** A configuration that continues a thread. */
export const going = (config: McpConnectionConfig) => (threadId: string) => adding(config, { threadId })
