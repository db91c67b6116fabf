/**
 * One connection of a fake editor: what arrives on it as frames, and what is written to it in order.
 */
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { BytePile } from "./BytePile.ts"
import type { FakeProtocol } from "./FakeProtocol.ts"

/** How much may wait to be read by a client that does not read, in bytes. */
const maxBacklogBytes = 2 ** 26

/** A turn of the event loop: what is on its way has arrived. */
export const turn = Effect.callback<void>((resume) => {
  const handle = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(handle))
})

/**
 * - `late`: the answers that go before the next one
 */
export class FakeConnection {
  readonly late: Array<string> = []
  private readonly pile = new BytePile()
  private readonly inOrder = Semaphore.makeUnsafe(1)
  private skipped = 0
  readonly id: number
  private readonly socket: Socket
  private readonly protocol: FakeProtocol

  constructor(id: number, socket: Socket, protocol: FakeProtocol) {
    this.id = id
    this.socket = socket
    this.protocol = protocol
  }

  get isOpen() {
    return !this.socket.destroyed && !this.socket.writableEnded
  }

  /** The frames that end in these bytes, and whether the editor closes the connection then. */
  receive(chunk: Buffer): { readonly frames: ReadonlyArray<string>; readonly closes: boolean } {
    const frames: Array<string> = []
    const { readSize } = this.protocol
    for (let at = 0; at < chunk.length; at += readSize) {
      if (this.take(chunk.subarray(at, at + readSize), frames)) return { frames, closes: true }
    }
    return { frames, closes: false }
  }

  private take(piece: Buffer, frames: Array<string>): boolean {
    const skips = Math.min(this.skipped, piece.length)
    this.skipped -= skips
    this.pile.add(piece.subarray(skips))
    for (;;) {
      const read = this.protocol.read(this.pile)
      if (read._tag === "close") return true
      if (read._tag === "wait") return false
      if (read._tag === "frame") frames.push(read.text)
      this.skipped = Math.max(0, read.size - this.pile.length)
      this.pile.drop(read.size - this.skipped)
    }
  }

  /** Writes one after the other, each when the one before it has left, and nothing else in between. */
  readonly write = (writes: ReadonlyArray<Buffer>) =>
    this.inOrder.withPermits(1)(
      Effect.forEach(writes, (bytes, at) => Effect.andThen(at === 0 ? Effect.void : turn, this.put(bytes)), {
        discard: true,
      }),
    )

  private put(bytes: Buffer) {
    return Effect.callback<void>((resume) => {
      if (!this.isOpen) return resume(Effect.void)
      const isTaken = this.socket.write(bytes)
      if (isTaken) return resume(Effect.void)
      const go = () => resume(Effect.void)
      this.socket.once("drain", go).once("close", go)
      return Effect.sync(() => this.socket.off("drain", go).off("close", go))
    })
  }

  /** Writes at once, whatever else is being written. */
  writeBeside(writes: ReadonlyArray<Buffer>) {
    if (!this.isOpen) return
    if (this.socket.writableLength > maxBacklogBytes) return void this.socket.destroy()
    for (const bytes of writes) this.socket.write(bytes)
  }

  /** What was written still arrives. */
  readonly end = () => this.socket.destroySoon()

  readonly destroy = () => this.socket.destroy()

  readonly pause = () => this.socket.pause()
  readonly resume = () => this.socket.resume()
}
