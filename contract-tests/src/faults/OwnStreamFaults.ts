/**
 * Faults of the stream that a client asks for with GET over Streamable HTTP, to hear what belongs to no call. Whatever
 * becomes of it, calls go on.
 */
import { answers, type Expectation, type Fault, fails, on, unknown } from "./Fault.ts"
import { ownStreamStatuses } from "./peer/Statuses.ts"

const only = (expectation: Expectation) => on(expectation, "streamable-http")

const harmless = (id: string, title: string, promises: ReadonlyArray<number> = [4, 16]): Fault => ({
  id: `own-stream-${id}`,
  title,
  promises,
  strikes: "call",
  expected: only(answers),
})

const refusals: ReadonlyArray<Fault> = [
  ...ownStreamStatuses.map((status) =>
    harmless(String(status), `answers a GET with ${status}`, status === 307 ? [17, 20] : [17]),
  ),
  harmless("headers-never", "never answers a GET, not even with headers", [1, 9, 13]),
  harmless("html", "answers a GET with a page", [24]),
  harmless("gzip", "answers a GET with gzip, which was not asked for", [14]),
  harmless("refused-without-end", "answers a GET with 405 and a text that never ends", [13, 14]),
]

const ends: ReadonlyArray<Fault> = [
  harmless("ends-at-once", "answers a GET with a stream and ends it", [17]),
  harmless("reset-before-headers", "resets the connection of a GET", [17]),
  harmless("ends", "ends the stream of a GET in the middle of a call"),
  harmless("reset", "resets the stream of a GET in the middle of a call"),
]

const words: ReadonlyArray<Fault> = [
  {
    id: "own-stream-asks",
    title: "asks something on the stream of a GET, and answers the call when it was answered",
    promises: [23],
    strikes: "call",
    expected: only(answers),
  },
  harmless("answers-the-call", "answers the call on the stream of a GET, wrongly, and then as it should", [2]),
  harmless("odd-format", "says what is no message on the stream of a GET", [24]),
  harmless("endless-comments", "streams comments to a GET as fast as they are read", [14, 15, 16]),
  harmless("endless-messages", "streams notifications to a GET as fast as they are read", [14, 15, 16]),
  {
    id: "own-stream-endless-event",
    title: "streams an event that never ends to a GET, and does not answer the call",
    promises: [14, 15, 16],
    strikes: "call",
    expected: only(fails(unknown("message-too-large"), "as-after-cancel")),
  },
]

/** Everything that can be wrong with a server's own stream. */
export const ownStreamFaults: ReadonlyArray<Fault> = [...refusals, ...ends, ...words]
