/**
 * Connections to origins, shared by the sessions of one client. One that nobody uses closes after seconds, keeps no
 * program alive, and is gone with the client.
 */
import type { InvalidRequest } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Dispatcher } from "undici"
import * as Dispatchers from "./Dispatchers.ts"

/** `lease`: what sends requests to an origin, for as long as the Scope lasts. */
export interface HttpPool {
  readonly lease: (origin: URL) => Effect.Effect<Dispatcher, InvalidRequest, Scope.Scope>
}

/** How many origins without a session are kept. */
const mostIdle = 8

interface Lease extends Dispatchers.OriginDispatcher {
  leases: number
}

/** A pool without connections. It ends with the Scope. */
export const make: Effect.Effect<HttpPool, never, Scope.Scope> = Effect.gen(function* () {
  const shared = new Map<string, Lease>()
  const end = ({ destroy }: Lease) => Effect.promise(destroy)
  yield* Effect.addFinalizer(() => Effect.forEach([...shared.values()], end, { discard: true }))

  const take = (undici: Awaited<ReturnType<typeof Dispatchers.load>>, origin: URL) => {
    const known = shared.get(origin.origin)
    const found: Result.Result<Lease, InvalidRequest> =
      known === undefined
        ? Result.map(Dispatchers.make(undici, origin), (made) => ({ ...made, leases: 0 }))
        : Result.succeed(known)
    return Result.map(found, (lease) => {
      lease.leases++
      // The origin that was used last stands last.
      shared.delete(origin.origin)
      shared.set(origin.origin, lease)
      return lease
    })
  }
  const giveBack = (lease: Lease) =>
    Effect.suspend(() => {
      lease.leases--
      if (lease.leases === 0) lease.abandon()
      const idle = [...shared].filter(([, { leases }]) => leases === 0)
      const [oldest] = idle
      if (oldest === undefined || idle.length <= mostIdle) return Effect.void
      shared.delete(oldest[0])
      return end(oldest[1])
    })
  return {
    lease: (origin) =>
      Effect.flatMap(Effect.promise(Dispatchers.load), (undici) =>
        Effect.map(
          Effect.acquireRelease(
            Effect.suspend(() => Effect.fromResult(take(undici, origin))),
            giveBack,
          ),
          ({ dispatcher }) => dispatcher,
        ),
      ),
  }
})
