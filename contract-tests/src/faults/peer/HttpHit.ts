/**
 * The ways in which faults answer an HTTP request.
 */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http"
import type { Behaviour, HttpHit, Kind } from "./Behaviour.ts"

/** A fault that handles every request of a kind. */
export const at = (kind: Kind, strike: (hit: HttpHit) => void): Behaviour => ({
  http: (hit) => {
    if (hit.kind !== kind) return false
    strike(hit)
    return true
  },
})

/** Answers with a status and a body. */
export const reply = (
  { response }: HttpHit,
  status: number,
  body: string | Uint8Array = "",
  headers: OutgoingHttpHeaders = {},
): void => {
  response.writeHead(status, headers)
  response.end(body)
}

export const json = { "content-type": "application/json" }
export const eventStream = { "content-type": "text/event-stream" }

/** A server-sent event. */
export const event = (message: unknown, id?: string, retry?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}${retry === undefined ? "" : `retry: ${retry}\n`}data: ${JSON.stringify(message)}\n\n`

/** The bytes of a server-sent event with this data. */
export const eventOf = (json: string | Uint8Array): Buffer =>
  Buffer.concat([Buffer.from("event: message\ndata: "), Buffer.from(json), Buffer.from("\n\n")])

/** Opens the stream of server-sent events. */
export const openStream = ({ response }: HttpHit): ServerResponse => response.writeHead(200, eventStream)

/** Writes raw bytes to the socket, past Node's checks of a response. */
export const raw = ({ socket }: HttpHit, text: string): void => void socket.write(text, "latin1")

/** Writes without end, as fast as it is read. */
export const pour = (response: ServerResponse, chunk: string): void => {
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on("drain", more)
  more()
}
