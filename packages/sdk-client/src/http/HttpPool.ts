/**
 * Connections to origins, shared by the sessions of one client. An unused connection closes after seconds, does not keep the
 * process alive, and is closed with the client.
 */
import type { InvalidRequest } from "@zain/core/McpError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Dispatchers from "./Dispatchers.ts"
import * as TlsIdentity from "./TlsIdentity.ts"

/** The pool of one client. */
export interface HttpPool {
  /** Returns the connections to an origin with a TLS identity, reserved until the Scope closes. */
  readonly lease: (
    origin: URL,
    tls: TlsIdentity.TlsIdentity | undefined,
  ) => Effect.Effect<Dispatchers.Origin, InvalidRequest, Scope.Scope>
}

/** The service of the pool. */
export const HttpPool: Context.Service<HttpPool, HttpPool> = Context.Service("@zain/sdk-client/HttpPool")

/** How many origins without a session the pool keeps. */
const maxIdleOrigins = 8

interface Lease extends Dispatchers.Origin {
  leases: number
}

const make = Effect.gen(function* () {
  const known = new Map<string, Lease>()
  const end = ({ shared }: Lease) => Effect.promise(shared.destroy)
  yield* Effect.addFinalizer(() => Effect.forEach([...known.values()], end, { discard: true }))

  const take = (
    undici: Awaited<ReturnType<typeof Dispatchers.load>>,
    origin: URL,
    tls: TlsIdentity.TlsIdentity | undefined,
  ) => {
    const key = tls === undefined ? origin.origin : `${origin.origin} ${TlsIdentity.fingerprint(tls)}`
    const before = known.get(key)
    const found: Result.Result<Lease, InvalidRequest> =
      before === undefined
        ? Result.map(Dispatchers.make(undici, origin, tls), (made) => ({ ...made, leases: 0 }))
        : Result.succeed(before)
    return Result.map(found, (lease) => {
      lease.leases++
      // The map is ordered by last use.
      known.delete(key)
      known.set(key, lease)
      return lease
    })
  }
  const giveBack = (lease: Lease) =>
    Effect.suspend(() => {
      lease.leases--
      if (lease.leases === 0) lease.shared.abandon()
      const idle = [...known].filter(([, { leases }]) => leases === 0)
      const [oldest] = idle
      if (oldest === undefined || idle.length <= maxIdleOrigins) return Effect.void
      known.delete(oldest[0])
      return end(oldest[1])
    })
  return HttpPool.of({
    lease: (origin, tls) =>
      Effect.flatMap(Effect.promise(Dispatchers.load), (undici) =>
        Effect.acquireRelease(
          Effect.suspend(() => Effect.fromResult(take(undici, origin, tls))),
          giveBack,
        ),
      ),
  })
})

/** Provides an empty pool, which is closed with the Scope. */
export const layer: Layer.Layer<HttpPool> = Layer.effect(HttpPool, make)
