/** Faults of HTTP with server-sent events: of the endpoint, of the one stream, and of the POSTs. */
import { type Behaviour, type Behaviours, notification, response } from "./Behaviour.ts"
import { at, event, eventStream, type HttpHit, openStream, pour, reply } from "./HttpHit.ts"
import { streamOf } from "./ServerStream.ts"

/** A stream whose first event is this. */
const endpoint = (data: (hit: HttpHit) => string): Behaviour =>
  at("stream", (hit) => void openStream(hit).write(`event: endpoint\ndata: ${data(hit)}\n\n`))

/** The client's own stream, seen from a POST. */
const streamFor = ({ request }: HttpHit) =>
  streamOf(new URL(request.url ?? "/", "http://here").searchParams.get("session") ?? "")

const accept = (hit: HttpHit) => reply(hit, 202)

/** What is done to the stream when a call comes. */
const onCall = (strike: (stream: NonNullable<ReturnType<typeof streamFor>>, hit: HttpHit) => void): Behaviour =>
  at("strike", (hit) => {
    const stream = streamFor(hit)
    accept(hit)
    if (stream !== undefined) strike(stream, hit)
  })

export const serverStreamFaults: Behaviours = {
  "endpoint-never": at("stream", (hit) => openStream(hit).flushHeaders()),
  "endpoint-of-another-origin": endpoint(({ elsewhere }) => elsewhere),
  "endpoint-of-another-scheme": endpoint(() => "file:///etc/passwd"),
  "endpoint-without-scheme": endpoint(({ elsewhere }) => elsewhere.replace("http:", "")),
  "endpoint-is-no-url": endpoint(() => "http://[not a url"),
  "endpoint-empty": endpoint(() => ""),
  "endpoint-endless": at("stream", (hit) => {
    const out = openStream(hit)
    out.write("event: endpoint\ndata: ")
    pour(out, "x".repeat(64 * 1024))
  }),
  "endpoint-second": {
    start: ({ bytes }) => void bytes("event: endpoint\ndata: http://127.0.0.1:9/elsewhere\n\n"),
  },
  "stream-wrong-type": at("stream", (hit) => reply(hit, 200, "<h1>Hello</h1>", { "content-type": "text/html" })),
  "stream-headers-never": at("stream", () => {}),
  "stream-ends-before-endpoint": at("stream", (hit) => void openStream(hit).end()),
  "server-stream-ends-mid-call": onCall((stream) => void stream.end()),
  "server-stream-reset-mid-call": onCall((stream) => void stream.socket?.resetAndDestroy()),
  "server-stream-ends-while-idle": onCall((stream, hit) => {
    stream.write(event(hit.good), () => void setTimeout(() => stream.end(), 30))
  }),
  "server-stream-endless-event": onCall((stream) => {
    stream.write("data: ")
    pour(stream, "x".repeat(64 * 1024))
  }),
  "server-stream-odd-format": onCall((stream, hit) => {
    stream.write(": hello\r\n\r\nevent: ping\ndata: {}\n\ndata: not JSON\n\nid: 7\n")
    stream.write(event(notification("notifications/message", { data: "x" })))
    stream.write(`zain: x\r\ndata: ${JSON.stringify(response(hit.id, hit.script.good))}\r\n\r\n`)
  }),
  "post-never-answered": at("strike", () => {}),
  "post-never-answered-but-done": at("strike", (hit) => void streamFor(hit)?.write(event(hit.good))),
  "post-reset": at("strike", ({ socket }) => void socket.resetAndDestroy()),
  "post-200-with-body": at("strike", (hit) => {
    reply(hit, 200, "ok", { "content-type": "text/plain" })
    streamFor(hit)?.write(event(hit.good))
  }),
  "post-202-endless-body": at("strike", (hit) => {
    streamFor(hit)?.write(event(hit.good))
    hit.response.writeHead(202, eventStream)
    pour(hit.response, "x".repeat(1024))
  }),
  "post-gzip": at("strike", (hit) => {
    streamFor(hit)?.write(event(hit.good))
    reply(hit, 202, "not gzip at all", { "content-encoding": "gzip" })
  }),
}
