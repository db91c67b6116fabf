/**
 * The failures of sessions that every implementation words the same way.
 */
import * as Duration from "effect/Duration"
import { ConnectionUnavailable, type McpDelivery, SessionClosed, SessionNotFound } from "./McpError.ts"
import type { McpProvider } from "./McpProvider.ts"
import type { McpSessionId } from "./McpSessionId.ts"

/** `SessionNotFound`: this client never opened it. */
export const sessionNotFound = (sessionId: McpSessionId): SessionNotFound =>
  new SessionNotFound({
    reason: "unknown-session",
    message: `No session ${String(sessionId).slice(0, 64)} was opened by this client. Use an id that openSession returned.`,
    delivery: "not-sent",
  })

/** `SessionClosed`, reason `closed`. `delivery` is `unknown` for a turn that was under way. */
export const sessionClosed = (
  sessionId: McpSessionId,
  { delivery = "not-sent", threadId }: { readonly delivery?: McpDelivery; readonly threadId?: string } = {},
): SessionClosed =>
  new SessionClosed({
    reason: "closed",
    message: `Session ${sessionId} is closed. Open a new one to go on.`,
    delivery,
    ...(threadId === undefined ? {} : { threadId }),
  })

/** `SessionClosed`, reason `closed`: the client's own Scope has ended. */
export const clientClosed = (): SessionClosed =>
  new SessionClosed({
    reason: "closed",
    message: "This client is closed, and every session with it. Make a new client to go on.",
    delivery: "not-sent",
  })

/** `ConnectionUnavailable`, reason `deadline-exceeded`. */
export const deadlineExceeded = (deadline: Duration.Duration, delivery: McpDelivery): ConnectionUnavailable =>
  new ConnectionUnavailable({
    reason: "deadline-exceeded",
    message: `No answer within the deadline of ${Duration.format(deadline)}. Give the request more time, or a smaller task.`,
    delivery,
  })

/** `ConnectionUnavailable`, reason `stalled`. */
export const stalled = (provider: McpProvider, limit: Duration.Duration): ConnectionUnavailable =>
  new ConnectionUnavailable({
    reason: "stalled",
    message: `${provider} has said nothing for ${Duration.format(limit)}. If it works that long in silence, raise idleTimeout of the connection.`,
    delivery: "unknown",
  })

/** `ConnectionUnavailable`, reason `rate-limited`: the line of a session is full. */
export const tooManyWaiting = (sessionId: McpSessionId, waiting: number): ConnectionUnavailable =>
  new ConnectionUnavailable({
    reason: "rate-limited",
    message:
      `Session ${sessionId} takes one turn at a time, and ${waiting} already wait for theirs. ` +
      "Wait for answers before you ask more, open more sessions, or raise maxWaiting of the connection.",
    delivery: "not-sent",
  })
