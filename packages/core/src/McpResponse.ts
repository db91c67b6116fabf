/**
 * What an agent answered.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FailedTurnCause } from "./FailedTurn.ts"
import { ConnectionUnavailable, clip } from "./McpError.ts"
import { McpProvider } from "./McpProvider.ts"
import { McpSessionId } from "./McpSessionId.ts"

/** Tokens that the turn used, where the agent tells. */
export const McpUsage = Schema.Struct({
  inputTokens: Schema.optionalKey(Schema.Int),
  outputTokens: Schema.optionalKey(Schema.Int),
})
export type McpUsage = typeof McpUsage.Type

/**
 * - `provider`, `sessionId`, `content`: always there
 * - `isError`: the agent ran and says that its turn failed; `content` says why
 * - `cause`: why the turn failed, where only the agent's user can help
 * - `threadId`: the agent's own name for the conversation
 * - `usage`: tokens used, where the agent tells
 *
 * @see seed, requirements 4.1 to 4.4
 */
export const McpResponse = Schema.Struct({
  provider: McpProvider,
  sessionId: McpSessionId,
  content: Schema.String,
  isError: Schema.Boolean,
  cause: Schema.optionalKey(FailedTurnCause),
  threadId: Schema.optionalKey(Schema.String),
  usage: Schema.optionalKey(McpUsage),
})
export type McpResponse = typeof McpResponse.Type

/**
 * Turns a turn that failed on the agent's side into an error, for callers who do not tell the two apart.
 *
 * @returns the response, or `ConnectionUnavailable` with reason `server-error` when `isError` is true
 *
 * @example
 * ```ts
 * import { McpClient, McpResponse, type McpSessionId } from "@zain/core"
 * import * as Effect from "effect/Effect"
 *
 * const ask = (session: McpSessionId, content: string) =>
 *   McpClient.use((client) => client.execute(session, { content })).pipe(Effect.flatMap(McpResponse.orFail))
 * ```
 */
export const orFail = (response: McpResponse): Effect.Effect<McpResponse, ConnectionUnavailable> =>
  response.isError
    ? Effect.fail(
        new ConnectionUnavailable({
          reason: "server-error",
          message: clip(`${response.provider} says that its turn failed: ${response.content}`),
          delivery: "unknown",
        }),
      )
    : Effect.succeed(response)
