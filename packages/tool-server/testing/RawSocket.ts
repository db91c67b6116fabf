/**
 * A connection of which the test writes every byte, and invalid WebSocket frames.
 */
import * as net from "node:net"
import { soon } from "@zain/testkit/Running"
import * as Effect from "effect/Effect"

/**
 * - `text`: the received bytes, one character each
 * - `closed`: waits ten seconds until the server has closed the connection, and returns the received text
 */
export interface RawSocket {
  readonly socket: net.Socket
  readonly text: () => string
  readonly closed: Effect.Effect<string>
}

export const connect = (port: number, first: string | Buffer = "") =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => net.connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {})),
      (socket) => Effect.sync(() => socket.destroy()),
    ),
    (socket): RawSocket => {
      let text = ""
      socket.setEncoding("latin1").on("data", (chunk) => {
        text += chunk
      })
      const closed = new Promise<string>((resolve) => {
        socket.once("end", () => resolve(text)).once("close", () => resolve(text))
      })
      socket.write(first)
      return { socket, text: () => text, closed: soon(Effect.promise(() => closed)) }
    },
  )

export const opcodes = { more: 0, text: 1, binary: 2, close: 8, ping: 9 } as const

/**
 * A frame of a client.
 *
 * @param bits `fin`: the last frame of its message; `compressed`: the compression bit; `length`: the declared length
 */
export const frame = (
  opcode: keyof typeof opcodes,
  payload: string | Buffer = "",
  bits: { readonly fin?: boolean; readonly compressed?: boolean; readonly length?: number } = {},
): Buffer => {
  const body = Buffer.from(payload)
  const length = bits.length ?? body.length
  const head = Buffer.alloc(14)
  head[0] = (bits.fin === false ? 0 : 0x80) | (bits.compressed === true ? 0x40 : 0) | opcodes[opcode]
  const size = length < 126 ? 0 : length < 65_536 ? 2 : 8
  head[1] = 0x80 | (size === 0 ? length : size === 2 ? 126 : 127)
  if (size === 2) head.writeUInt16BE(length, 2)
  if (size === 8) head.writeBigUInt64BE(BigInt(length), 2)
  // The mask is four zeros, which leave the payload unchanged.
  return Buffer.concat([head.subarray(0, 2 + size + 4), body])
}

/** The code and reason of the server's close frame. */
export const closing = (text: string): { readonly code: number; readonly reason: string } | undefined => {
  const bytes = Buffer.from(text, "latin1")
  const at = bytes.lastIndexOf(0x88)
  if (at < 0 || bytes.length < at + 4) return undefined
  return {
    code: bytes.readUInt16BE(at + 2),
    reason: bytes.toString("utf8", at + 4, at + 2 + (bytes[at + 1] as number)),
  }
}
