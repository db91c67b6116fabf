/**
 * The bytes with which a client opens a session over each transport that listens.
 */

import * as Messages from "@zain/testkit/Messages"
import * as Effect from "effect/Effect"
import * as RawSocket from "../RawSocket.ts"
import * as TestServer from "../TestServer.ts"

/** `undefined` omits a header; `PORT` in a header is replaced by the server's port. */
export type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A request that opens a session, and the status of its success. */
export const ways = {
  http: {
    line: "POST /mcp HTTP/1.1",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    body: Messages.initialize,
    opened: 200,
  },
  sse: { line: "GET /sse HTTP/1.1", headers: { Accept: "text/event-stream" }, body: "", opened: 200 },
  ws: {
    line: "GET /mcp HTTP/1.1",
    headers: {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    },
    body: "",
    opened: 101,
  },
} as const

export type Kind = keyof typeof ways
export const kinds: ReadonlyArray<Kind> = ["http", "sse", "ws"]

/** The bytes of a request. */
export const text = (port: number, line: string, headers: Headers, body = ""): string => {
  const all: Headers = { Host: "127.0.0.1:PORT", "Content-Length": String(body.length), ...headers }
  const lines = Object.entries(all).flatMap(([name, values]) =>
    (values === undefined ? [] : [values].flat()).map((value) => `${name}: ${value}`),
  )
  return [line, ...lines, "", ""].join("\r\n").replaceAll("PORT", String(port)) + body
}

/** The request that opens a session. */
export const opening = (kind: Kind, port: number, headers: Headers = {}, line: string = ways[kind].line): string =>
  text(port, line, { ...ways[kind].headers, ...headers }, ways[kind].body)

/** The server's response to a request: the beginning of a success, or a complete refusal. */
export const reply = (port: number, request: string) =>
  Effect.gen(function* () {
    const raw = yield* RawSocket.connect(port, request)
    yield* TestServer.eventually(() => /\r\n\r\n/.test(raw.text()))
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(raw.text())?.[1])
    return { status, text: status < 400 ? raw.text() : yield* raw.closed }
  }).pipe(Effect.scoped)

/** An open WebSocket of which the test writes every byte. */
export const upgraded = Effect.fnUntraced(function* (port: number, headers: Headers = {}) {
  const raw = yield* RawSocket.connect(port, opening("ws", port, headers))
  yield* TestServer.eventually(() => raw.text().includes("\r\n\r\n"))
  return raw
})
