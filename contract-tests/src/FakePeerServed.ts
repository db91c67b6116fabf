/**
 * Fake agents that listen in this process: over Streamable HTTP, or over SSE.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FakeDialect } from "./FakeDialect.ts"
import * as FakePeerHost from "./FakePeerHost.ts"
import * as FakePeerHttp from "./FakePeerHttp.ts"
import { forgets, type InProcess } from "./FakePeerInProcess.ts"
import * as FakePeerSse from "./FakePeerSse.ts"
import * as PeerObservation from "./PeerObservation.ts"

/**
 * How a fake agent is reached over HTTP. `replies`: whether a call is answered by a stream of events, the default, or by
 * plain JSON, which holds the result alone: neither events of the call nor questions to the client pass.
 */
export type ServeOptions =
  | { readonly transport: "streamable-http"; readonly replies?: FakePeerHttp.Replies }
  | { readonly transport: "sse" }

/** `connections`: every connection to the fake, idle ones too, once all that was closed is seen to be closed. */
export interface Served extends InProcess {
  readonly connections: Effect.Effect<ReadonlyArray<string>>
}

/**
 * A fake agent that listens on a free port of 127.0.0.1 until the Scope ends. Every session is a server of its own.
 * `peer.leftovers` names sessions that were not ended, and requests that are still under way.
 *
 * @example
 * ```ts
 * import { type FakeDialect, FakePeer } from "@zain/contract-tests"
 *
 * const serve = (dialect: FakeDialect.FakeDialect) => FakePeer.serve(dialect, { transport: "streamable-http" })
 * ```
 */
export const serve = (dialect: FakeDialect, options: ServeOptions): Effect.Effect<Served, never, Scope.Scope> =>
  Effect.gen(function* () {
    const record = PeerObservation.make()
    const newDialect = () => dialect.server.make({ args: [], env: {} })
    const { transport } = options
    const isSse = transport === "sse"
    const { connections, origin, requests } = yield* FakePeerHost.listen(
      isSse ? FakePeerSse.make(newDialect, record) : FakePeerHttp.make(newDialect, record, options.replies ?? "events"),
    )
    const { path, silentPath } = isSse ? FakePeerSse : FakePeerHttp
    const sessions = record.observation.leftovers
    // Over SSE a session ends with its stream; over Streamable HTTP it is ended before.
    const looks = isSse ? [requests, sessions] : [sessions, requests]
    return {
      config: { transport, serverUrl: `${origin}${path}` },
      unreachable: { transport, serverUrl: `${nowhere}${path}` },
      silent: { transport, serverUrl: `${origin}${silentPath}` },
      cannot: { ...forgets, ...dialect.server.cannot },
      peer: { ...record.observation, leftovers: Effect.map(Effect.all(looks), (found) => found.flat()) },
      connections,
    }
  })

/** No server listens on this port. */
const nowhere = "http://127.0.0.1:1"
