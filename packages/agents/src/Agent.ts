/**
 * An agent, as the commands, the contract runs and the scripts receive it.
 */
import type { FakeDialect } from "@zain/contract-tests/FakeDialect"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import type { LocalOptions } from "@zain/sdk-client/AgentServerCommand"
import type { AnswerOnly, AnswerOnlyOptions } from "@zain/sdk-client/AnswerOnly"
import type { WireFactory } from "@zain/sdk-client/McpWire"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The options that every agent has. */
export interface CommonOptions {
  readonly cwd?: string
  readonly model?: string
  readonly threadId?: string
}

/**
 * The agent behind the port.
 *
 * - `make`: its adapter, with the default profile
 * - `native`: an adapter in front of the agent's own MCP server
 * - `local`: reaches the agent of this machine, behind its server
 */
export interface AgentClient {
  readonly make: Effect.Effect<McpClientAdapter, never, Scope.Scope>
  readonly native: (options: { readonly connect?: WireFactory }) => Effect.Effect<McpClientAdapter, never, Scope.Scope>
  readonly local: (options: LocalOptions & { readonly options?: CommonOptions }) => McpConnectionConfig
}

/**
 * One entry of the list. Everything but the names is loaded when it is first used, so that `zain --help` loads no agent.
 *
 * - `name`: the provider's name, as in the facts
 * - `folder`: the agent's package, from the top of the repository
 * - `client`: the agent behind the port
 * - `serve`: the agent as an MCP server, by the name of the command and its arguments; gives the exit code
 * - `answerOnly`: a client whose sessions can do nothing but answer
 * - `fake`: a fake of the agent. Tests load it; no bundle contains it
 */
export interface Agent {
  readonly name: string
  readonly folder: string
  readonly facts: () => Promise<AgentFacts>
  readonly client: () => Promise<AgentClient>
  readonly serve: () => Promise<
    (name: string, args: ReadonlyArray<string>) => Effect.Effect<number, Error, Scope.Scope>
  >
  readonly answerOnly: () => Promise<(options: AnswerOnlyOptions) => Effect.Effect<AnswerOnly, never, Scope.Scope>>
  readonly fake: () => Promise<FakeDialect>
}
