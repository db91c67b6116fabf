/**
 * One client at the other end of our own pipes, a JSON-RPC message a line.
 *
 * @see Model Context Protocol 2025-11-25, transports, stdio
 */
import type { Readable, Writable } from "node:stream"
import * as LineFramer from "@zain/process/LineFramer"
import * as Result from "effect/Result"
import * as JsonRpcMessage from "./JsonRpcMessage.ts"
import * as ReadingRoom from "./ReadingRoom.ts"
import type { PacedTransport } from "./ToolServer.ts"

/** The longest line of a client, and the most that waits for a client that does not read, in bytes. */
const limit = 64 * 1024 * 1024

/**
 * A transport for the SDK. It closes when either pipe ends, and when a client leaves too much unread.
 *
 * @param input what the client writes
 * @param output what the client reads; nothing else may be written to it
 */
export const make = (input: Readable, output: Writable): PacedTransport => {
  let isClosed = false
  let outgoing = ""

  const flush = () => {
    const lines = outgoing
    outgoing = ""
    if (lines === "") return
    if (output.writableLength > limit) return close()
    output.write(lines)
  }
  /** What is said in one turn of the event loop goes out with one write. */
  const write = (message: object) => {
    if (isClosed) return
    const line = `${JSON.stringify(message)}\n`
    if (outgoing === "") queueMicrotask(flush)
    outgoing += line
  }
  const refuse = (problem: JsonRpcMessage.Problem) => write(JsonRpcMessage.refusal(problem))

  const framer = LineFramer.make(limit, {
    line: (line) => {
      if (isClosed || line.trim() === "") return
      const message = JsonRpcMessage.parse(line)
      if (Result.isSuccess(message)) transport.onmessage?.(message.success)
      else refuse(message.failure)
    },
    garbled: () => {
      if (!isClosed) refuse(JsonRpcMessage.notJson)
    },
    oversize: () => refuse(JsonRpcMessage.invalid(`A line is longer than ${limit} bytes.`)),
  })

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
    room: ReadingRoom.make(output, ReadingRoom.ahead).room,
  }
  return transport
}
