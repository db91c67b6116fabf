/**
 * Connections to origins: shared by the sessions of one client, gone with the last session of their origin.
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
const load = () => import("undici")

/** A pool without connections. */
export const make = (): HttpPool => {
  const shared = new Map<string, { readonly dispatcher: Dispatcher; leases: number }>()
  const take = ({ EnvHttpProxyAgent, Pool }: Awaited<ReturnType<typeof load>>, { hostname, origin }: URL) => {
    const known = shared.get(origin)
    const lease = known ?? {
      dispatcher: isLoopback(hostname) ? new Pool(origin, options) : new EnvHttpProxyAgent(options),
      leases: 0,
    }
    lease.leases++
    shared.set(origin, lease)
    return lease.dispatcher
  }
  const giveBack = ({ origin }: URL) =>
    Effect.suspend(() => {
      const lease = shared.get(origin)
      if (lease === undefined || --lease.leases > 0) return Effect.void
      shared.delete(origin)
      return Effect.promise(() => lease.dispatcher.destroy().catch(() => {}))
    })
  return {
    lease: (origin) =>
      Effect.flatMap(Effect.promise(load), (undici) =>
        Effect.acquireRelease(
          Effect.sync(() => take(undici, origin)),
          () => giveBack(origin),
        ),
      ),
  }
}

/** A proxy for another machine is none for this one. */
const isLoopback = (hostname: string): boolean =>
  hostname === "[::1]" || /^(.+\.)?localhost\.?$/.test(hostname) || /^127\.\d+\.\d+\.\d+$/.test(hostname)
