/**
 * The sessions of a server: how many there may be, whose each is, and how long it lasts without its client.
 *
 * @see promises 21, 26 and 29
 */
import { randomBytes } from "node:crypto"
import type { Socket } from "node:net"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"
import type { PacedTransport, ServerSession, ToolServer } from "../ToolServer.ts"
import type { HttpLimits } from "./HttpLimits.ts"
import type { Principal } from "./Principals.ts"
import * as Refusal from "./Refusal.ts"

/**
 * - `way`: what carries it
 * - `enter`: a request of its client has come over a connection. Returns what is called when it has been answered
 */
export interface HttpSession<Way> {
  readonly id: string
  readonly way: Way
  readonly enter: (socket: Socket) => () => void
}

/**
 * - `open`: a session of a principal, unless there are too many and none gives way. `connect` makes what carries it, and
 *   goes with it
 * - `find`: a principal's session. Others' sessions are as unknown as those that there are not
 * - `end`: ends a session as if its client had. Waits until that is so
 * - `endAll`: ends all, and opens no more
 */
export interface Sessions<Way> {
  readonly open: (
    principal: Principal,
    connect: (id: string) => Effect.Effect<Carrier<Way>, never, Scope.Scope>,
  ) => Effect.Effect<HttpSession<Way>, Refusal.Refusal>
  readonly find: (id: string, principal: Principal) => HttpSession<Way> | undefined
  readonly end: (id: string) => Effect.Effect<void>
  readonly endAll: Effect.Effect<void>
}

interface Carrier<Way> {
  readonly transport: PacedTransport
  readonly way: Way
}

interface Entry<Way> extends HttpSession<Way> {
  readonly owner: number
  readonly isAbsent: () => boolean
  readonly end: Effect.Effect<void>
}

const full = Refusal.make(503, "This server has as many sessions as it may have. Try again later.", {
  "Retry-After": "5",
})
const ending = Refusal.make(503, "This server is about to end.", { Connection: "close" })

/** No sessions yet. They end with the Scope. */
export const make = <Way>(
  server: ToolServer,
  limits: Pick<HttpLimits, "maxSessions" | "sessionIdle" | "absence">,
): Effect.Effect<Sessions<Way>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = yield* FiberSet.makeRuntime<never, void, never>()
    const entries = new Map<string, Entry<Way>>()
    let opening = 0
    let isOpen = true

    /** Something that happens later unless it is called off; once it has begun it is not cut short. */
    const later = (delay: Duration.Duration, effect: Effect.Effect<void>): Fiber.Fiber<void> =>
      run(Effect.andThen(Effect.sleep(delay), Effect.uninterruptible(effect)))

    /**
     * Whose place a principal may have: its own client's, or one of whoever has the most, if that has more than itself.
     * A client that has no connection may come back with a new session; one that is there would lose what it does.
     */
    const giveWay = (owner: number): Entry<Way> | undefined => {
      const counts = new Map<number, number>()
      for (const entry of entries.values()) counts.set(entry.owner, (counts.get(entry.owner) ?? 0) + 1)
      const absent = [...entries.values()].filter(({ isAbsent }) => isAbsent())
      const own = absent.find((entry) => entry.owner === owner)
      const most = Math.max(...counts.values())
      if (own !== undefined || (counts.get(owner) ?? 0) >= most) return own
      return absent.find((entry) => counts.get(entry.owner) === most)
    }

    const watched = (
      session: ServerSession,
      close: Effect.Effect<void>,
      about: Pick<Entry<Way>, "id" | "way" | "owner">,
    ) => {
      const sockets = new Map<Socket, () => void>()
      let underWay = 0
      let absence: Fiber.Fiber<void> | undefined
      let idleness: Fiber.Fiber<void> | undefined
      const entry: Entry<Way> = {
        ...about,
        isAbsent: () => sockets.size === 0 && underWay === 0 && !session.isBusy(),
        end: Effect.suspend(() => {
          if (entries.get(about.id) === entry) entries.delete(about.id)
          for (const [socket, lost] of sockets) socket.off("close", lost)
          absence?.interruptUnsafe()
          idleness?.interruptUnsafe()
          return close
        }),
        enter: (socket) => {
          absence?.interruptUnsafe()
          idleness?.interruptUnsafe()
          underWay++
          // The session that was used last stands last.
          if (entries.delete(about.id)) entries.set(about.id, entry)
          watch(socket)
          return () => {
            underWay--
            if (underWay === 0) rest()
          }
        },
      }
      const watch = (socket: Socket) => {
        if (sockets.has(socket)) return
        const lost = () => {
          sockets.delete(socket)
          if (sockets.size > 0 || entries.get(about.id) !== entry) return
          absence?.interruptUnsafe()
          absence = later(limits.absence, session.leave)
        }
        sockets.set(socket, lost)
        if (socket.destroyed) lost()
        else socket.once("close", lost)
      }
      const rest = () => {
        idleness?.interruptUnsafe()
        if (entries.get(about.id) !== entry) return
        const expire = Effect.suspend(() => (session.isBusy() ? Effect.sync(rest) : entry.end))
        idleness = later(limits.sessionIdle, expire)
      }
      entries.set(about.id, entry)
      // Its client may be gone already.
      rest()
      return entry
    }

    const open: Sessions<Way>["open"] = (principal, connect) =>
      Effect.gen(function* () {
        if (!isOpen) return yield* Effect.fail(ending)
        const isFull = entries.size + opening >= limits.maxSessions
        const gone = isFull ? giveWay(principal.id) : undefined
        if (isFull && gone === undefined) return yield* Effect.fail(full)
        opening++
        if (gone !== undefined) run(gone.end)
        const id = randomBytes(16).toString("hex")
        const scope = yield* Scope.make()
        const { transport, way } = yield* Scope.provide(connect(id), scope)
        const session = yield* Effect.ensuring(
          Scope.provide(server.session(transport, principal.secret, principal.roots), scope),
          Effect.sync(() => opening--),
        )
        const close = yield* Effect.cached(Effect.uninterruptible(Scope.close(scope, Exit.void)))
        const entry = watched(session, close, { id, way, owner: principal.id })
        run(Effect.andThen(session.ended, entry.end))
        // The server has ended meanwhile.
        if (!isOpen) yield* entry.end
        return entry
      })

    const endAll = Effect.suspend(() => {
      isOpen = false
      return Effect.forEach([...entries.values()], (entry) => entry.end, { concurrency: "unbounded", discard: true })
    })
    yield* Effect.addFinalizer(() => endAll)
    return {
      open: (...given) => Effect.uninterruptible(open(...given)),
      find: (id, principal) => {
        const entry = entries.get(id)
        return entry?.owner === principal.id ? entry : undefined
      },
      end: (id) => Effect.suspend(() => entries.get(id)?.end ?? Effect.void),
      endAll,
    }
  })
