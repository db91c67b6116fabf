/**
 * One question to an agent, in a session of its own.
 */
import type { McpClient } from "@zain/core/McpClient"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpResponse } from "@zain/core/McpResponse"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type AttemptFailure, failedTurn, ofMcpError } from "./AttemptFailure.ts"

/**
 * Opens a session, asks, and closes it, however the asking ends. So nothing is remembered from one question to the next,
 * and an agent that hung or was lost is no different from one that was never asked. Interrupting it ends the agent's
 * turn and whatever runs for it.
 *
 * @param client who the agent is
 * @param config where it is
 * @param prompt what it is asked
 * @returns what it answered; or `AttemptFailure` when it cannot be reached, is lost, or says that its turn failed
 *
 * **Example**
 *
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
    client.openSession(config),
    // What is closed already is what was wanted.
    (session) => Effect.ignore(client.closeSession(session)),
    { interruptible: true },
  ).pipe(
    Effect.flatMap((session) => client.execute(session, { content: prompt })),
    Effect.scoped,
    Effect.mapError(ofMcpError),
    Effect.flatMap((response) => (response.isError ? Effect.fail(failedTurn(response)) : Effect.succeed(response))),
  )
