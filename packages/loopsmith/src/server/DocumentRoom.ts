/**
 * How much of its clients' documents a server holds at once: those that are judged, and those that wait for it.
 *
 * @see promises 14 and 29
 */
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js"
import { ProtocolError } from "@zain/tool-server/ProtocolError"
import * as Effect from "effect/Effect"

/** `hold`: does something with a document while there is room for it, and refuses it otherwise. */
export interface DocumentRoom {
  readonly hold: <A, E>(document: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E | ProtocolError>
}

/** In characters, as `String.length` counts them; each may take two bytes, and one that is judged is written out again. */
const most = 32 * 2 ** 20

const full = new ProtocolError({
  code: ErrorCode.InternalError,
  message: "This server is busy: it holds as many documents as it can. Try again later.",
  data: { details: "busy: try again later", retryable: true, attempts: 0 },
})

/** Room without a document in it. */
export const make = (): DocumentRoom => {
  let held = 0
  return {
    hold: <A, E>({ length }: string, work: Effect.Effect<A, E>) =>
      Effect.uninterruptibleMask((restore): Effect.Effect<A, E | ProtocolError> => {
        if (held + length > most) return Effect.fail(full)
        held += length
        return Effect.ensuring(
          restore(work),
          Effect.sync(() => {
            held -= length
          }),
        )
      }),
  }
}
