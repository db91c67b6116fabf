/**
 * Bounds the documents that a server holds at once, under evaluation or waiting.
 *
 * @see docs/internals/promises.md, 14 and 29
 */
import { internalError } from "@zain/tool-server/ProtocolError"
import * as Semaphore from "effect/Semaphore"
import * as ConcurrencyLimit from "../ConcurrencyLimit.ts"

/** In characters, as `String.length` counts them: up to two bytes each, and an evaluation copies its document. */
const maxRoomLength = 32 * 2 ** 20

/** A semaphore with a permit for each character. */
export const make = (): Semaphore.Semaphore => Semaphore.makeUnsafe(maxRoomLength)

/** Runs an effect while there is room for its document; fails with -32603 (retryable) otherwise. */
export const hold = (room: Semaphore.Semaphore, { length }: string) =>
  ConcurrencyLimit.ifFree(room, length, () =>
    internalError("The server is busy: the documents of its clients reach its limit. Retry later.", {
      details: "busy: try again later",
      retryable: true,
      attempts: 0,
    }),
  )
