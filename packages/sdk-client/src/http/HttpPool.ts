/**
 * Connections to origins, shared by the sessions of one client. One that nobody uses closes after seconds, keeps no
 * program alive, and is gone with the client.
 */
import type { InvalidRequest } from "@zain/core/McpError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Dispatchers from "./Dispatchers.ts"
import * as TlsIdentity from "./TlsIdentity.ts"

/** `lease`: what sends requests to an origin, as one identity, for as long as the Scope lasts. */
export interface HttpPool {
  readonly lease: (
    origin: URL,
    tls: TlsIdentity.TlsIdentity | undefined,
  ) => Effect.Effect<Dispatchers.Origin, InvalidRequest, Scope.Scope>
}

/** The connections of one client. */
export const HttpPool: Context.Service<HttpPool, HttpPool> = Context.Service("@zain/sdk-client/HttpPool")

/** How many origins without a session are kept. */
const mostIdle = 8

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
      // The origin that was used last stands last.
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
      if (oldest === undefined || idle.length <= mostIdle) return Effect.void
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

/** A pool without connections. It ends with the Scope. */
export const layer: Layer.Layer<HttpPool> = Layer.effect(HttpPool, make)
