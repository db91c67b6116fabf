/**
 * Agent servers that the sessions of one client share: a process for each command and environment, and a connection to it
 * for each session. The process ends with the last session.
 *
 * @see docs/internals/promises.md, 8, 11 and 16
 */
import { randomBytes } from "node:crypto"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import type { McpError } from "@zain/core/McpError"
import { HostGuard } from "@zain/process/HostGuard"
import * as OwnedProcess from "@zain/process/OwnedProcess"
import * as PrivateDirectory from "@zain/process/PrivateDirectory"
import * as ProgramName from "@zain/process/ProgramName"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import * as Failure from "../Failure.ts"
import type { StdioTarget } from "../McpWire.ts"
import * as ExitFailure from "./ExitFailure.ts"

/** A server that runs. */
interface SharedServer extends Pick<OwnedProcess.OwnedProcess, "diagnostics" | "unref"> {
  readonly path: string
  readonly token: string
  /** How many sessions use it, those that are opening or closing included. */
  holders: number
  /** Whether its end is immediate: it did not end a session in time, or no session could open. */
  isForced: boolean
  /** Called when the process has ended. */
  readonly listeners: Set<(end: OwnedProcess.ProcessEnd) => void>
  /** How the process ended, if it did. */
  readonly end: () => OwnedProcess.ProcessEnd | undefined
  /** Ends the process and all that it has started, and waits for that. */
  readonly stop: Effect.Effect<void>
}

/** The servers of one client. */
export interface SharedServers {
  /** Returns the connection of a new session, as the pipes of a process. */
  readonly connect: (target: StdioTarget) => Effect.Effect<OwnedProcess.OwnedProcess, McpError, Scope.Scope>
}

/** The service of the servers. */
export const SharedServers: Context.Service<SharedServers, SharedServers> = Context.Service(
  "@zain/sdk-client/SharedServers",
)

/** What makes a server another one. Sessions of one server share its environment, its directory and its limits. */
type Key = string

const keyOf = ({ args, closeGrace, command, cwd, env, ownTemporary, secrets }: StdioTarget): Key =>
  JSON.stringify({ args, closeGrace: Duration.toMillis(closeGrace), command, cwd, env, ownTemporary, secrets })

const commandOf = (key: Key): OwnedProcess.ProcessCommand => {
  const { closeGrace, ...command } = JSON.parse(key)
  return { ...command, closeGrace: Duration.millis(closeGrace ?? Number.POSITIVE_INFINITY) }
}

const start = Effect.fnUntraced(function* (
  key: Key,
  ended: () => void,
): Effect.fn.Return<SharedServer, McpError, Scope.Scope | HostGuard> {
  const command = commandOf(key)
  const path = yield* socketPath
  const token = randomBytes(32).toString("hex")
  const scope = yield* Scope.make()
  let server: SharedServer | undefined
  let isClosing = false
  const stop = yield* Effect.cached(
    Effect.suspend(() => Scope.close(scope, server?.isForced === false ? Exit.void : Exit.fail("forced"))),
  )
  yield* Effect.addFinalizer(() => stop)
  const process = yield* OwnedProcess.start(command).pipe(Scope.provide(scope), Effect.mapError(Failure.startFailed))
  let end: OwnedProcess.ProcessEnd | undefined
  const listeners = new Set<(end: OwnedProcess.ProcessEnd) => void>()
  process.onEnd((how) => {
    end = how
    // While it closes, its place is another server's already.
    if (!isClosing) ended()
    for (const listener of listeners) listener(how)
  })
  const about: Failure.About = {
    server: ProgramName.of(command),
    delivery: "not-sent",
    diagnostics: {},
  }
  yield* Effect.callback<void, McpError>((resume) => {
    const failed = (how: OwnedProcess.ProcessEnd) =>
      resume(Effect.fail(ExitFailure.beforeHandshake({ ...about, diagnostics: process.diagnostics() }, how, false)))
    process.stdout.once("data", (piece) => {
      listeners.delete(failed)
      resume(String(piece) === "{}\n" ? Effect.void : Effect.fail(Failure.notAnMcpServer(about, noSharing)))
    })
    if (end === undefined) listeners.add(failed)
    else failed(end)
    process.stdin.write(`${JSON.stringify({ path, token })}\n`)
    return Effect.sync(() => listeners.delete(failed))
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isClosing = true
    }),
  )
  const { diagnostics, unref } = process
  server = { path, token, listeners, holders: 0, isForced: false, end: () => end, stop, diagnostics, unref }
  return server
})

