/**
 * One prompt to an agent, in a session of its own.
 */
import type { McpClient } from "@zain/core/McpClient"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import { invalidConfig } from "@zain/core/McpError"
import type { McpOutput } from "@zain/core/McpOutput"
import type { McpResponse } from "@zain/core/McpResponse"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type AttemptFailure, failedTurn, ofMcpError } from "./AttemptFailure.ts"

/**
 * Opens a session, sends one prompt, and closes the session on success, failure and interruption. No state passes from
 * one prompt to the next. Interruption cancels the opening or the agent's turn, and completes when the session is
 * closed; only if it comes at the moment at which `openSession` returns, that session ends with the client.
 *
 * @param client the client that opens and closes the session; the client itself stays open
 * @param config the connection to the agent. `providerOptions.promptCommands: true` fails with `AttemptFailure`, because a
 *   document must not run commands
 * @param prompt the prompt, sent unchanged
 * @param output the schema of the answer; none by default. An answer that does not fit has the cause `Unstructured`
 * @returns the agent's answer. Fails with `AttemptFailure` (`agent`) when the agent cannot be reached, the connection is
 *   lost, or the agent reports a failed turn
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
  output?: McpOutput,
): Effect.Effect<McpResponse, AttemptFailure> =>
  // Not `acquireUseRelease`, whose acquisition cannot be interrupted: an agent may take long to start.
  Effect.acquireRelease(
    config.providerOptions?.["promptCommands"] === true ? Effect.fail(noCommands) : client.openSession(config),
    // A session that is closed already needs no closing.
    (session) => Effect.ignore(client.closeSession(session)),
    { interruptible: true },
  ).pipe(
    Effect.flatMap((session) =>
      client.execute(session, { content: prompt, ...(output === undefined ? {} : { output }) }),
    ),
    Effect.scoped,
    Effect.mapError(ofMcpError),
    Effect.flatMap((response) =>
      response.isError && response.cause?._tag !== "Unstructured"
        ? Effect.fail(failedTurn(response))
        : Effect.succeed(response),
    ),
  )

/**
 * Raises `idleTimeout` to at least 30 seconds more than an attempt's timeout, so that a silent agent fails with the
 * attempt's `timeout` and not with the connection's.
 *
 * @param config the configuration to raise it in, which is not changed
 * @param timeout how long one attempt may take, without the 30 seconds
 */
export const outlasting = (config: McpConnectionConfig, timeout: Duration.Duration): McpConnectionConfig => {
  const idleTimeout = Duration.sum(timeout, Duration.seconds(30))
  if (config.idleTimeout === undefined) return { ...config, idleTimeout }
  const given = Duration.fromInput(config.idleTimeout)
  // `openSession` rejects an invalid duration.
  return Option.isSome(given) && Duration.isLessThan(given.value, idleTimeout) ? { ...config, idleTimeout } : config
}

const noCommands = invalidConfig("`promptCommands` would run text of a document as commands. Leave it out.")
