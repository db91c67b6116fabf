/**
 * A socket to a fake editor: the bytes that it writes are those of the test, and those that it reads are given as they came.
 */
import { connect } from "node:net"
import { Effect } from "effect"
import { soon } from "./Running.ts"

/**
 * Every wait fails after ten seconds.
 *
 * - `text`: all that has arrived, as UTF-8; `bytes`: the same as bytes
 * - `until`: waits until `text` contains this behind so many bytes (default: 0); `untilBytes`: until there are so many bytes
 * - `write`: writes this at once; `halfClose`: ends the writing side alone
 */
export interface RawSocket {
  readonly text: () => string
  readonly bytes: () => Buffer
  /** In how many pieces that came. */
  readonly chunks: () => number
  readonly until: (part: string, behind?: number) => Effect.Effect<string>
  readonly untilBytes: (count: number) => Effect.Effect<Buffer>
  /** Waits for the end of the connection, from whichever side. */
  readonly ended: Effect.Effect<void>
  readonly write: (bytes: string | Buffer) => void
  readonly halfClose: () => void
}

/** Connects to 127.0.0.1, and leaves with the Scope. Fails where the connection is refused. */
export const open = (port: number) =>
  Effect.gen(function* () {
    const socket = yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof connect>, Error>((resume) => {
        const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
        socket.once("connect", () => resume(Effect.succeed(socket)))
        socket.on("error", (error) => resume(Effect.fail(error)))
      }),
      (socket) => Effect.sync(() => socket.destroy()),
    )
    const chunks: Array<Buffer> = []
    let [pieces, isOver] = [0, false]
    /** Joined when they are read: 8 MiB come in hundreds of pieces. */
    const bytes = () => {
      if (chunks.length > 1) chunks.splice(0, chunks.length, Buffer.concat(chunks))
      return chunks[0] ?? Buffer.alloc(0)
    }
    let waiting: Array<() => void> = []
    const wake = () => {
      const woken = waiting
      waiting = []
      for (const look of woken) look()
    }
    socket.on("data", (chunk) => {
      chunks.push(chunk)
      pieces++
      wake()
    })
    const over = () => {
      isOver = true
      wake()
    }
    socket.on("end", over).on("close", over)
    const when = (holds: () => boolean) =>
      soon(
        Effect.callback<void>((resume) => {
          const look = () => (holds() ? resume(Effect.void) : void waiting.push(look))
          look()
        }),
      )
    const raw: RawSocket = {
      text: () => bytes().toString(),
      bytes,
      chunks: () => pieces,
      until: (part, behind = 0) =>
        Effect.map(
          when(() => bytes().includes(part, behind)),
          () => bytes().toString(),
        ),
      untilBytes: (count) =>
        Effect.map(
          when(() => chunks.reduce((sum, chunk) => sum + chunk.length, 0) >= count),
          bytes,
        ),
      ended: when(() => isOver),
      write: (bytes) => void socket.write(bytes),
      halfClose: () => void socket.end(),
    }
    return raw
  })

/** Waits until this holds, and looks once a turn of the event loop. */
export const eventually = (holds: () => boolean) =>
  soon(
    Effect.callback<void>((resume) => {
      const look = () => (holds() ? resume(Effect.void) : void setImmediate(look))
      look()
    }),
  )
