/**
 * Tracks whether a session's client is connected: its connections, its requests under way, and the time since the last one.
 *
 * @see docs/internals/promises.md, 21 and 29
 */
import type { Socket } from "node:net"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { ServerSession } from "../ToolServer.ts"
import type { HttpLimits } from "./HttpLimits.ts"

/** Runs an effect after a delay, unless the fiber is interrupted before. */
export type Later = (delay: Duration.Duration, effect: Effect.Effect<void>) => Fiber.Fiber<void>

/** The client of one session. */
export interface SessionClient {
  /** Whether the client has no connection, no request and no call. */
  readonly isAbsent: () => boolean
  /** Records a request on a connection. Returns the function to call after its response. */
  readonly enter: (socket: Socket) => () => void
  /** Stops tracking. */
  readonly forget: () => void
}

/**
 * Tracks a client. After `absence` without a connection, the session's `leave` runs; after `sessionIdle` without a request,
 * a stream or a call, `expire` runs.
 */
export const make = (
  session: ServerSession,
  limits: Pick<HttpLimits, "absence" | "sessionIdle">,
  later: Later,
  expire: Effect.Effect<void>,
): SessionClient => {
  const sockets = new Map<Socket, () => void>()
  let underWay = 0
  let isForgotten = false
  let absence: Fiber.Fiber<void> | undefined
  let idleness: Fiber.Fiber<void> | undefined

  const watch = (socket: Socket) => {
    if (sockets.has(socket)) return
    const lost = () => {
      sockets.delete(socket)
      if (sockets.size > 0 || isForgotten) return
      absence?.interruptUnsafe()
      absence = later(limits.absence, session.leave)
    }
    sockets.set(socket, lost)
    if (socket.destroyed) lost()
    else socket.once("close", lost)
  }
  const rest = () => {
    idleness?.interruptUnsafe()
    if (isForgotten) return
    idleness = later(
      limits.sessionIdle,
      Effect.suspend(() => (session.isBusy() ? Effect.sync(rest) : expire)),
    )
  }
  const callOff = () => {
    absence?.interruptUnsafe()
    idleness?.interruptUnsafe()
  }
  // The client may have disconnected already.
  rest()
  return {
    isAbsent: () => sockets.size === 0 && underWay === 0 && !session.isBusy(),
    enter: (socket) => {
      callOff()
      underWay++
      watch(socket)
      return () => {
        underWay--
        if (underWay === 0) rest()
      }
    },
    forget: () => {
      isForgotten = true
      for (const [socket, lost] of sockets) socket.off("close", lost)
      callOff()
    },
  }
}
