/**
 * Connections to origins, shared by the sessions of one client. One that nobody uses closes after seconds, keeps no
 * program alive, and is gone with the client.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Dispatcher } from "undici"

/** `lease`: what sends requests to an origin, for as long as the Scope lasts. */
export interface HttpPool {
  readonly lease: (origin: URL) => Effect.Effect<Dispatcher, never, Scope.Scope>
}

/** How long a connection may take to be made, in milliseconds. */
const connectLimit = 10_000

const options = {
  allowH2: false,
  bodyTimeout: 0,
  connect: { timeout: connectLimit },
  headersTimeout: 0,
  pipelining: 1,
}

/** It takes a twentieth of a second of CPU to load, so it is loaded when first needed. */
const load = () => {
  loaded ??= import("undici")
  return loaded
}
let loaded: Promise<typeof import("undici")> | undefined

/** How many origins without a session are kept. */
const mostIdle = 8

interface Lease {
  readonly dispatcher: Dispatcher
  leases: number
}

/** A pool without connections. It ends with the Scope. */
export const make: Effect.Effect<HttpPool, never, Scope.Scope> = Effect.gen(function* () {
  const shared = new Map<string, Lease>()
  const end = ({ dispatcher }: Lease) => Effect.promise(() => dispatcher.destroy().catch(() => {}))
  yield* Effect.addFinalizer(() => Effect.forEach([...shared.values()], end, { discard: true }))

  const take = ({ EnvHttpProxyAgent, Pool }: Awaited<ReturnType<typeof load>>, { hostname, origin }: URL) => {
    const lease = shared.get(origin) ?? {
      dispatcher: isLoopback(hostname) ? new Pool(origin, options) : new EnvHttpProxyAgent(options),
      leases: 0,
    }
    lease.leases++
    // The origin that was used last stands last.
    shared.delete(origin)
    shared.set(origin, lease)
    return lease
  }
  const giveBack = (lease: Lease) =>
    Effect.suspend(() => {
      lease.leases--
      const idle = [...shared].filter(([, { leases }]) => leases === 0)
      const [oldest] = idle
      if (oldest === undefined || idle.length <= mostIdle) return Effect.void
      shared.delete(oldest[0])
      return end(oldest[1])
    })
  return {
    lease: (origin) =>
      Effect.flatMap(
        Effect.promise(() => (loaded ??= load())),
        (undici) =>
          Effect.map(
            Effect.acquireRelease(
              Effect.sync(() => take(undici, origin)),
              giveBack,
            ),
            ({ dispatcher }) => dispatcher,
          ),
      ),
  }
})

/** A proxy for another machine is none for this one. */
const isLoopback = (hostname: string): boolean =>
  hostname === "[::1]" || /^(.+\.)?localhost\.?$/.test(hostname) || /^127\.\d+\.\d+\.\d+$/.test(hostname)
