/** Faults of single responses over Streamable HTTP. */
import { answers, type Expectation, type Fault, fails, type Limits, notSent, on, opensNot, unknown } from "./Fault.ts"

const only = (expectation: Expectation) => on(expectation, "streamable-http")

/** What is said of a response that is no answer. */
interface NoAnswer {
  readonly name: string
  readonly title: string
  readonly promises: ReadonlyArray<number>
  readonly call: Expectation
  readonly open: Expectation
  readonly limits?: Partial<Limits>
}

const violates = (name: string, title: string, promises: ReadonlyArray<number> = [6, 24]): NoAnswer => ({
  name,
  title,
  promises,
  call: fails(unknown("protocol-violation"), "as-after-cancel"),
  open: opensNot("not-an-mcp-server", "protocol-violation"),
})

const loses = (name: string, title: string): NoAnswer => ({
  name,
  title,
  promises: [3, 4, 6],
  call: fails(unknown("connection-lost"), "as-after-cancel"),
  open: opensNot("connection-lost", "unreachable"),
})

const isTooLarge = (name: string, title: string): NoAnswer => ({
  name,
  title,
  promises: [6, 14, 15, 16],
  call: fails(unknown("message-too-large"), "as-after-cancel"),
  open: opensNot("message-too-large"),
})

const noAnswers: ReadonlyArray<NoAnswer> = [
  violates("html", "answers with a page of HTML, the secret in it", [6, 19, 24]),
  violates("no-content-type", "answers without a content type"),
  violates("text-plain", "answers with plain text"),
  violates("202", "answers a request with 202"),
  violates("204", "answers a request with 204"),
  violates("200-empty", "answers with nothing at all"),
  violates("not-json", "answers with what is no JSON, the secret in it", [6, 19, 24]),
  violates("json-null", "answers with null"),
  violates("batch", "answers with a batch"),
  violates("json-wrong-id", "answers another request", [2, 6]),
  violates("gzip-bomb", "answers with 64 MiB in a few KiB of gzip", [6, 14, 15]),
  violates("gzip-small", "answers with gzip, which was not asked for"),
  loses("truncated-chunk", "ends in the middle of a chunk"),
  loses("short-of-content-length", "ends before the length that it announced"),
  loses("reset-before-headers", "resets the connection before the headers"),
  loses("closed-before-headers", "closes the connection before the headers"),
  loses("reset-mid-body", "resets the connection in the middle of the body"),
  isTooLarge("endless-json", "answers with JSON that never ends"),
  violates("no-http", "answers with what is no HTTP, the secret in it", [6, 19]),
  violates("headers-endless", "answers with headers that never end", [6, 14, 15]),
  {
    ...isTooLarge("content-length-lies", "announces 8 GiB"),
    call: fails(unknown("message-too-large", "deadline-exceeded"), "as-after-cancel"),
    open: opensNot("message-too-large", "connect-timeout"),
    limits: { deadline: 600, connectTimeout: 600 },
  },
]

const answered = noAnswers.flatMap(
  ({ call, limits, name, open, promises, title }): ReadonlyArray<Fault> => [
    {
      id: `call-${name}`,
      title: `${title}, to a call`,
      promises: [...promises, 3],
      strikes: "call",
      expected: only(call),
      ...(limits === undefined ? {} : { limits, endsBy: "deadline" }),
    },
    {
      id: `open-${name}`,
      title: `${title}, to initialize`,
      promises: [...promises, 10],
      strikes: "handshake",
      expected: only(open),
      ...(limits === undefined ? {} : { limits, endsBy: "connectTimeout" }),
    },
  ],
)

const silent: ReadonlyArray<Fault> = [
  {
    id: "call-headers-never",
    title: "never answers a call, not even with headers",
    promises: [1, 5],
    strikes: "call",
    expected: only(fails(unknown("stalled"), "as-after-cancel")),
    limits: { idleTimeout: 500 },
    endsBy: "idleTimeout",
  },
  {
    id: "open-headers-never",
    title: "never answers initialize, not even with headers",
    promises: [1, 10],
    strikes: "handshake",
    expected: only(opensNot("connect-timeout")),
    limits: { connectTimeout: 500 },
    endsBy: "connectTimeout",
  },
  {
    id: "call-trickle",
    title: "answers a call a byte at a time, without end",
    promises: [1],
    strikes: "call",
    expected: only(fails(unknown("stalled"), "as-after-cancel")),
    limits: { idleTimeout: 500 },
    endsBy: "idleTimeout",
  },
  {
    id: "initialized-headers-never",
    title: "never answers notifications/initialized",
    promises: [1, 10],
    strikes: "handshake",
    expected: only(opensNot("connect-timeout")),
    limits: { connectTimeout: 500 },
    endsBy: "connectTimeout",
  },
  {
    id: "cancelled-headers-never",
    title: "answers neither a call nor its cancel",
    promises: [1, 5, 9],
    strikes: "call",
    expected: only(fails(unknown("deadline-exceeded"), "as-after-cancel")),
    limits: { deadline: 400 },
    endsBy: "deadline",
  },
  {
    id: "delete-headers-never",
    title: "never answers DELETE",
    promises: [9, 13],
    strikes: "close",
    expected: only(answers),
  },
]

const odd = [
  ["json-in-single-bytes", "answers with JSON, byte by byte"],
  ["content-type-with-charset", "writes its content type in capitals, with a charset"],
  ["early-hints", "sends early hints long before its answer"],
  ["processing", "says that it works on it long before its answer"],
  ["connection-close", "closes the connection after its answer"],
  ["status-201", "answers with 201"],
].map(
  ([name, title = ""]): Fault => ({
    id: `call-${name}`,
    title,
    promises: [24],
    strikes: "call",
    expected:
      name === "status-201"
        ? only({ call: ["answers", unknown("protocol-violation")], next: "answers-or-lost" })
        : only(answers),
  }),
)

/** RFC 9110 wants a client to bear it, and undici ends the connection: either is a clear end. */
const unaskedContinue: Fault = {
  id: "call-unasked-continue",
  title: "says 100 Continue to a request that did not ask",
  promises: [3, 4],
  strikes: "call",
  expected: only({ call: ["answers", unknown("connection-lost")], next: "answers-or-lost" }),
}

const pages = [
  ["megabytes", "megabytes of text"],
  ["endless", "a text that never ends"],
].map(
  ([name, what]): Fault => ({
    id: `call-500-${name}`,
    title: `answers a call with 500 and ${what}, the secret in it`,
    promises: [1, 6, 14, 19],
    strikes: "call",
    expected: on(fails(unknown("server-error"), "as-after-cancel"), "streamable-http", "sse"),
  }),
)

const refused: Fault = {
  id: "refused",
  title: "is not there: the connection is refused",
  promises: [4, 6, 10],
  strikes: "handshake",
  expected: on({ opening: notSent("unreachable") }, "streamable-http", "sse"),
}

/** Everything that is wrong with a response. */
export const httpFaults: ReadonlyArray<Fault> = [refused, ...answered, ...odd, unaskedContinue, ...pages, ...silent]
