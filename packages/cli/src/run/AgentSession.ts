/**
 * The configuration of a session with a local agent.
 */
import type { Agent, CommonOptions } from "@zain/agent-list/Agent"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import { ConnectionUnavailable, clip, type McpError } from "@zain/core/McpError"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as AgentProgram from "../AgentProgram.ts"

/** `make`: a client, in a Scope. `config`: opens a session with it. */
export interface AgentSession {
  readonly make: Effect.Effect<McpClientAdapter, McpError, Scope.Scope>
  readonly config: McpConnectionConfig
}

export interface Options {
  /** The agent's program. Default: found on PATH. */
  readonly command: string | undefined
  /** More variables for the agent. */
  readonly env: Readonly<Record<string, string>>
  /** The agent's directory, in which no program is searched. */
  readonly cwd: string
  readonly options: CommonOptions
}

/** How long a person may take to decide an approval. */
export const patience = Duration.minutes(60)

/** Longer than `patience`, so that the answer arrives before the agent's timeout. */
const approvalTimeout = Duration.sum(patience, Duration.minutes(1))

/**
 * Prepares a session; the agent starts when it opens.
 *
 * @returns the session, or fails with `spawn-failed` if the program is missing
 */
export const make = Effect.fnUntraced(function* (
  agent: Agent,
  facts: AgentFacts,
  { command: named, cwd, env, options }: Options,
): Effect.fn.Return<AgentSession, ConnectionUnavailable> {
  const { passedOver, program: command } = AgentProgram.find(facts, named, cwd)
  if (command === undefined) {
    return yield* new ConnectionUnavailable({
      reason: "spawn-failed",
      message: clip(AgentProgram.missing(facts, named, passedOver)),
      delivery: "not-sent",
    })
  }
  const { local, make } = yield* Effect.promise(agent.client)
  return { make, config: local({ command, env, approvalTimeout, options }) }
})
