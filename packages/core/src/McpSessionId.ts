/**
 * The name of one session, unguessable and never used twice.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A random UUID (version 4). */
export const McpSessionId = Schema.String.check(Schema.isUUID(4)).pipe(Schema.brand("@zain/core/McpSessionId"))
export type McpSessionId = typeof McpSessionId.Type

/** A new session id, 122 bits of it random. */
export const make: Effect.Effect<McpSessionId> = Effect.sync(() => crypto.randomUUID() as string as McpSessionId)
