/** Faults of the stream of server-sent events that answers a call over Streamable HTTP. */
import { answers, type Expectation, type Fault, fails, on, unknown } from "./Fault.ts"
import { resumeStatuses } from "./peer/Statuses.ts"

const only = (expectation: Expectation) => on(expectation, "streamable-http")
const lost = only(fails(unknown("connection-lost"), "as-after-cancel"))
const tooLarge = only(fails(unknown("message-too-large"), "as-after-cancel"))

/** The server has taken the prompt up, whatever it says to the resumption. */
const taken = unknown(
  "connection-lost",
  "protocol-violation",
  "rejected-by-server",
  "unauthorized",
  "session-expired",
  "rate-limited",
  "server-error",
)

const formats: ReadonlyArray<Fault> = [
  {
    id: "stream-odd-format",
    title: "streams comments, carriage returns, empty and foreign events, and an answer in two lines",
    promises: [2, 24],
    strikes: "call",
    expected: only(answers),
  },
  {
    id: "stream-odd-content-type",
    title: "streams with parameters in its content type",
    promises: [24],
    strikes: "call",
    expected: only(answers),
  },
  {
    id: "stream-late-answer",
    title: "streams an event, and the answer a while later",
    promises: [1],
    strikes: "call",
    expected: only(answers),
  },
  {
    id: "stream-stays-open",
    title: "streams the answer, and does not end the stream",
    promises: [9, 13],
    strikes: "call",
    expected: only(answers),
  },
]

const ends: ReadonlyArray<Fault> = [
  {
    id: "stream-ends",
    title: "ends the stream before the answer",
    promises: [3, 4],
    strikes: "call",
    expected: lost,
  },
  {
    id: "stream-ends-at-once",
    title: "opens a stream and ends it",
    promises: [3, 4],
    strikes: "call",
    expected: lost,
  },
  {
    id: "stream-ends-in-an-event",
    title: "ends the stream before the event of the answer is complete",
    promises: [3, 4],
    strikes: "call",
    expected: lost,
  },
  {
    id: "stream-reset",
    title: "resets the stream before the answer",
    promises: [3, 4],
    strikes: "call",
    expected: lost,
  },
]

const stalls: ReadonlyArray<Fault> = [
  ["stream-silent", "opens a stream and says nothing"],
  ["stream-comments-only", "streams comments, and nothing else"],
].map(
  ([id = "", title = ""]): Fault => ({
    id,
    title,
    promises: [1],
    strikes: "call",
    expected: only(fails(unknown("stalled"), "as-after-cancel")),
    limits: { idleTimeout: 500 },
    endsBy: "idleTimeout",
  }),
)

const floods: ReadonlyArray<Fault> = [
  {
    id: "stream-endless-event",
    title: "streams a line that never ends",
    promises: [14, 15, 16],
    strikes: "call",
    expected: tooLarge,
  },
  {
    id: "stream-endless-lines",
    title: "streams an event of lines that never end",
    promises: [14, 15, 16],
    strikes: "call",
    expected: tooLarge,
  },
  {
    id: "stream-endless-short-lines",
    title: "streams an event of lines of one letter that never end",
    promises: [14, 15, 16],
    strikes: "call",
    expected: tooLarge,
  },
  {
    id: "stream-endless-comments",
    title: "streams comments as fast as they are read",
    promises: [1, 14, 15, 16],
    strikes: "call",
    expected: only(fails(unknown("deadline-exceeded", "message-too-large"), "as-after-cancel")),
    limits: { deadline: 600 },
    endsBy: "deadline",
  },
]

const resumptions: ReadonlyArray<Fault> = [
  {
    id: "resume-once",
    title: "drops the stream after an event, and goes on when the client comes back",
    promises: [3, 17],
    strikes: "call",
    expected: only(answers),
    resumes: 1,
  },
  {
    id: "resume-twice",
    title: "drops the stream, and the resumption of it, and then goes on",
    promises: [3, 17],
    strikes: "call",
    expected: only(answers),
    resumes: 2,
  },
  {
    id: "resume-always-dropped",
    title: "drops every resumption, and asks to come back at once",
    promises: [3, 17],
    strikes: "call",
    expected: lost,
    resumes: 2,
  },
  {
    id: "resume-retry-0",
    title: "asks to come back after 0 ms",
    promises: [17],
    strikes: "call",
    expected: only(answers),
    resumes: 1,
  },
  {
    id: "resume-retry-huge",
    title: "asks to come back after 115 days",
    promises: [1, 17],
    strikes: "call",
    expected: only(fails(unknown("deadline-exceeded"), "as-after-cancel")),
    limits: { deadline: 500 },
    endsBy: "deadline",
    resumes: 0,
  },
  ...resumeStatuses.map(
    (status): Fault => ({
      id: `resume-${status}`,
      title: `drops the stream, and answers the resumption with ${status}`,
      promises: status === 307 ? [3, 17, 20] : [3, 6, 17],
      strikes: "call",
      expected: only({ call: [taken], next: status === 404 ? "anything" : "as-after-cancel" }),
    }),
  ),
  {
    id: "resume-reset",
    title: "drops the stream, and resets every resumption",
    promises: [3, 4, 17],
    strikes: "call",
    expected: lost,
  },
  {
    id: "resume-id-with-line-breaks",
    title: "gives an event id that no header can hold",
    promises: [7, 22],
    strikes: "call",
    expected: only({ call: ["answers", unknown("connection-lost", "protocol-violation")], next: "answers-or-lost" }),
  },
]

/** Everything that is wrong with a call's stream. */
export const streamFaults: ReadonlyArray<Fault> = [...formats, ...ends, ...stalls, ...floods, ...resumptions]
