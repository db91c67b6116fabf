/** Faults around the calls over Streamable HTTP: of the session's id, and of the requests that carry no call. */
import { answers, type Expectation, type Fault, fails, on, opensNot, unknown } from "./Fault.ts"

const only = (expectation: Expectation) => on(expectation, "streamable-http")

const sessions: ReadonlyArray<Fault> = [
  ...[
    ["control-characters", "with control characters"],
    ["not-ascii", "that is not ASCII"],
    ["a-space", "with a space"],
    ["2-kib", "of 2 KiB"],
    ["empty", "of no characters"],
  ].map(
    ([name, what]): Fault => ({
      id: `session-id-${name}`,
      title: `gives a session id ${what}`,
      promises: [10, 22],
      strikes: "handshake",
      expected: only(opensNot("not-an-mcp-server", "protocol-violation")),
    }),
  ),
  {
    id: "call-session-id-changes",
    title: "gives another session id in the middle of the session",
    promises: [21, 22],
    strikes: "call",
    expected: only(answers),
  },
]

const asides: ReadonlyArray<Fault> = [
  {
    id: "initialized-500",
    title: "answers notifications/initialized with 500",
    promises: [6, 10, 19],
    strikes: "handshake",
    expected: only(opensNot("server-error")),
  },
  {
    id: "initialized-404",
    title: "answers notifications/initialized with 404",
    promises: [6, 10, 19],
    strikes: "handshake",
    expected: only(opensNot("not-an-mcp-server", "session-expired")),
    keepsSession: true,
  },
  {
    id: "initialized-reset",
    title: "resets the connection of notifications/initialized",
    promises: [4, 10],
    strikes: "handshake",
    expected: only(opensNot("connection-lost", "unreachable")),
  },
  {
    id: "initialized-200",
    title: "answers notifications/initialized with a body",
    promises: [24],
    strikes: "handshake",
    expected: only(answers),
  },
]

/** Whatever a server answers to the cancel of a call, the call is over. */
const cancels: ReadonlyArray<Fault> = [
  {
    id: "cancelled-500",
    title: "answers the cancel of a call with 500",
    promises: [5, 7],
    strikes: "call",
    expected: only(fails(unknown("deadline-exceeded"), "as-after-cancel")),
    limits: { deadline: 400 },
    endsBy: "deadline",
  },
]

/** Whatever a server answers to DELETE, the session is over. */
const deletes = [
  ["405", "405: nobody ends sessions here"],
  ["500", "500"],
  ["404", "404"],
  ["redirect", "a redirect to another origin"],
  ["reset", "a reset"],
  ["endless-body", "a body that never ends"],
].map(
  ([name, what]): Fault => ({
    id: `delete-${name}`,
    title: `answers DELETE with ${what}`,
    promises: name === "redirect" ? [9, 13, 20] : [9, 13],
    strikes: "close",
    expected: only(answers),
  }),
)

/** Everything that is wrong with how a session begins, is told of a cancel, and ends. */
export const sessionFaults: ReadonlyArray<Fault> = [...sessions, ...asides, ...cancels, ...deletes]
