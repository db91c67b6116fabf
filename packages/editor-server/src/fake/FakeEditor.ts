/**
 * An editor that is none: a listener on this machine, its connections, and what a test has it do.
 */
import { createServer, type Server, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** What has happened, in order. `text`: of a frame that was received. */
export type Seen =
  | { readonly event: "opened" | "closed"; readonly connection: number }
  | { readonly event: "received"; readonly connection: number; readonly text: string; readonly message: unknown }

/**
 * How the next answer goes wrong.
 *
 * - `split-bytes`: one byte at a time; `joined`: in one piece with a notice before and after it
 * - `bytes`: these bytes in its place
 * - `silence`: none; `close`: the connection ends in its place; `close-mid-frame`: in the middle of it
 * - `hold`: it waits for `release`
 * - `twice`: it comes twice; `unknown-id`: a stranger's answer before it
 * - `big`: with so many bytes of text
 */
export type Fault =
  | {
      readonly kind:
        | "split-bytes"
        | "joined"
        | "silence"
        | "close"
        | "close-mid-frame"
        | "hold"
        | "twice"
        | "unknown-id"
    }
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "big"; readonly size: number }

/**
 * - `port`: where it listens on 127.0.0.1
 * - `seen`: all that has happened
 * - `fault`: how the next answers go wrong, one each
 * - `release`: sends the answers that were held
 * - `say`: sends a message over every connection
 * - `stop`: ends all connections, and refuses more; `restart`: listens again on the same port
 */
export interface FakeEditor {
  readonly port: number
  readonly seen: ReadonlyArray<Seen>
  readonly fault: (...faults: ReadonlyArray<Fault>) => void
  readonly release: () => void
  readonly say: (message: object) => void
  readonly stop: Effect.Effect<void>
  readonly restart: Effect.Effect<void>
}

/**
 * What is different about an editor.
 *
 * - `frame`: the bytes of a message
 * - `reader`: takes the bytes of a connection, and gives the texts of its frames; `undefined` where it cannot go on
 * - `answer`: what a message is answered, and what is sent after that; nothing if it is no call
 * - `stranger`: an answer to a call that nobody made
 * - `notice`: what `joined` has around an answer
 */
export interface Editor {
  readonly frame: (text: string) => ReadonlyArray<Buffer>
  readonly reader: () => (chunk: Buffer) => ReadonlyArray<string> | undefined
  readonly answer: (message: unknown, say: (message: object) => void) => object | undefined
  readonly stranger: object
  readonly notice: object
  readonly enlarge: (answer: object, size: number) => object
}

/** How many connections there may be, and the most that is kept of what has happened. */
const mostConnections = 64
const mostSeen = 100_000

/** Listens until the Scope closes. @param port any free one if it is 0 */
export const start = (editor: Editor, port = 0): Effect.Effect<FakeEditor, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const seen: Array<Seen> = []
    const sockets = new Set<Socket>()
    const faults: Array<Fault> = []
    const held: Array<() => void> = []
    let count = 0
    const note = (event: Seen) => {
      if (seen.length < mostSeen) seen.push(event)
    }
    const write = (socket: Socket, message: object) => {
      for (const piece of editor.frame(JSON.stringify(message))) if (!socket.destroyed) socket.write(piece)
    }
    const bytesOf = (message: object) => Buffer.concat([...editor.frame(JSON.stringify(message))])
    const reply = (socket: Socket, answer: object) => {
      const fault = faults.shift()
      switch (fault?.kind) {
        case undefined:
          return write(socket, answer)
        case "split-bytes":
          for (const byte of bytesOf(answer)) socket.write(Buffer.from([byte]))
          return
        case "joined":
          return void socket.write(Buffer.concat([editor.notice, answer, editor.notice].map(bytesOf)))
        case "bytes":
          return void socket.write(fault.bytes)
        case "silence":
          return
        case "close":
          return void socket.destroy()
        case "close-mid-frame": {
          const bytes = bytesOf(answer)
          return void socket.write(bytes.subarray(0, bytes.length - 3), () => socket.destroy())
        }
        case "hold":
          return void held.push(() => write(socket, answer))
        case "twice":
          write(socket, answer)
          return write(socket, answer)
        case "unknown-id":
          write(socket, editor.stranger)
          return write(socket, answer)
        case "big":
          return write(socket, editor.enlarge(answer, fault.size))
      }
    }
    const serve = (socket: Socket) => {
      if (sockets.size >= mostConnections) return void socket.destroy()
      const connection = ++count
      const read = editor.reader()
      sockets.add(socket)
      note({ event: "opened", connection })
      socket.setNoDelay(true)
      socket
        .on("error", () => {})
        .on("close", () => {
          sockets.delete(socket)
          note({ event: "closed", connection })
        })
      socket.on("data", (chunk) => {
        const texts = read(chunk)
        if (texts === undefined) return void socket.destroy()
        for (const text of texts) {
          const message = parse(text)
          note({ event: "received", connection, text, message })
          const answer = editor.answer(message, (more) => setImmediate(() => write(socket, more)))
          if (answer !== undefined) reply(socket, answer)
        }
      })
    }
    const listen = (at: number) =>
      Effect.callback<Server, Error>((resume) => {
        const server = createServer(serve)
        server.once("error", ({ message }) =>
          resume(Effect.fail(new Error(`The fake editor cannot listen: ${message}.`))),
        )
        server.listen(at, "127.0.0.1", () => resume(Effect.succeed(server)))
      })
    const end = (server: Server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of sockets) socket.destroy()
      })
    let server = yield* listen(port)
    let isUp = true
    const address = server.address()
    const chosen = typeof address === "object" && address !== null ? address.port : port
    const stop = Effect.suspend(() => {
      if (!isUp) return Effect.void
      isUp = false
      return end(server)
    })
    yield* Effect.addFinalizer(() => stop)
    return {
      port: chosen,
      seen,
      fault: (...more) => void faults.push(...more),
      release: () => {
        for (const send of held.splice(0)) send()
      },
      say: (message) => {
        for (const socket of sockets) write(socket, message)
      },
      stop,
      restart: Effect.orDie(
        Effect.map(listen(chosen), (again) => {
          server = again
          isUp = true
        }),
      ),
    }
  })

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
