/**
 * One way in which a server misbehaves: what the server does, over which transports, and what a client must do. The peer's
 * program loads the faults too, so this module imports nothing of the workspace at run time.
 */
import type { McpDelivery, McpDiagnostics } from "@zain/core/McpError"
import type { McpTransport } from "@zain/core/McpTransport"
import type { Asked, Behaviour, HttpHit, Kind } from "./peer/Behaviour.ts"
import { at } from "./peer/HttpHit.ts"

/** The error with which an operation must fail. */
export interface Failure {
  /** The accepted reasons; a reason belongs to one tag, so that none is needed here. */
  readonly reasons: ReadonlyArray<string>
  /** The demanded `delivery`; either if omitted. */
  readonly delivery?: McpDelivery
  /** The demanded members of `diagnostics`; further members are accepted. */
  readonly diagnostics?: Partial<Omit<McpDiagnostics, "retryAfter">>
  /** The least and the greatest accepted `retryAfter` in milliseconds, or `none` if it must be absent. */
  readonly retryAfter?: readonly [number, number] | "none"
}

/** How a call ends: with the right answer, with one that has `isError`, or with a failure. */
export type CallOutcome = "answers" | "is-error" | Failure

/**
 * What the next `execute` in the session must do.
 *
 * - `answers`: succeed
 * - `as-after-cancel`, `as-after-failure`: succeed, or fail with `conversation-lost`, as the client's `supports` says
 * - `answers-or-lost`: either
 * - `anything`: end, in any way
 */
export type Next = "answers" | "as-after-cancel" | "as-after-failure" | "answers-or-lost" | "anything" | Failure

/** What must happen on one transport. */
export type Expectation =
  | {
      /** `openSession` fails with this error. */
      readonly opening: Failure
    }
  | {
      /** The struck call ends in one of these ways. */
      readonly call: ReadonlyArray<CallOutcome>
      /** What the call after it does. */
      readonly next: Next
    }

/** The limits of the client during a fault. Durations are milliseconds on an idle machine. */
export interface Limits {
  /** The connection's `connectTimeout` in milliseconds. */
  readonly connectTimeout: number
  /** The connection's `idleTimeout` in milliseconds. */
  readonly idleTimeout: number
  /** The connection's `closeGrace` in milliseconds. */
  readonly closeGrace: number
  /** The connection's `maxMessageBytes`. */
  readonly maxMessageBytes: number
  /** The connection's `maxEventBytes`. */
  readonly maxEventBytes: number
  /** The request's `deadline` in milliseconds. */
  readonly deadline: number
}

/** The expectation on each transport where a fault exists. */
export type Expected = Readonly<Partial<Record<McpTransport, Expectation>>>

/** One way in which a server misbehaves. */
export interface Fault {
  /** The name of the fault, the same on every transport and from release to release. */
  readonly id: string
  /** What the server does, as a clause that follows "a server that". */
  readonly title: string
  /**
   * The numbers of the library's guarantees that the fault tests, as docs/internals/promises.md of Zain's repository
   * lists them.
   */
  readonly promises: ReadonlyArray<number>
  /** The operation in which the fault happens: `openSession`, a call after a healthy one, or `closeSession`. */
  readonly strikes: "handshake" | "call" | "close"
  /** How the server deviates from a healthy one. */
  readonly peer: Behaviour
  /** What must happen, on each transport where the fault exists. */
  readonly expected: Expected
  /** The limits that differ from the suite's own. */
  readonly limits?: Partial<Limits>
  /** The limit that must end the operation; if omitted, the operation must end without one. */
  readonly endsBy?: "connectTimeout" | "idleTimeout" | "deadline"
  /** How long the server itself takes, in milliseconds on an idle machine; 0 by default. */
  readonly takes?: number
  /** The length in bytes of the prompt whose call the fault hits; a few words by default. */
  readonly promptBytes?: number
  /** Set if the suite makes the next call only after the server's process or session has ended. */
  readonly settles?: true
  /** Set if the client cannot end the session at the server, or the server does not confirm it. */
  readonly keepsSession?: true
  /** Set if the server must receive the cancel of the call. */
  readonly mustCancel?: true
  /** Set if a second reader of the session's events reads none until the session is closed. */
  readonly unread?: true
  /** How often the client must reconnect for the answer, at least 100 ms apart; 0 by default. */
  readonly resumes?: number
}

/** All transports. */
export const transports: ReadonlyArray<McpTransport> = ["stdio", "streamable-http", "sse"]

/** The limits of faults that are not about limits. */
export const usual: Omit<Limits, "deadline" | "maxEventBytes"> = {
  connectTimeout: 240_000,
  idleTimeout: 240_000,
  closeGrace: 600,
  maxMessageBytes: 4 * 1024 * 1024,
}

/** The call succeeds, and so does the next. */
export const answers: Expectation = { call: ["answers"], next: "answers" }

/** `openSession` fails with one of these reasons. */
export const opensNot = (...reasons: ReadonlyArray<string>): Expectation => ({
  opening: { reasons, delivery: "not-sent" },
})

/** A failure with `delivery: "unknown"`: the agent may have started. */
export const unknown = (...reasons: ReadonlyArray<string>): Failure => ({ reasons, delivery: "unknown" })

/** A failure with `delivery: "not-sent"`: the agent did not start. */
export const notSent = (...reasons: ReadonlyArray<string>): Failure => ({ reasons, delivery: "not-sent" })

/** The call fails. */
export const fails = (failure: Failure, next: Next): Expectation => ({ call: [failure], next })

/** The optional members of a fault. */
export type More = Omit<Partial<Fault>, "id" | "title" | "promises" | "strikes" | "peer" | "expected">

/** Sets the limit that must end the operation, in milliseconds. */
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
 * Builds faults with one expectation, on some transports or (without arguments) on all. The result takes id, title and
 * promises, and then what the server does:
 *
 * - `call`, `initialize`: how it answers that request, on any transport
 * - `at`: how it answers one kind of HTTP request
 * - `by`: anything else, with the operation in which it happens
 */
export const dueOn =
  (...where: ReadonlyArray<McpTransport>) =>
  (expectation: Expectation, max: More = {}) => {
    const places = where.length === 0 ? transports : where
    const expected: Expected = Object.fromEntries(places.map((transport) => [transport, expectation]))
    return (id: string, title: string, promises: ReadonlyArray<number>, more: More = {}) => {
      const by = (strikes: Fault["strikes"], peer: Behaviour): Fault => ({
        ...{ id, title, promises, strikes, peer, expected },
        ...max,
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
