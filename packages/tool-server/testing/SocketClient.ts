/**
 * A WebSocket client that sends any text.
 */
import { Readable } from "node:stream"
import * as Messages from "@zain/testkit/Messages"
import * as Effect from "effect/Effect"
import { type ClientOptions, WebSocket } from "ws"
import * as TestServer from "./TestServer.ts"

/** The code and reason with which a socket was closed. */
export interface Closed {
  readonly code: number
  readonly reason: string
}

/**
 * - `heard`: every message of the server, in order
 * - `stream`: the socket's TCP connection
 * - `ask`: sends a request and returns its answer
 * - `closed`: waits until the socket is closed
 */
export interface SocketClient {
  readonly socket: WebSocket
  readonly stream: Readable
  readonly heard: ReadonlyArray<Messages.Message>
  readonly ask: (text: string, id: string | number | null) => Effect.Effect<Messages.Message>
  readonly closed: Effect.Effect<Closed>
}

export interface Options extends ClientOptions {
  readonly offered?: ReadonlyArray<string>
}

/** Opens a socket. */
export const open = Effect.fnUntraced(function* (url: string, { offered = ["mcp"], ...options }: Options = {}) {
  const heard: Array<Messages.Message> = []
  let stream: Readable = Readable.from([])
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => new WebSocket(url, [...offered], options)),
    (one) => Effect.sync(() => one.terminate()),
  )
  const closed = new Promise<Closed>((resolve) => {
    socket.on("close", (code, reason) => resolve({ code, reason: String(reason) }))
  })
  socket.on("message", (data) => void heard.push(JSON.parse(String(data))))
  socket.on("upgrade", (response) => {
    stream = response.socket
  })
  yield* Effect.callback<void, Error>((resume) => {
    socket.on("error", (error) => resume(Effect.fail(error)))
    socket.on("open", () => resume(Effect.void))
  })
  const ask: SocketClient["ask"] = (text, id) =>
    Effect.suspend(() => {
      socket.send(text)
      return TestServer.answerIn(heard, id)
    })
  const client: SocketClient = { socket, stream, heard, ask, closed: Effect.promise(() => closed) }
  return client
})

/** An initialized client. */
export const session = Effect.fnUntraced(function* (url: string, options: Options = {}) {
  const client = yield* open(url, options)
  yield* client.ask(Messages.initialize, "initialize")
  client.socket.send(Messages.initialized)
  return client
})
