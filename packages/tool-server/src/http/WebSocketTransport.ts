/**
 * One client at the other end of a WebSocket, a JSON-RPC message a text frame.
 *
 * @see promises 27 to 30; RFC 6455, section 7.4, for the codes that a socket is closed with
 */
import type { Socket } from "node:net"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import type { RawData, WebSocket } from "ws"
import * as JsonRpcMessage from "../JsonRpcMessage.ts"
import type { HttpLimits } from "./HttpLimits.ts"
import * as SlowReader from "./SlowReader.ts"

type Limits = Pick<
  HttpLimits,
  "maxDepth" | "maxElements" | "maxUnreadBytes" | "patience" | "requestTimeout" | "keepAlive"
>

/**
 * A transport for the SDK. Starting it opens the socket. It closes with its client, and lets go of one that says nothing at
 * first, that is no longer there, or that leaves too much unread.
 *
 * @param connection what carries the socket
 * @param accept opens the socket at once, or refuses the client
 */
export const make = (
  connection: Socket,
  accept: (opened: (socket: WebSocket) => void) => void,
  limits: Limits,
): Transport => {
  let socket: WebSocket | undefined
  let forget = () => {}
  let isClosed = false

  const over = () => {
    if (isClosed) return
    isClosed = true
    forget()
    transport.onclose?.()
  }
  const close = (code: number, reason: string) => {
    if (isClosed) return
    socket?.close(code, reason)
    over()
  }

  const write = (message: object) => {
    if (isClosed || socket?.readyState !== socket?.OPEN) return
    socket?.send(JSON.stringify(message))
    const isBehind = SlowReader.watch(connection, limits, () => close(1013, "This client reads too slowly."))
    if (isBehind && socket?.isPaused === false) {
      // Who does not read what it is told is not listened to.
      socket.pause()
      connection.once("drain", () => socket?.resume())
    }
  }

  const read = (data: RawData, isBinary: boolean) => {
    if (isClosed) return
    if (isBinary) return close(1003, "A message is a text frame.")
    const message = JsonRpcMessage.parse(String(data), limits)
    if (Result.isSuccess(message)) transport.onmessage?.(message.success)
    else write(JsonRpcMessage.refusal(message.failure))
  }

  const opened = (given: WebSocket) => {
    socket = given
    forget = attend(given, limits, () => close(1008, "No message has come."))
    given.on("message", read).on("close", over)
    // The socket is closed after an error, and says so.
    given.on("error", () => {})
  }

  const transport: Transport = {
    start: async () => {
      accept(opened)
      if (socket === undefined) over()
    },
    send: async (message) => write(message),
    close: async () => close(1001, "This server is ending."),
  }
  return transport
}

/**
 * Asks again and again whether a client is there, and ends the connection of one that has not said so when it is asked
 * the next time: its machine may have gone without a word.
 *
 * @param silent called when no message has come in time
 * @returns ends that
 */
const attend = (socket: WebSocket, { keepAlive, requestTimeout }: Limits, silent: () => void): (() => void) => {
  let isThere = true
  const seen = () => {
    isThere = true
  }
  const ask = () => {
    if (socket.isPaused) return
    if (isThere) {
      isThere = false
      socket.ping()
      return
    }
    // After a busy while its answer may have come, and not been read.
    setImmediate(() => {
      if (!isThere) socket.terminate()
    })
  }
  const first = setTimeout(silent, Duration.toMillis(requestTimeout))
  const asking = setInterval(ask, Duration.toMillis(keepAlive))
  socket.once("message", () => clearTimeout(first))
  socket.on("message", seen).on("pong", seen)
  return () => {
    clearTimeout(first)
    clearInterval(asking)
  }
}
