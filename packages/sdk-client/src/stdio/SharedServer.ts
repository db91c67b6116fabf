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
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import * as Failure from "../Failure.ts"
import { nameOf, type StdioTarget } from "../McpWire.ts"
import * as ExitFailure from "./ExitFailure.ts"

/** A server that runs. */
interface SharedServer extends Pick<OwnedProcess.OwnedProcess, "diagnostics" | "unref"> {
  readonly path: string
  readonly token: string
  /** The connections of its sessions. */
  readonly sockets: Set<Socket>
  /** Called when the process has ended. */
  readonly listeners: Set<(end: OwnedProcess.ProcessEnd) => void>
  /** How the process ended, if it did. */
  readonly end: () => OwnedProcess.ProcessEnd | undefined
  /** Makes the end of the process immediate. */
  readonly force: () => void
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
  // Without a session that could wait for more, as at a handshake that fails.
  let isForced = true
  yield* Effect.addFinalizer(() => Scope.close(scope, isForced ? Exit.fail("forced") : Exit.void))
  const process = yield* OwnedProcess.start(command).pipe(Scope.provide(scope), Effect.mapError(Failure.startFailed))
  let end: OwnedProcess.ProcessEnd | undefined
  const listeners = new Set<(end: OwnedProcess.ProcessEnd) => void>()
  process.onEnd((how) => {
    end = how
    ended()
    for (const listener of listeners) listener(how)
  })
  const about: Failure.About = {
    server: nameOf({ transport: "stdio", ...command } as StdioTarget),
    delivery: "not-sent",
    diagnostics: {},
  }
  yield* Effect.callback<void, McpError>((resume) => {
    process.stdout.once("data", () => resume(Effect.void))
    const failed = (how: OwnedProcess.ProcessEnd) =>
      resume(Effect.fail(ExitFailure.beforeHandshake({ ...about, diagnostics: process.diagnostics() }, how, false)))
    if (end === undefined) listeners.add(failed)
    else failed(end)
    process.stdin.write(`${JSON.stringify({ path, token })}\n`)
    return Effect.sync(() => listeners.delete(failed))
  })
  isForced = false
  const sockets = new Set<Socket>()
  yield* Effect.addFinalizer(() => Effect.sync(() => sockets.forEach((socket) => void socket.end())))
  return {
    path,
    token,
    sockets,
    listeners,
    end: () => end,
    force: () => {
      isForced = true
    },
    diagnostics: process.diagnostics,
    unref: process.unref,
  }
})

const socketPath = Effect.suspend(() =>
  process.platform === "win32"
    ? Effect.succeed(`\\\\.\\pipe\\zain-${randomBytes(16).toString("hex")}`)
    : Effect.map(Effect.mapError(PrivateDirectory.make(), Failure.startFailed), (directory) =>
        join(directory, "socket"),
      ),
)

/** Opens a connection. A server that has just died ends it at once. */
const open = ({ path, token }: SharedServer): Effect.Effect<Socket> =>
  Effect.callback((resume) => {
    const socket = connect({ path, allowHalfOpen: false })
    socket.on("error", () => {})
    socket.once("connect", () => resume(Effect.succeed(socket))).once("close", () => resume(Effect.succeed(socket)))
    socket.write(`${token}\n`)
    return Effect.sync(() => void socket.destroy())
  })

/** Ends a connection. Waits until the server has ended its session, if other sessions keep the server. */
const close = (
  { force, sockets }: SharedServer,
  socket: Socket,
  grace: Duration.Duration,
  exit: Exit.Exit<unknown, unknown>,
) =>
  Effect.suspend(() => {
    socket.end()
    sockets.delete(socket)
    if (sockets.size === 0 && Exit.isFailure(exit)) force()
    if (sockets.size === 0 || socket.destroyed || Exit.isFailure(exit)) return Effect.void
    const closed = Effect.callback<void>((resume) => void socket.once("close", () => resume(Effect.void)))
    return Effect.timeoutOrElse(closed, { duration: grace, orElse: () => Effect.sync(() => void socket.destroy()) })
  })

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
    const socket = yield* Effect.acquireRelease(open(server), (socket, exit) =>
      close(server, socket, target.closeGrace, exit),
    )
    server.sockets.add(socket)
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
        const end = server.end()
        if (end !== undefined) return listener(end)
        heard.add(listener)
        server.listeners.add(listener)
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
