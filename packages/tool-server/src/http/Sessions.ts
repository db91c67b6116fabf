/**
 * The sessions of a server: their number, their owners, and their timeouts.
 *
 * @see docs/internals/promises.md, 21, 26 and 29
 */
import { randomBytes } from "node:crypto"
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"
import type { PacedTransport } from "../PacedTransport.ts"
import type { ServerSession, ToolServer } from "../ToolServer.ts"
import type { HttpLimits } from "./HttpLimits.ts"
import type * as Incoming from "./IncomingBudget.ts"
import type { Principal } from "./Principals.ts"
import * as Refusal from "./Refusal.ts"
import * as SessionClient from "./SessionClient.ts"
import * as SessionPlaces from "./SessionPlaces.ts"
import type * as StalledReader from "./StalledReader.ts"

/** One session. */
export interface HttpSession<Way> {
  readonly id: string
  /** The connection-specific part of the session. */
  readonly way: Way
  /** Records a request on a connection. Returns the function to call after its response. */
  readonly enter: (socket: Socket) => () => void
  /** See `ServerSession`. */
  readonly leave: Effect.Effect<void>
}

/** What the transports of one server have in common. */
export interface Parts<Opening> {
  readonly sessions: Opening
  readonly incoming: Incoming.Incoming
  readonly watch: StalledReader.SlowReaders
}

/** The sessions of one server. */
export interface Sessions<Way> {
  /** Opens a session of a principal; fails if there are too many. `connect` makes its transport, in the session's Scope. */
  readonly open: <One extends Way>(
    principal: Principal,
    connect: (id: string) => Effect.Effect<Carrier<One>, never, Scope.Scope>,
  ) => Effect.Effect<HttpSession<One>, Refusal.Refusal>
  /** Returns a session of a principal; the sessions of others are not found. */
  readonly find: (id: string, principal: Principal) => HttpSession<Way> | undefined
  /** Ends a session, and returns when it has ended. */
  readonly end: (id: string) => Effect.Effect<void>
  /** Ends every session, and rejects new ones. */
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

const full = Refusal.make(503, "This server has its maximum number of sessions. Try again later.", {
  "Retry-After": "5",
})

/** Starts without sessions. They end with the Scope. */
export const make = Effect.fnUntraced(function* <Way>(
  server: ToolServer,
  limits: Pick<HttpLimits, "maxSessions" | "sessionIdle" | "absence">,
): Effect.fn.Return<Sessions<Way>, never, Scope.Scope> {
  const run = yield* FiberSet.makeRuntime<never, void, never>()
  const entries = new Map<string, Entry<Way>>()
  let opening = 0
  let isOpen = true

  // Uninterruptible once it has started.
  const later: SessionClient.Later = (delay, effect) =>
    run(Effect.andThen(Effect.sleep(delay), Effect.uninterruptible(effect)))

  const enlist = <One extends Way>(
    session: ServerSession,
    close: Effect.Effect<void>,
    about: Pick<Entry<One>, "id" | "way" | "owner">,
  ) => {
    const end = Effect.suspend(() => {
      if (entries.get(about.id) === entry) entries.delete(about.id)
      client.forget()
      return close
    })
    const client = SessionClient.make(session, limits, later, end)
    const entry: Entry<One> = {
      ...about,
      end,
      leave: session.leave,
      isAbsent: client.isAbsent,
      enter: (socket) => {
        // The map is ordered by last use.
        if (entries.delete(about.id)) entries.set(about.id, entry)
        return client.enter(socket)
      },
    }
    entries.set(about.id, entry)
    return entry
  }

  const open: Sessions<Way>["open"] = Effect.fnUntraced(function* <One extends Way>(
    principal: Principal,
    connect: (id: string) => Effect.Effect<Carrier<One>, never, Scope.Scope>,
  ) {
    if (!isOpen) return yield* Effect.fail(Refusal.ending)
    const isFull = entries.size + opening >= limits.maxSessions
    const gone = isFull ? SessionPlaces.givingWay([...entries.values()], principal.id) : undefined
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
    const entry = enlist(session, close, { id, way, owner: principal.id })
    run(Effect.andThen(session.ended, entry.end))
    // The server has shut down in the meantime.
    if (!isOpen) yield* entry.end
    return entry
  }, Effect.uninterruptible)

  const endAll = Effect.suspend(() => {
    isOpen = false
    return Effect.forEach([...entries.values()], (entry) => entry.end, { concurrency: "unbounded", discard: true })
  })
  yield* Effect.addFinalizer(() => endAll)
  return {
    open,
    find: (id, principal) => {
      const entry = entries.get(id)
      return entry?.owner === principal.id ? entry : undefined
    },
    end: (id) => Effect.suspend(() => entries.get(id)?.end ?? Effect.void),
    endAll,
  }
})
