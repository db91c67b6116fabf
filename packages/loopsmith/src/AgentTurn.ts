/**
 * One question to an agent, in a session of its own.
 */
import type { McpClient } from "@zain/core/McpClient"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import { invalidConfig } from "@zain/core/McpError"
import type { McpResponse } from "@zain/core/McpResponse"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type AttemptFailure, failedTurn, ofMcpError } from "./AttemptFailure.ts"

/**
 * Opens a session, asks, and closes it, however the asking ends. So nothing is remembered from one question to the next,
 * and an agent that hung or was lost is no different from one that was never asked. Interrupting it interrupts the
 * agent's turn, and returns when its session is closed. A session whose id was still on its way is not known here: that
 * one ends with the client.
 *
 * @param client who the agent is
 * @param config where it is. One with `promptCommands` is refused: a document is no command
 * @param prompt what it is asked, as it is
 * @returns what it answered; or `AttemptFailure` when it cannot be reached, is lost, or says that its turn failed
 *
 * @example
 * ```ts
 * import { InMemoryMcpClient } from "@zain/core"
 * import { AgentTurn } from "@zain/loopsmith"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const client = yield* InMemoryMcpClient.make()
 *   return (yield* AgentTurn.ask(client, InMemoryMcpClient.config, "Is it good?")).content
 * })
 * ```
 */
export const ask = (
  client: Context.Service.Shape<typeof McpClient>,
  config: McpConnectionConfig,
  prompt: string,
): Effect.Effect<McpResponse, AttemptFailure> =>
  // Not `acquireUseRelease`: one must be able to give up on an agent that takes long to start.
  Effect.acquireRelease(
    config.providerOptions?.["promptCommands"] === true ? Effect.fail(noCommands) : client.openSession(config),
    // What is closed already is what was wanted.
    (session) => Effect.ignore(client.closeSession(session)),
    { interruptible: true },
  ).pipe(
    Effect.flatMap((session) => client.execute(session, { content: prompt })),
    Effect.scoped,
    Effect.mapError(ofMcpError),
    Effect.flatMap((response) => (response.isError ? Effect.fail(failedTurn(response)) : Effect.succeed(response))),
  )

/**
 * A configuration under which an attempt ends by its own limit, and not because the agent was silent for so long before:
 * its `idleTimeout` is at least 30 seconds more than an attempt may take.
 *
 * @param timeout the longest that an attempt may take
 */
export const outlasting = (config: McpConnectionConfig, timeout: Duration.Duration): McpConnectionConfig => {
  const idleTimeout = Duration.sum(timeout, Duration.seconds(30))
  if (config.idleTimeout === undefined) return { ...config, idleTimeout }
  const given = Duration.fromInput(config.idleTimeout)
  // One that is none is refused by the port, in its own words.
  return Option.isSome(given) && Duration.isLessThan(given.value, idleTimeout) ? { ...config, idleTimeout } : config
}

const noCommands = invalidConfig(
  "`providerOptions.promptCommands` would make commands of what stands in a document. Leave it out.",
)
