/**
 * How much of its clients' documents a server holds at once: those that are judged, and those that wait for it.
 *
 * @see promises 14 and 29
 */
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js"
import { ProtocolError } from "@zain/tool-server/ProtocolError"
import * as Semaphore from "effect/Semaphore"
import * as ConcurrencyLimit from "../ConcurrencyLimit.ts"

/** In characters, as `String.length` counts them; each may take two bytes, and one that is judged is written out again. */
const most = 32 * 2 ** 20

/** A semaphore with a permit for each character. */
export const make = (): Semaphore.Semaphore => Semaphore.makeUnsafe(most)

/** Does something with a document while there is room for it, and refuses it otherwise. */
export const hold = (room: Semaphore.Semaphore, { length }: string) =>
  ConcurrencyLimit.ifFree(
    room,
    length,
    () =>
      new ProtocolError({
        code: ErrorCode.InternalError,
        message: "This server is busy: it holds as many documents as it can. Try again later.",
        data: { details: "busy: try again later", retryable: true, attempts: 0 },
      }),
  )