const noSharing = "it does not serve several sessions of one client (`shared`)"

const socketPath = Effect.suspend(() =>
  process.platform === "win32"
    ? Effect.succeed(`\\\\.\\pipe\\zain-${randomBytes(16).toString("hex")}`)
    : Effect.map(Effect.mapError(PrivateDirectory.make(), Failure.startFailed), (directory) =>
        join(directory, "socket"),
      ),
)

/** Opens a connection, which what is written waits for. A server that has just died closes it. */
const open = ({ path, token }: SharedServer): Effect.Effect<Socket> =>
  Effect.sync(() => {
    const socket = connect(path)
    socket.on("error", () => {})
    socket.write(`${token}\n`)
    return socket
  })

/** Ends a connection. Waits until the server has ended its session, or until all is ended that a dead server has left. */
const close = (server: SharedServer, socket: Socket, grace: Duration.Duration, exit: Exit.Exit<unknown, unknown>) =>
  Effect.suspend(() => {
    if (server.end() !== undefined) {
      socket.destroy()
      return server.stop
    }
    if (Exit.isFailure(exit)) {
      socket.destroy()
      if (server.holders === 1) server.isForced = true
      return Effect.void
    }
    socket.end()
    if (server.holders === 1 || socket.destroyed) return Effect.void
    const closed = Effect.callback<void>((resume) => void socket.once("close", () => resume(Effect.void)))
    const late = Effect.sync(() => {
      socket.destroy()
      server.isForced = true
    })
    return Effect.timeoutOrElse(closed, { duration: grace, orElse: () => late })
  })

/** How long reading the rest of a connection may take after the end of the process, in milliseconds. */
const drainTimeoutMillis = 150

/** Calls a listener of the process's end when the connection has been read, or after `drainTimeoutMillis`. */
const drained =
  (socket: Socket, listener: (end: OwnedProcess.ProcessEnd) => void) => (end: OwnedProcess.ProcessEnd) => {
    if (socket.closed) return listener(end)
    const go = () => {
      clearTimeout(timer)
      socket.off("close", go)
      listener(end)
    }
    const timer = setTimeout(go, drainTimeoutMillis)
    socket.once("close", go)
  }

const make = Effect.gen(function* () {
  const guard = yield* HostGuard
  const servers: RcMap.RcMap<Key, SharedServer, McpError> = yield* RcMap.make({
    lookup: (key: Key) =>
      Effect.provideService(
        start(key, () => Effect.runSync(RcMap.invalidate(servers, key))),
        HostGuard,
        guard,
      ),
  })
  const connect: SharedServers["connect"] = Effect.fnUntraced(function* (target) {
    const server = yield* RcMap.get(servers, keyOf(target))
    const socket = yield* Effect.acquireRelease(
      Effect.suspend(() => {
        server.holders++
        server.isForced = false
        return open(server)
      }),
      (socket, exit) =>
        Effect.ensuring(
          close(server, socket, target.closeGrace, exit),
          Effect.sync(() => server.holders--),
        ),
    )
    const heard = new Set<(end: OwnedProcess.ProcessEnd) => void>()
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const listener of heard) server.listeners.delete(listener)
      }),
    )
    return {
      stdin: socket,
      stdout: socket,
      onEnd: (listener) => {
        const later = drained(socket, listener)
        const end = server.end()
        if (end !== undefined) return later(end)
        heard.add(later)
        server.listeners.add(later)
      },
      unref: () => {
        socket.unref()
        server.unref()
      },
      diagnostics: server.diagnostics,
    }
  })
  return { connect }
})

/** The servers of one client, which end with it. */
export const layer: Layer.Layer<SharedServers, never, HostGuard> = Layer.effect(SharedServers, make)
