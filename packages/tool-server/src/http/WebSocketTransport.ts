/**
 * Serves one client over a WebSocket, one JSON-RPC message per text frame.
 *
 * @see docs/internals/promises.md, 27 to 30; RFC 6455, section 7.4, for the codes that a socket is closed with
 */
import type { Socket } from "node:net"
import type { RequestId } from "@modelcontextprotocol/sdk/types.js"
import * as JsonText from "@zain/process/JsonText"
import * as Result from "effect/Result"
import type { RawData, WebSocket } from "ws"
import * as Batch from "../Batch.ts"
import * as JsonRpcMessage from "../JsonRpcMessage.ts"
import type { PacedTransport } from "../PacedTransport.ts"
import type { Incoming, Part } from "./IncomingBudget.ts"
import type { SlowReaders } from "./StalledReader.ts"
import * as WebSocketHeartbeat from "./WebSocketHeartbeat.ts"

type Limits = WebSocketHeartbeat.Times & JsonRpcMessage.Bounds

/**
 * Makes a transport for the SDK. Starting it opens the socket. It closes with its client, and disconnects a client that does
 * not initialize a session, has vanished, or leaves too much unread.
 *
 * @param connection the socket's TCP connection
 * @param accept opens the socket synchronously, or rejects the client
 * @param watch watches whether the client reads
 * @param incoming the budget of incomplete messages
 */
export const make = (
  connection: Socket,
  accept: (opened: (socket: WebSocket) => void) => void,
  watch: SlowReaders,
  incoming: Incoming,
  limits: Limits,
): PacedTransport => {
  let socket: WebSocket | undefined
  let heartbeat: WebSocketHeartbeat.WebSocketHeartbeat | undefined
  let initialize: RequestId | undefined
  let arriving: Part | undefined
  let isClosed = false

  const over = () => {
    if (isClosed) return
    isClosed = true
    heartbeat?.forget()
    arriving?.end()
    transport.onclose?.()
  }
  const close = (code: number, reason: string) => {
    if (isClosed) return
    // The client's close frame must be read.
    socket?.resume()
    socket?.close(code, reason)
    over()
  }

  const slow = watch(connection, () => close(1013, "This client reads too slowly."))
  /** Resumes reading from a client that has caught up. */
  const left = () => {
    if (isClosed || socket?.isPaused !== true || slow.isBehind()) return
    heartbeat?.caughtUp()
    socket.resume()
  }
  const write = (message: object) => {
    if (isClosed || socket?.readyState !== socket?.OPEN) return
    socket?.send(JsonText.write(message), left)
    // Stops reading from a client that does not read.
    if (slow.wrote()) socket?.pause()
  }

  const tooMuch = () => {
    close(1013, "This server is receiving too much data at once.")
    connection.destroySoon()
  }
  const count = (bytes: Buffer) => {
    if (isClosed) return
    arriving ??= incoming(tooMuch)
    arriving.more(bytes.length)
  }
  const read = (data: RawData, isBinary: boolean) => {
    arriving?.end()
    arriving = undefined
    if (isClosed) return
    if (isBinary) return close(1003, "A message must be a text frame.")
    const message = JsonRpcMessage.parse(String(data), limits, transport.onbatch !== undefined)
    if (Result.isFailure(message)) return write(JsonRpcMessage.refusal(message.failure))
    const asked = message.success
    if (Batch.isBatch(asked)) return transport.onbatch?.(asked, write)
    if ("method" in asked && "id" in asked && asked.method === "initialize") initialize = asked.id
    transport.onmessage?.(asked)
  }

  const opened = (given: WebSocket) => {
    socket = given
    heartbeat = WebSocketHeartbeat.make(given, connection, limits, () =>
      close(1008, "No session was initialized in time."),
    )
    given.on("message", read).on("close", over)
    connection.on("data", count)
    // A close event follows each error.
    given.on("error", () => {})
  }

  const transport: PacedTransport = {
    start: async () => {
      accept(opened)
      if (socket === undefined) over()
    },
    send: async (message) => {
      if (!("method" in message) && message.id !== undefined && message.id === initialize) {
        initialize = undefined
        if ("result" in message) heartbeat?.begun()
      }
      write(message)
    },
    close: async () => close(1001, "This server is shutting down."),
    room: slow.room,
  }
  return transport
}
