/**
 * The id of one session: unguessable, and never used twice.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * The id of a session: a random UUID (version 4). Valid only for the client whose `openSession` returned it.
 */
export const McpSessionId = Schema.String.check(Schema.isUUID(4)).pipe(Schema.brand("@zain/core/McpSessionId"))
export type McpSessionId = typeof McpSessionId.Type

/** Makes a new session id with 122 random bits. `openSession` calls it; programs rarely need it. */
export const make: Effect.Effect<McpSessionId> = Effect.sync(
  // In one piece: V8 keeps an id as the 20 pieces that Node has joined until something reads it whole.
  () => crypto.randomUUID().toLowerCase() as McpSessionId,
)
