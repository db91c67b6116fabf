/**
 * Serves one client over standard input and output: one JSON-RPC message per line or, for clients that start so, with the
 * headers of the Language Server Protocol.
 *
 * @see Model Context Protocol 2025-11-25, transports, stdio
 */
import type { Readable, Writable } from "node:stream"
import * as JsonText from "@zain/process/JsonText"
import * as LineFramer from "@zain/process/LineFramer"
import * as Result from "effect/Result"
import * as Batch from "./Batch.ts"
import * as HeaderFramer from "./HeaderFramer.ts"
import * as JsonRpcMessage from "./JsonRpcMessage.ts"
import type { PacedTransport } from "./PacedTransport.ts"
import * as ReadingRoom from "./ReadingRoom.ts"

/** The longest line of a client, and the default of `maxUnreadBytes`, in bytes. */
const limit = 64 * 1024 * 1024

/** The official SDK's client ends a connection at a message of more than 10 MiB. */
export const usualResult = 8 * 1024 * 1024

/** The options of the pipes. */
export interface StdioOptions {
  /** True to accept and answer `Content-Length` framing if the client's first bytes are such a header. False by default. */
  readonly contentLength?: boolean
  /** How many bytes may be unread by the client, and so the largest answer. 64 MiB by default. */
  readonly maxUnreadBytes?: number
  /** The largest result for a client that declares no limit of its own, in bytes. 8 MiB by default. */
  readonly maxResultBytes?: number
}

/**
 * Makes a transport for the SDK. It closes when either pipe ends, and when a client leaves too much unread.
 *
 * @param input the stream that the client writes
 * @param output the stream that the client reads; no other data may be written to it
 */
export const make = (
  input: Readable,
  output: Writable,
  { contentLength = false, maxResultBytes = usualResult, maxUnreadBytes = limit }: StdioOptions = {},
): PacedTransport => {
  let isClosed = false
  let outgoing = ""
  let frame = (text: string) => `${text}\n`

  const flush = () => {
    const lines = outgoing
    outgoing = ""
    if (lines === "") return
    if (output.writableLength > maxUnreadBytes) return close()
    output.write(lines)
  }
  /** Messages of one turn of the event loop are sent with one write. */
  const write = (message: object) => {
    if (isClosed) return
    if (outgoing === "") queueMicrotask(flush)
    outgoing += frame(JsonText.write(message))
  }
  const refuse = (problem: JsonRpcMessage.Problem) => write(JsonRpcMessage.refusal(problem))

  const take = (text: string) => {
    if (isClosed || text.trim() === "") return
    const message = JsonRpcMessage.parse(text, JsonRpcMessage.defaults, transport.onbatch !== undefined)
    if (Result.isFailure(message)) refuse(message.failure)
    else if (Batch.isBatch(message.success)) transport.onbatch?.(message.success, write)
    else transport.onmessage?.(message.success)
  }
  const lines = LineFramer.make(limit, {
    line: take,
    garbled: () => {
      if (!isClosed) refuse(JsonRpcMessage.notJson)
    },
    oversize: () => refuse(JsonRpcMessage.invalid(`A line is longer than ${limit} bytes.`)),
  })
  const withHeaders = () => {
    frame = (text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
    return HeaderFramer.make(limit, {
      message: take,
      broken: (problem) => {
        refuse(JsonRpcMessage.invalid(problem))
        close()
      },
    })
  }
  const framer = contentLength ? HeaderFramer.choose(withHeaders, lines) : lines

  const close = () => {
    if (isClosed) return
    isClosed = true
    flush()
    input.removeListener("data", framer)
    input.pause()
    transport.onclose?.()
  }

  const transport: PacedTransport = {
    start: async () => {
      output.on("error", close).once("close", close)
      input.on("error", close).once("end", close).once("close", close)
      input.on("data", framer)
    },
    send: async (message) => write(message),
    close: async () => close(),
    maxResultBytes,
    room: ReadingRoom.make(output, ReadingRoom.ahead).room,
  }
  return transport
}
