/**
 * A fake editor: it listens on 127.0.0.1, speaks an editor's protocol, and fails by the faults that are set.
 */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { FaultSpan, Faults } from "./EditorFault.ts"
import { FakeConnection, turn } from "./FakeConnection.ts"
import type { FakeProtocol, NamedTool } from "./FakeProtocol.ts"
import * as FaultyAnswers from "./FaultyAnswers.ts"
import { type Seen, SeenLog } from "./SeenLog.ts"

export interface FakeOptions<Name extends string> {
  /** Where it listens (default: any free port). */
  readonly port?: number
  /** The faults that are set from the beginning on, for every call. */
  readonly faults?: ReadonlyArray<Name>
  /** The directory of the project that the editor has open (default: one that does not exist). */
  readonly project?: string
}

/** The project that is open where none is named, and the one of `wrong-project`. */
export const [usualProject, wrongProject] = ["/projects/FakeGame", "/projects/AnotherGame"]

/** A fake editor. `Name`: the names of the faults that its protocol has. */
export interface FakeEditor<Name extends string = string> {
  /** The port on which it listens. */
  readonly port: number
  /** Connections opened and closed, and the frames that arrived, in order; the newest 20,000, up to 64 MiB. */
  readonly seen: ReadonlyArray<Seen>
  /** Controls for tests. */
  readonly control: Control<Name>
}

/**
 * - `fault`: sets a fault; `calm`: ends one, or all
 * - `hold`: keeps back the answers to calls until `release`; `held`: how many answers are kept back now
 */
export interface Control<Name extends string> {
  readonly fault: (name: Name, span?: FaultSpan) => void
  readonly calm: (name?: Name) => void
  readonly hold: () => void
  readonly release: () => void
  readonly held: () => number
  /** Which tools there are from now on; every connection receives the notice that the protocol has for it. */
  readonly setTools: (tools: ReadonlyArray<NamedTool>) => Effect.Effect<void>
  /** Writes a text to every connection, in a frame. */
  readonly send: (text: string) => Effect.Effect<void>
  /** Closes the listener and all connections, as a domain reload does; requests that wait are never answered. */
  readonly reload: Effect.Effect<void>
  /** Closes everything like `reload`, and stays away. */
  readonly quit: Effect.Effect<void>
  /** Listens on the same port again. */
  readonly reopen: Effect.Effect<void, Error>
  /** The number of open connections. */
  readonly connections: () => number
}

/** How many connections may be open, and how many requests of one may wait. */
const [maxConnections, maxWaiting] = [64, 1024]

/** A request that waits for its turn. `value`: its JSON, `undefined` where it is none; `era`: how often the editor had closed everything when it came. */
interface Waiting {
  readonly connection: FakeConnection
  readonly value: unknown
  readonly era: number
}

/** Keeps answers back until they are released, or their connections are over. */
const makeGate = (faults: Faults) => {
  let [released, over, held] = [Latch.makeUnsafe(false), Latch.makeUnsafe(false), 0]
  const passed = Effect.suspend(() => {
    held++
    return Effect.ensuring(
      Effect.raceFirst(released.await, over.await),
      Effect.sync(() => void held--),
    )
  })
  const hold = () => faults.set("hold", { times: Number.POSITIVE_INFINITY })
  const release = () => {
    faults.clear("hold")
    released.openUnsafe()
    released = Latch.makeUnsafe(false)
  }
  const end = () => {
    over.openUnsafe()
    over = Latch.makeUnsafe(false)
  }
  return { passed, hold, release, end, held: () => held }
}

/** The connections that are open. `waiting`: how many requests of each wait. */
const makeConnections = (protocol: FakeProtocol) => {
  const log = new SeenLog()
  const open = new Map<FakeConnection, { waiting: number }>()
  let opened = 0
  const forget = (connection: FakeConnection) => {
    if (open.delete(connection)) log.add({ _tag: "Closed", connection: connection.id })
  }
  const add = (socket: Socket) => {
    const connection = new FakeConnection(opened++, socket.setNoDelay(), protocol)
    const entry = { waiting: 0 }
    open.set(connection, entry)
    log.add({ _tag: "Opened", connection: connection.id })
    return { connection, entry }
  }
  const send = (text = "") =>
    Effect.forEach(text === "" ? [] : [...open.keys()], (connection) => connection.write(protocol.frame(text)), {
      concurrency: "unbounded",
      discard: true,
    })
  const close = (reason: "reload" | "quit") => {
    const farewell = protocol.farewell?.(reason)
    for (const connection of [...open.keys()]) {
      if (farewell !== undefined) connection.writeBeside(protocol.frame(farewell))
      connection.end()
      forget(connection)
    }
  }
  return { log, open, add, forget, send, close }
}

