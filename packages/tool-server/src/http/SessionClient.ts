/**
 * Whether the client of a session is there: its connections, its requests under way, and the time since the last.
 *
 * @see promises 21 and 29
 */
import type { Socket } from "node:net"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { ServerSession } from "../ToolServer.ts"
import type { HttpLimits } from "./HttpLimits.ts"

/** Runs something later, unless it is interrupted before it begins. */
export type Later = (delay: Duration.Duration, effect: Effect.Effect<void>) => Fiber.Fiber<void>

/**
 * - `isAbsent`: whether there is no connection, no request and no call of it
 * - `enter`: a request of it has come over a connection. Returns what is called when it has been answered
 * - `forget`: watches it no more
 */
export interface SessionClient {
  readonly isAbsent: () => boolean
  readonly enter: (socket: Socket) => () => void
  readonly forget: () => void
}

/**
 * After `absence` without a connection the client has left; after `sessionIdle` without a request, a connection's stream or
 * a call, `expire` runs.
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
  // It may be gone already.
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
