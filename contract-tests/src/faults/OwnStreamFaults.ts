/**
 * Faults of the stream that a client opens with GET over Streamable HTTP, for messages outside a call. However it ends,
 * calls continue.
 */
import type { ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { answers, dueOn, type Fault, fails, unknown } from "./Fault.ts"
import { type Behaviour, decoyText, type HttpHit, notification, response } from "./peer/Behaviour.ts"
import { event, eventStream, json, openStream, pour, reply } from "./peer/HttpHit.ts"

const only = dueOn("streamable-http")
const harmless = (id: string, title: string, promises: ReadonlyArray<number>) =>
  only(answers)(`own-stream-${id}`, title, promises)

const message = notification("notifications/message", { level: "info", data: "at work" })

const refusals: ReadonlyArray<Fault> = [
  ...[204, 307, 400, 401, 404, 405, 409, 429, 500, 503].map((status) =>
    harmless(String(status), `answers a GET with ${status}`, status === 307 ? [17, 20] : [17]).at("stream", (hit) =>
      reply(hit, status, hit.script.secret, { location: hit.elsewhere }),
    ),
  ),
  harmless("headers-never", "never answers a GET, not even with headers", [1, 9, 13]).at("stream", () => {}),
  harmless("html", "answers a GET with a page", [24]).at("stream", (hit) =>
    reply(hit, 200, "<h1>Hello</h1>", { "content-type": "text/html" }),
  ),
  harmless("gzip", "answers a GET with gzip, which was not asked for", [14]).at("stream", (hit) =>
    reply(hit, 200, gzipSync(event(message)), { ...eventStream, "content-encoding": "gzip" }),
  ),
  harmless("refused-without-end", "answers a GET with 405 and a text that never ends", [13, 14]).at("stream", (hit) => {
    hit.response.writeHead(405, { "content-type": "text/plain" })
    pour(hit.response, "x".repeat(1024))
  }),
]

const answer = (hit: HttpHit) => reply(hit, 200, JSON.stringify(hit.good), json)

/** Opens the client's stream, and acts on it when the struck call arrives. */
const onCall = (strike: (own: ServerResponse, hit: HttpHit) => void): Behaviour => ({
  http: (hit) => {
    const { kind, remember, response: out } = hit
    if (kind === "stream" || kind === "resume") {
      openStream(hit).flushHeaders()
      remember["own"] = out
    } else if (kind === "strike") remember["struck"] = hit
    else return false
    const own = remember["own"] as ServerResponse | undefined
    const struck = remember["struck"] as HttpHit | undefined
    if (own === undefined || own.destroyed || struck === undefined) return true
    remember["struck"] = undefined
    strike(own, struck)
    return true
  },
})

/** Acts on the stream, then answers the call. */
const beside = (act: (own: ServerResponse) => void): Behaviour =>
  onCall((own, hit) => {
    act(own)
    answer(hit)
  })

/** Writes to the stream, then answers the call. */
const said = (text: (hit: HttpHit) => string): Behaviour =>
  onCall((own, hit) => own.write(text(hit), () => void answer(hit)))

const ends: ReadonlyArray<Fault> = [
  harmless("ends-at-once", "answers a GET with a stream and ends it", [17]).at("stream", (hit) =>
    openStream(hit).end(),
  ),
  harmless("reset-before-headers", "resets the connection of a GET", [17]).at(
    "stream",
    ({ socket }) => void socket.resetAndDestroy(),
  ),
  harmless("ends", "ends the stream of a GET in the middle of a call", [4, 16]).by(
    "call",
    beside((own) => own.end()),
  ),
  harmless("reset", "resets the stream of a GET in the middle of a call", [4, 16]).by(
    "call",
    beside((own) => own.socket?.resetAndDestroy()),
  ),
]

/** Sends a request on the stream, and answers the call after the client's response to it. */
const asking = onCall((own, hit) => {
  hit.remember["waiting"] = hit
  own.write(event({ jsonrpc: "2.0", id: "own", method: "ping" }))
})
const asks: Behaviour = {
  http: (hit) => {
    if (hit.kind !== "answer") return asking.http?.(hit) === true
    reply(hit, 202)
    const waiting = hit.remember["waiting"] as HttpHit | undefined
    hit.remember["waiting"] = undefined
    if (waiting !== undefined) answer(waiting)
    return true
  },
}

const words: ReadonlyArray<Fault> = [
  harmless("asks", "sends a request on the stream of a GET, and answers the call after the response", [23]).by(
    "call",
    asks,
  ),
  harmless("answers-the-call", "answers the call wrongly on the stream of a GET, then correctly", [2]).by(
    "call",
    said((hit) => event(response(hit.id, hit.script.saying(decoyText)))),
  ),
  harmless("odd-format", "sends events that are no messages on the stream of a GET", [24]).by(
    "call",
    said(() => `: hello\r\n\r\nevent: ping\ndata: {}\n\ndata: not JSON\n\n${event([message])}`),
  ),
  harmless("endless-comments", "streams comments to a GET as fast as they are read", [14, 15, 16]).by(
    "call",
    beside((own) => pour(own, `: ${"x".repeat(1024)}\n`)),
  ),
  harmless("endless-messages", "streams notifications to a GET as fast as they are read", [14, 15, 16]).by(
    "call",
    beside((own) => pour(own, event(message).repeat(100))),
  ),
  only(fails(unknown("message-too-large"), "as-after-cancel"))(
    "own-stream-endless-event",
    "streams an event that never ends to a GET, and does not answer the call",
    [14, 15, 16],
  ).by(
    "call",
    onCall((own) => {
      own.write("data: ")
      pour(own, "x".repeat(64 * 1024))
    }),
  ),
]

/** Every fault of the stream of a GET. */
export const ownStreamFaults: ReadonlyArray<Fault> = [...refusals, ...ends, ...words]
