/** Faults of HTTP with server-sent events (2024-11-05): its endpoint, its one stream, its POSTs. */
import { answers, type Expectation, type Fault, fails, notSent, on, opensNot, unknown } from "./Fault.ts"

const only = (expectation: Expectation) => on(expectation, "sse")

const endpoints: ReadonlyArray<Fault> = [
  ...[
    ["endpoint-never", "never says where to send"],
    ["stream-headers-never", "never answers the GET of the stream"],
  ].map(
    ([id = "", title = ""]): Fault => ({
      id,
      title,
      promises: [1, 10],
      strikes: "handshake",
      expected: only(opensNot("connect-timeout")),
      limits: { connectTimeout: 500 },
      endsBy: "connectTimeout",
    }),
  ),
  ...[
    ["endpoint-of-another-origin", "wants messages sent to another origin"],
    ["endpoint-without-scheme", "wants messages sent to another origin, without naming a scheme"],
    ["endpoint-of-another-scheme", "wants messages sent to a file"],
    ["endpoint-is-no-url", "wants messages sent to what is no address"],
  ].map(
    ([id = "", title = ""]): Fault => ({
      id,
      title,
      promises: [10, 20],
      strikes: "handshake",
      expected: only(opensNot("not-an-mcp-server")),
    }),
  ),
  {
    id: "endpoint-empty",
    title: "wants messages sent to an empty address",
    promises: [1, 10],
    strikes: "handshake",
    expected: only(opensNot("not-an-mcp-server", "connect-timeout")),
    limits: { connectTimeout: 500 },
    endsBy: "connectTimeout",
  },
  {
    id: "endpoint-endless",
    title: "names an address that never ends",
    promises: [10, 14, 15],
    strikes: "handshake",
    expected: only(opensNot("message-too-large", "not-an-mcp-server")),
  },
  {
    id: "endpoint-second",
    title: "names a second address later, of another origin",
    promises: [20],
    strikes: "handshake",
    expected: only(answers),
  },
  {
    id: "stream-wrong-type",
    title: "answers the GET of the stream with a page",
    promises: [6, 10],
    strikes: "handshake",
    expected: only(opensNot("not-an-mcp-server")),
  },
  {
    id: "stream-ends-before-endpoint",
    title: "ends the stream before it says where to send",
    promises: [4, 10],
    strikes: "handshake",
    expected: only(opensNot("not-an-mcp-server", "connection-lost")),
  },
]

const streams: ReadonlyArray<Fault> = [
  ...[
    ["server-stream-ends-mid-call", "ends the stream in the middle of a call"],
    ["server-stream-reset-mid-call", "resets the stream in the middle of a call"],
  ].map(
    ([id = "", title = ""]): Fault => ({
      id,
      title,
      promises: [3, 4, 8],
      strikes: "call",
      expected: only(fails(unknown("connection-lost"), notSent("connection-lost"))),
    }),
  ),
  {
    id: "server-stream-ends-while-idle",
    title: "ends the stream between two calls",
    promises: [4, 8],
    strikes: "call",
    expected: only({ call: ["answers"], next: { reasons: ["connection-lost"] } }),
    settles: true,
  },
  {
    id: "server-stream-endless-event",
    title: "streams an event that never ends",
    promises: [14, 15, 16],
    strikes: "call",
    expected: only(fails(unknown("message-too-large"), "anything")),
  },
  {
    id: "server-stream-odd-format",
    title: "streams comments, carriage returns and foreign events before its answer",
    promises: [24],
    strikes: "call",
    expected: only(answers),
  },
]

const posts: ReadonlyArray<Fault> = [
  {
    id: "post-never-answered",
    title: "never answers the POST of a call, nor the call",
    promises: [1, 5],
    strikes: "call",
    expected: only(fails(unknown("stalled"), "as-after-cancel")),
    limits: { idleTimeout: 500 },
    endsBy: "idleTimeout",
  },
  {
    id: "post-never-answered-but-done",
    title: "never answers the POST of a call, but the call",
    promises: [9, 13],
    strikes: "call",
    expected: only(answers),
  },
  {
    id: "post-reset",
    title: "resets the POST of a call",
    promises: [3, 4],
    strikes: "call",
    expected: only(fails(unknown("connection-lost"), "as-after-cancel")),
  },
  {
    id: "post-200-with-body",
    title: "answers the POST of a call with 200 and a text",
    promises: [24],
    strikes: "call",
    expected: only(answers),
  },
  {
    id: "post-202-endless-body",
    title: "answers the POST of a call with a body that never ends",
    promises: [13, 14],
    strikes: "call",
    expected: only(answers),
  },
  {
    id: "post-gzip",
    title: "answers the POST of a call with gzip that is none",
    promises: [24],
    strikes: "call",
    expected: only({ call: ["answers", unknown("protocol-violation")], next: "answers-or-lost" }),
  },
]

/** Everything that only the older of the two HTTP transports can do wrong. */
export const serverStreamFaults: ReadonlyArray<Fault> = [...endpoints, ...streams, ...posts]
