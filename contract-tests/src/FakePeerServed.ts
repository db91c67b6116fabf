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

/** How a fake agent is reached over HTTP. */
export type ServeOptions =
  | {
      /** MCP's Streamable HTTP, at `/mcp`. */
      readonly transport: "streamable-http"
      /**
       * `events` (the default): a call is answered by a stream of its events, the questions to the client, and its result.
       * `json`: by the result as plain JSON; events are lost and questions are never sent.
       */
      readonly replies?: FakePeerHttp.Replies
    }
  | {
      /**
       * MCP's older transport, HTTP with SSE (revision 2024-11-05), at `/sse`: the server sends all its messages on the
       * one event stream of the session.
       */
      readonly transport: "sse"
    }

/** A fake agent that listens on a port of 127.0.0.1, in this process. */
export interface Served extends InProcess {
  /**
   * Names every connection to the fake, idle ones too, after a wait of about half a second at most for open ones to
   * close.
   */
  readonly connections: Effect.Effect<ReadonlyArray<string>>
}

/**
 * Starts a fake agent on a free port of 127.0.0.1; it listens until the Scope ends. Each session gets a fake server of
 * its own.
 *
 * Over Streamable HTTP, the fake rejects a request that lacks the session id, the agreed protocol version or one of the
 * two media types in `accept`, or that carries more than one message, and a session ends with DELETE; over SSE, it ends
 * with its stream. `leftovers` of the returned `peer` names requests under way and sessions that have not ended. The
 * directive `Exit` closes the session's connections and removes the session.
 *
 * @param dialect the agent's dialect, such as `fakeCodex` of `@zain/codex-client/fake`
 * @param options `transport`: what the fake speaks; `replies`: how it answers calls, over Streamable HTTP only
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
