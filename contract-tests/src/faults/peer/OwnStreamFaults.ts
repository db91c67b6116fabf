/** Faults of the stream that a client asks for with GET over Streamable HTTP, and of what is said on it. */
import type { ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { type Behaviour, type Behaviours, decoyText, notification, response } from "./Behaviour.ts"
import { at, event, eventStream, type HttpHit, json, openStream, pour, reply } from "./HttpHit.ts"
import { ownStreamStatuses } from "./Statuses.ts"

const answer = (hit: HttpHit) => reply(hit, 200, JSON.stringify(hit.good), json)

/** A client that asks for a stream gets one, and when it is there a call that is struck does this to it. */
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

/** What is said on the stream belongs to no call. */
const said = (text: (hit: HttpHit) => string): Behaviour =>
  onCall((own, hit) => own.write(text(hit), () => void answer(hit)))

const message = notification("notifications/message", { level: "info", data: "at work" })

/** A call is answered when what was asked on the stream has been. */
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

export const ownStreamFaults: Behaviours = {
  ...Object.fromEntries(
    ownStreamStatuses.map((status) => [
      `own-stream-${status}`,
      at("stream", (hit) => reply(hit, status, hit.script.secret, { location: hit.elsewhere })),
    ]),
  ),
  "own-stream-headers-never": at("stream", () => {}),
  "own-stream-html": at("stream", (hit) => reply(hit, 200, "<h1>Hello</h1>", { "content-type": "text/html" })),
  "own-stream-gzip": at("stream", (hit) =>
    reply(hit, 200, gzipSync(event(message)), { ...eventStream, "content-encoding": "gzip" }),
  ),
  "own-stream-refused-without-end": at("stream", (hit) => {
    hit.response.writeHead(405, { "content-type": "text/plain" })
    pour(hit.response, "x".repeat(1024))
  }),
  "own-stream-ends-at-once": at("stream", (hit) => void openStream(hit).end()),
  "own-stream-reset-before-headers": at("stream", ({ socket }) => void socket.resetAndDestroy()),
  "own-stream-reset": onCall((own, hit) => {
    own.socket?.resetAndDestroy()
    answer(hit)
  }),
  "own-stream-ends": onCall((own, hit) => {
    own.end()
    answer(hit)
  }),
  "own-stream-asks": asks,
  "own-stream-answers-the-call": said((hit) => event(response(hit.id, hit.script.saying(decoyText)))),
  "own-stream-odd-format": said(() => `: hello\r\n\r\nevent: ping\ndata: {}\n\ndata: not JSON\n\n${event([message])}`),
  "own-stream-endless-comments": onCall((own, hit) => {
    pour(own, `: ${"x".repeat(1024)}\n`)
    answer(hit)
  }),
  "own-stream-endless-messages": onCall((own, hit) => {
    pour(own, event(message).repeat(100))
    answer(hit)
  }),
  "own-stream-endless-event": onCall((own) => {
    own.write("data: ")
    pour(own, "x".repeat(64 * 1024))
  }),
}