const listenOn = (port: number, accept: (socket: Socket) => void) =>
  Effect.callback<Server, Error>((resume) => {
    const listener = createServer(accept)
    listener.maxConnections = maxConnections
    listener.once("error", (cause) =>
      resume(Effect.fail(new Error(`The fake editor cannot listen on 127.0.0.1:${port}: ${cause.message}`))),
    )
    listener.listen({ port, host: "127.0.0.1" }, () => resume(Effect.succeed(listener)))
  })

/** Listens until the Scope ends. */
export const listen = Effect.fnUntraced(function* <Name extends string>(
  protocol: FakeProtocol,
  faults: Faults,
  options: FakeOptions<Name>,
): Effect.fn.Return<FakeEditor<Name>, Error, Scope.Scope> {
  const run = yield* FiberSet.makeRuntime()
  const [gate, connections] = [makeGate(faults), makeConnections(protocol)]
  const { log, open } = connections
  for (const name of options.faults ?? []) faults.set(name, { times: Number.POSITIVE_INFINITY })
  let era = 0
  let server: Server | undefined

  const closeAll = (reason: "reload" | "quit") =>
    Effect.sync(() => {
      server?.close()
      server = undefined
      era++
      connections.close(reason)
      gate.end()
    })
  const begin = Effect.fnUntraced(function* (at: number) {
    server = yield* listenOn(at, accept)
    return (server.address() as AddressInfo).port
  })
  const answer = FaultyAnswers.make(protocol, faults, {
    held: gate.passed,
    reload: Effect.suspend(() => Effect.andThen(closeAll("reload"), Effect.ignore(begin(port)))),
    quit: closeAll("quit"),
  })

  const serve = Effect.fnUntraced(function* (requests: Queue.Queue<Waiting>) {
    for (;;) {
      const { connection, value, era: came } = yield* Queue.take(requests)
      // An update of the editor, in which the end of a client that has left is seen.
      yield* Effect.andThen(turn, turn)
      const entry = open.get(connection)
      if (entry !== undefined && --entry.waiting < maxWaiting) connection.resume()
      if (came === era) yield* answer(connection, value)
    }
  })
  const line = Effect.map(Queue.unbounded<Waiting>(), (requests) => ({ requests, fiber: run(serve(requests)) }))
  const shared = protocol.isShared ? yield* line : undefined

  const accept = (socket: Socket) => {
    const { connection, entry } = connections.add(socket)
    const own = shared ?? Effect.runSync(line)
    socket.on("error", () => {})
    socket.once("close", () => {
      connections.forget(connection)
      if (own !== shared) own.fiber.interruptUnsafe()
    })
    socket.once("end", () => socket.destroy())
    socket.on("data", (chunk) => {
      if (!open.has(connection)) return
      if (faults.take("other-protocol")) {
        socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")
        return void socket.destroySoon()
      }
      const { frames, closes } = connection.receive(chunk)
      for (const text of frames) {
        const value = parsed(text)
        log.add({ _tag: "Frame", connection: connection.id, text, value })
        if (protocol.accepts?.(value, connection.id) === false) return void socket.destroy()
        const beside = protocol.beside?.(text, connection.id)
        if (beside !== undefined) connection.writeBeside(protocol.frame(beside))
        else if (++entry.waiting >= 0) Queue.offerUnsafe(own.requests, { connection, value, era })
      }
      if (entry.waiting >= maxWaiting) connection.pause()
      if (closes) socket.destroy()
    })
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server?.close()
      for (const connection of [...open.keys()]) connection.destroy()
    }),
  )
  const port = yield* begin(options.port ?? 0)

  const control: Control<Name> = {
    fault: (name, span) => faults.set(name, span),
    calm: (name) => faults.clear(name),
    hold: gate.hold,
    release: gate.release,
    held: gate.held,
    setTools: (tools) => Effect.suspend(() => connections.send(protocol.setTools?.(tools))),
    send: connections.send,
    reload: closeAll("reload"),
    quit: closeAll("quit"),
    reopen: Effect.suspend(() => (server === undefined ? Effect.asVoid(begin(port)) : Effect.void)),
    connections: () => open.size,
  }
  return { port, seen: log.entries, control }
})

/** `undefined` where it is no JSON; no text at all is `null` to Unity. */
const parsed = (text: string): unknown => {
  if (text === "") return null
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
