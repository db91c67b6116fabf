/**
 * Serves the sessions of one client, each over a connection to a socket of its own. The client names the socket and a token
 * in one line of JSON on the server's input, and waits for a line on its output. A connection begins with the token.
 *
 * @see docs/internals/promises.md, 8 and 11
 */
import { timingSafeEqual } from "node:crypto"
import { createServer, type Socket } from "node:net"
import type { Readable, Writable } from "node:stream"
import * as JsonRpc from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import * as StdioTransport from "./StdioTransport.ts"
import type { ToolServer } from "./ToolServer.ts"

/** How long a first line may be, in bytes. */
const maxLineBytes = 4_096

/** How long a connection may take to send its token. */
const patience = "10 seconds"

/** Serves until the input ends. */
export const serve = Effect.fnUntraced(function* (
  server: ToolServer,
  input: Readable,
  output: Writable,
  stdio: StdioTransport.StdioOptions,
): Effect.fn.Return<void, never, Scope.Scope> {
  const ended = Effect.callback<void>((resume) => {
    input.once("close", () => resume(Effect.void))
  })
  yield* Effect.raceFirst(
    ended,
    Effect.gen(function* () {
      const { path, token } = JsonRpc.parseObject(yield* firstLine(input)) ?? {}
      if (typeof path !== "string" || typeof token !== "string" || token === "") return
      input.resume()
      const sessions = yield* FiberSet.make()
      const run = yield* FiberSet.runtime(sessions)()
      yield* listen(path, (socket) => void run(session(server, socket, token, stdio)))
      output.write("{}\n")
      return yield* Effect.never
    }),
  )
})

/** The connection ends after its session, for which the client waits, or with the process. */
const session = (server: ToolServer, socket: Socket, token: string, stdio: StdioTransport.StdioOptions) =>
  Effect.gen(function* () {
    const given = yield* Effect.timeoutOrElse(firstLine(socket), {
      duration: patience,
      orElse: () => Effect.succeed(""),
    })
    if (!isEqual(given, token)) return
    const { ended } = yield* server.session(StdioTransport.make(socket, socket, stdio))
    if (socket.destroyed) return
    socket.resume()
    yield* ended
  }).pipe(
    Effect.scoped,
    Effect.tap(() => Effect.sync(() => socket.destroySoon())),
  )

const isEqual = (given: string, token: string): boolean =>
  Buffer.byteLength(given) === Buffer.byteLength(token) && timingSafeEqual(Buffer.from(given), Buffer.from(token))

const listen = (path: string, connected: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const listener = createServer({ allowHalfOpen: true }, (socket) => {
        socket.on("error", () => {})
        connected(socket)
      })
      listener.on("error", (error) => resume(Effect.die(error)))
      listener.listen(path, () => resume(Effect.succeed(listener)))
    }),
    (listener) => Effect.sync(() => void listener.close()),
  )

/** The first line of a stream, of which the rest stays unread; empty if the stream ends, or if the line is too long. */
const firstLine = (stream: Readable): Effect.Effect<string> =>
  Effect.callback((resume) => {
    let read = Buffer.alloc(0)
    const stop = (line: string) => {
      stream.off("data", more).off("close", over).pause()
      resume(Effect.succeed(line))
    }
    const over = () => stop("")
    const more = (chunk: Buffer) => {
      read = Buffer.concat([read, chunk])
      const end = read.indexOf(10)
      if (end < 0) return read.length > maxLineBytes ? over() : undefined
      stop(read.toString("utf8", 0, end))
      if (end + 1 < read.length) stream.unshift(read.subarray(end + 1))
    }
    stream.on("data", more).once("close", over)
    return Effect.sync(() => void stream.off("data", more).off("close", over))
  })
