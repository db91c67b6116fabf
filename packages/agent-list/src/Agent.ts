/**
 * The agent modules that the commands, the contract runs and the scripts load.
 */
import type { FakeDialect } from "@zain/contract-tests/FakeDialect"
import type { Driver } from "@zain/core/AgentConnection"
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
  /** Directory that the agent works in. Default: the host's. */
  readonly cwd?: string
  /** The model that answers. Default: the one of the agent's configuration. */
  readonly model?: string
  /** Continues the conversation of an earlier session. */
  readonly threadId?: string
}

/** An agent as an `McpClient`. */
export interface AgentClient {
  /** Makes its adapter with the default profile. Its sessions close with the Scope. */
  readonly make: Effect.Effect<McpClientAdapter, never, Scope.Scope>
  /** Makes its driver with the default profile, for the runners of a cluster. */
  readonly driver: Effect.Effect<Driver, never, Scope.Scope>
  /** Makes an adapter for the agent's own MCP server. */
  readonly native: (options: { readonly connect?: WireFactory }) => Effect.Effect<McpClientAdapter, never, Scope.Scope>
  /** Configuration of a session with the agent of this machine, behind its server. */
  readonly local: (options: LocalOptions & { readonly options?: CommonOptions }) => McpConnectionConfig
}

/** One entry of the list. All but the names loads on first use, so that `zain --help` loads no agent. */
export interface Agent {
  /** The provider's name, as in the facts. */
  readonly name: string
  /** The agent's package, as a path from the root of the repository. */
  readonly folder: string
  /** Loads the agent's program, versions, environment and login. */
  readonly facts: () => Promise<AgentFacts>
  /** Loads the agent as an `McpClient`. */
  readonly client: () => Promise<AgentClient>
  /** Loads the agent's MCP server: by the command's name and its arguments, it returns the exit code. */
  readonly serve: () => Promise<
    (name: string, args: ReadonlyArray<string>) => Effect.Effect<number, Error, Scope.Scope>
  >
  /** Loads a client whose sessions have no tools and no files. */
  readonly answerOnly: () => Promise<(options: AnswerOnlyOptions) => Effect.Effect<AnswerOnly, never, Scope.Scope>>
  /** Loads a fake of the agent, for tests. No bundle contains it. */
  readonly fake: () => Promise<FakeDialect>
}
