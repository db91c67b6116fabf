/** Faults of HTTP with server-sent events (2024-11-05): its endpoint, its one stream, its POSTs. */
import { answers, dueOn, endsBy, type Fault, fails, notSent, opensNot, unknown } from "./Fault.ts"
import { type Behaviour, type HttpHit, notification, response } from "./peer/Behaviour.ts"
import { at, event, eventStream, openStream, pour, reply } from "./peer/HttpHit.ts"
import { streamOf } from "./peer/PeerStream.ts"

const only = dueOn("sse")
const well = only(answers)
const notAServer = only(opensNot("not-an-mcp-server"))
const timesOut = endsBy("connectTimeout", 500)

const silences = (
  [
    ["endpoint-never", "never sends its endpoint", (hit: HttpHit) => openStream(hit).flushHeaders()],
    ["stream-headers-never", "never answers the GET of the stream", () => {}],
  ] as const
).map(([id, title, strike]) =>
  only(opensNot("connect-timeout"), timesOut)(id, title, [1, 10]).by("handshake", at("stream", strike)),
)

/** Each path leads to the session, so that a client that uses only the path opens one, and fails the case. */
const addresses = (
  [
    ["of-another-origin", "of another origin", (path, { elsewhere }) => new URL(path, elsewhere).href],
    [
      "without-scheme",
      "of another origin, without a scheme",
      (path, { elsewhere }) => new URL(path, elsewhere).href.replace("http:", ""),
    ],
    ["of-another-scheme", "that is a file URL", (path) => `file://${path}`],
    ["is-no-url", "that is no URL", () => "http://[not a url"],
  ] satisfies ReadonlyArray<[string, string, Behaviour["endpoint"]]>
).map(([name, where, endpoint]) =>
  notAServer(`endpoint-${name}`, `sends an endpoint ${where}`, [10, 20]).by("handshake", { endpoint }),
)

const endpoints: ReadonlyArray<Fault> = [
  ...silences,
  ...addresses,
  only(opensNot("not-an-mcp-server", "connect-timeout"), timesOut)(
    "endpoint-empty",
    "sends an empty endpoint",
    [1, 10],
  ).by("handshake", { endpoint: () => "" }),
  only(opensNot("message-too-large", "not-an-mcp-server"))(
    "endpoint-endless",
    "sends an endpoint that never ends",
    [10, 14, 15],
  ).by(
    "handshake",
    at("stream", (hit) => {
      const out = openStream(hit)
      out.write("event: endpoint\ndata: ")
      pour(out, "x".repeat(64 * 1024))
    }),
  ),
  well("endpoint-second", "later sends a second endpoint, of another origin", [20]).by("handshake", {
    start: ({ bytes }) => void bytes("event: endpoint\ndata: http://127.0.0.1:9/elsewhere\n\n"),
  }),
  notAServer("stream-wrong-type", "answers the GET of the stream with a page", [6, 10]).by(
    "handshake",
    at("stream", (hit) => reply(hit, 200, "<h1>Hello</h1>", { "content-type": "text/html" })),
  ),
  only(opensNot("not-an-mcp-server", "connection-lost"))(
    "stream-ends-before-endpoint",
    "ends the stream before it sends its endpoint",
    [4, 10],
  ).by(
    "handshake",
    at("stream", (hit) => openStream(hit).end()),
  ),
]

/** The stream of the session to which a POST belongs. */
const streamFor = ({ request }: HttpHit) =>
  streamOf(new URL(request.url ?? "/", "http://here").searchParams.get("session") ?? "")

/** Acts on the stream when the struck call arrives. */
const onCall =
  (strike: (stream: NonNullable<ReturnType<typeof streamFor>>, hit: HttpHit) => void) => (hit: HttpHit) => {
    const stream = streamFor(hit)
    reply(hit, 202)
    if (stream !== undefined) strike(stream, hit)
  }

const lost = only(fails(unknown("connection-lost"), notSent("connection-lost")))

const streams: ReadonlyArray<Fault> = [
  lost("server-stream-ends-mid-call", "ends the stream in the middle of a call", [3, 4, 8]).at(
    "strike",
    onCall((stream) => void stream.end()),
  ),
  lost("server-stream-reset-mid-call", "resets the stream in the middle of a call", [3, 4, 8]).at(
    "strike",
    onCall((stream) => void stream.socket?.resetAndDestroy()),
  ),
  only({ call: ["answers"], next: { reasons: ["connection-lost"] } }, { settles: true })(
    "server-stream-ends-while-idle",
    "ends the stream between two calls",
    [4, 8],
  ).at(
    "strike",
    onCall((stream, hit) => {
      stream.write(event(hit.good), () => void setTimeout(() => stream.end(), 30))
    }),
  ),
  only(fails(unknown("message-too-large"), "anything"))(
    "server-stream-endless-event",
    "streams an event that never ends",
    [14, 15, 16],
  ).at(
    "strike",
    onCall((stream) => {
      stream.write("data: ")
      pour(stream, "x".repeat(64 * 1024))
    }),
  ),
  well("server-stream-odd-format", "streams comments, carriage returns and foreign events before its answer", [24]).at(
    "strike",
    onCall((stream, hit) => {
      stream.write(": hello\r\n\r\nevent: ping\ndata: {}\n\ndata: not JSON\n\nid: 7\n")
      stream.write(event(notification("notifications/message", { data: "x" })))
      stream.write(`zain: x\r\ndata: ${JSON.stringify(response(hit.id, hit.script.good))}\r\n\r\n`)
    }),
  ),
]

/** Answers the call on its stream, not the POST. */
const answer = (hit: HttpHit) => void streamFor(hit)?.write(event(hit.good))

const posts: ReadonlyArray<Fault> = [
  only(fails(unknown("stalled"), "as-after-cancel"), endsBy("idleTimeout", 500))(
    "post-never-answered",
    "answers neither a call nor its POST",
    [1, 5],
  ).at("strike", () => {}),
  well("post-never-answered-but-done", "answers a call, but never its POST", [9, 13]).at("strike", answer),
  only(fails(unknown("connection-lost"), "as-after-cancel"))("post-reset", "resets the POST of a call", [3, 4]).at(
    "strike",
    ({ socket }) => void socket.resetAndDestroy(),
  ),
  well("post-200-with-body", "answers the POST of a call with 200 and a text", [24]).at("strike", (hit) => {
    reply(hit, 200, "ok", { "content-type": "text/plain" })
    answer(hit)
  }),
  well("post-202-endless-body", "answers the POST of a call with a body that never ends", [13, 14]).at(
    "strike",
    (hit) => {
      answer(hit)
      hit.response.writeHead(202, eventStream)
      pour(hit.response, "x".repeat(1024))
    },
  ),
  only({ call: ["answers", unknown("protocol-violation")], next: "answers-or-lost" })(
    "post-gzip",
    "answers the POST of a call with malformed gzip",
    [24],
  ).at("strike", (hit) => {
    answer(hit)
    reply(hit, 202, "not gzip at all", { "content-encoding": "gzip" })
  }),
]

/** Every fault that only HTTP with SSE can have. */
export const serverStreamFaults: ReadonlyArray<Fault> = [...endpoints, ...streams, ...posts]
