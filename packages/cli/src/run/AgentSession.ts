/**
 * A session with an agent that is on this machine, ready to be opened.
 */
import type { Agent, CommonOptions } from "@zain/agents/Agent"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import { ConnectionUnavailable, clip } from "@zain/core/McpError"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as AgentProgram from "../AgentProgram.ts"

/** `make`: a client, in a Scope. `config`: opens a session with it. */
export interface AgentSession {
  readonly make: Effect.Effect<McpClientAdapter, never, Scope.Scope>
  readonly config: McpConnectionConfig
}

export interface Options {
  /** The agent's program, if it is not the usual one. */
  readonly command: string | undefined
  /** Variables for it, beside the usual ones. */
  readonly env: Readonly<Record<string, string>>
  /** Where nothing is looked for that is started. */
  readonly cwd: string
  readonly options: CommonOptions
}

/** How long somebody may think about a question. */
export const patience = Duration.minutes(60)

/** Who asks waits a little longer than who answers. */
const approvalTimeout = Duration.sum(patience, Duration.minutes(1))

/**
 * An agent that starts when its session opens.
 *
 * @returns the agent; or `spawn-failed` when it has no program here
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
