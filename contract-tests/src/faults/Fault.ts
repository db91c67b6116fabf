/**
 * One way in which a server misbehaves: what the server does, over which transports, and what is due from a client. The
 * peer's program loads the faults too, so nothing here needs the workspace at run time.
 */
import type { McpDelivery, McpDiagnostics } from "@zain/core/McpError"
import type { McpTransport } from "@zain/core/McpTransport"
import type { Asked, Behaviour, HttpHit, Kind } from "./peer/Behaviour.ts"
import { at } from "./peer/HttpHit.ts"

/**
 * A failure that is due.
 *
 * - `reasons`: one of these. No two kinds of errors share a reason
 * - `delivery`: the verdict on a retry; either when left out
 * - `diagnostics`: what they must hold, part by part. `retryAfter` may be a range
 */
export interface Failure {
  readonly reasons: ReadonlyArray<string>
  readonly delivery?: McpDelivery
  readonly diagnostics?: Partial<Omit<McpDiagnostics, "retryAfter">>
  readonly retryAfter?: readonly [number, number] | "none"
}

/** How a call ends: with the right answer, with one that says `isError`, or with a failure. */
export type CallOutcome = "answers" | "is-error" | Failure

/**
 * What the next execute does.
 *
 * - `answers`: the session goes on as if nothing had happened
 * - `as-after-cancel`, `as-after-failure`: it answers, or is `conversation-lost`, as the client's `supports` says
 * - `answers-or-lost`: either; the server was heard, and the client may trust it or not
 * - `anything`: it only has to end
 */
export type Next = "answers" | "as-after-cancel" | "as-after-failure" | "answers-or-lost" | "anything" | Failure

/**
 * What is due on one transport. `opening`: the open fails. `call`: how the call that is struck ends, in one of these
 * ways, and `next` what comes after.
 */
export type Expectation =
  | { readonly opening: Failure }
  | { readonly call: ReadonlyArray<CallOutcome>; readonly next: Next }

/** The limits of a caller, in milliseconds on an idle machine, and bytes. */
export interface Limits {
  readonly connectTimeout: number
  readonly idleTimeout: number
  readonly closeGrace: number
  readonly maxMessageBytes: number
  readonly maxEventBytes: number
  readonly deadline: number
}

/** What is due, on the transports where a fault exists. */
export type Expected = Readonly<Partial<Record<McpTransport, Expectation>>>

/**
 * - `id`: its name, stable, the same on every transport
 * - `title`: what the server does, as a clause
 * - `promises`: the numbers of the promises that it puts to the test
 * - `strikes`: when
 * - `peer`: what the server does
 * - `expected`: what is due, on the transports where the fault exists
 * - `limits`: those that differ from the suite's own
 * - `endsBy`: the limit that must end the operation; it ends by itself when left out
 * - `takes`: how long the server itself takes, in milliseconds on an idle machine
 * - `promptBytes`: how long the prompt of the call is; a few words when left out
 * - `settles`: the next execute comes once the server is seen to be gone
 * - `keepsSession`: the client cannot end the session at the server, or the server will not say that it did
 * - `told`: the server must be told that the call is no longer wanted
 * - `unread`: one more reader of the session's events takes none until the session is closed
 * - `resumes`: how often the client must come back for the answer, never less than 100 ms apart
 */
export interface Fault {
  readonly id: string
  readonly title: string
  readonly promises: ReadonlyArray<number>
  readonly strikes: "handshake" | "call" | "close"
  readonly peer: Behaviour
  readonly expected: Expected
  readonly limits?: Partial<Limits>
  readonly endsBy?: "connectTimeout" | "idleTimeout" | "deadline"
  readonly takes?: number
  readonly promptBytes?: number
  readonly settles?: true
  readonly keepsSession?: true
  readonly told?: true
  readonly unread?: true
  readonly resumes?: number
}

/** Every transport that there is. */
export const transports: ReadonlyArray<McpTransport> = ["stdio", "streamable-http", "sse"]

/** What is due where limits are not the point. */
export const usual: Omit<Limits, "deadline" | "maxEventBytes"> = {
  connectTimeout: 240_000,
  idleTimeout: 240_000,
  closeGrace: 600,
  maxMessageBytes: 4 * 1024 * 1024,
}

/** The call is answered, and the session goes on. */
export const answers: Expectation = { call: ["answers"], next: "answers" }

/** The open fails for one of these reasons. */
export const opensNot = (...reasons: ReadonlyArray<string>): Expectation => ({
  opening: { reasons, delivery: "not-sent" },
})

/** The prompt may have been taken up. */
export const unknown = (...reasons: ReadonlyArray<string>): Failure => ({ reasons, delivery: "unknown" })

/** The prompt was not taken up. */
export const notSent = (...reasons: ReadonlyArray<string>): Failure => ({ reasons, delivery: "not-sent" })

/** The call fails. */
export const fails = (failure: Failure, next: Next): Expectation => ({ call: [failure], next })

/** What a fault may say beside its name, its expectation and what its server does. */
export type More = Omit<Partial<Fault>, "id" | "title" | "promises" | "strikes" | "peer" | "expected">

/** The limit that must end the operation, in milliseconds. */
export const endsBy = (limit: NonNullable<Fault["endsBy"]>, millis: number): More => ({
  limits: { [limit]: millis },
  endsBy: limit,
})

const moments: Readonly<Partial<Record<Kind, Fault["strikes"]>>> = {
  initialize: "handshake",
  initialized: "handshake",
  delete: "close",
}

/**
 * Faults on these transports, or on all, of which the same is due, and whose server is still to be said:
 *
 * - `call`, `initialize`: it answers that request in a way of its own, on any transport
 * - `at`: it does so with a kind of HTTP requests
 * - `by`: it does anything else, which shows at this moment
 */
export const dueOn =
  (...where: ReadonlyArray<McpTransport>) =>
  (expectation: Expectation, most: More = {}) => {
    const places = where.length === 0 ? transports : where
    const expected: Expected = Object.fromEntries(places.map((transport) => [transport, expectation]))
    return (id: string, title: string, promises: ReadonlyArray<number>, more: More = {}) => {
      const by = (strikes: Fault["strikes"], peer: Behaviour): Fault => ({
        ...{ id, title, promises, strikes, peer, expected },
        ...most,
        ...more,
      })
      return {
        by,
        call: (call: (asked: Asked) => void) => by("call", { call }),
        initialize: (initialize: (asked: Asked) => void) => by("handshake", { initialize }),
        at: (kind: Kind, strike: (hit: HttpHit) => void) => by(moments[kind] ?? "call", at(kind, strike)),
      }
    }
  }
