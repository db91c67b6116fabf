/**
 * How much a client may ask of the server, and for how long.
 */
import * as Duration from "effect/Duration"
import * as JsonRpcMessage from "../JsonRpcMessage.ts"
import * as ReadingRoom from "../ReadingRoom.ts"

const mebibyte = 2 ** 20

const defaults = {
  maxBodyBytes: 4 * mebibyte,
  ...JsonRpcMessage.defaults,
  maxIncomingBytes: 24 * mebibyte,
  maxFragments: 4_096,
  maxRouteRequests: 64,
  maxSessions: 64,
  maxSockets: 256,
  maxAheadBytes: ReadingRoom.ahead,
  maxUnreadBytes: 8 * mebibyte,
  maxUnreadTotalBytes: 64 * mebibyte,
  maxStoredBytes: 4 * mebibyte,
  maxStoredEvents: 2_000,
  maxStoredAnswerBytes: 16 * mebibyte,
  maxStoredTotalBytes: 64 * mebibyte,
  headersTimeout: Duration.seconds(10),
  requestTimeout: Duration.seconds(30),
  sessionIdle: Duration.minutes(30),
  absence: Duration.seconds(3),
  patience: Duration.seconds(10),
  keepAlive: Duration.seconds(15),
  shutdown: Duration.seconds(2),
}

/**
 * - `maxBodyBytes`, `maxDepth`, `maxElements`: of one message, checked before it is parsed
 * - `maxNameBytes`: of a request's id, and of its progress token
 * - `maxIncomingBytes`: of all messages together that are not whole yet; beyond it those are refused that began first
 * - `maxFragments`: in how many pieces a message may come over a WebSocket
 * - `maxRouteRequests`: how many requests of a route beside MCP are answered at once; others are refused
 * - `maxSessions`, `maxSockets`: at once
 * - `maxAheadBytes`: how much a client may leave unread before its agents are held back, and it is not listened to where
 *   its answers go the same way
 * - `maxUnreadBytes`, `patience`: what a client may leave unread, and how often one with more than that, or one for which an
 *   agent is held back, is looked at: it is let go of when it has read nothing for six looks in a row
 * - `maxUnreadTotalBytes`: what all clients together may leave unread; beyond it the worst readers are let go of at once
 * - `maxStoredBytes`, `maxStoredEvents`: what a session keeps for a client that comes back, its oldest events first to go
 * - `maxStoredAnswerBytes`: of the answers that would have gone with them
 * - `maxStoredTotalBytes`: what all sessions keep together; beyond it the one that keeps the most loses its oldest
 * - `headersTimeout`, `requestTimeout`: how long a client may take to send the head of a request, and all of it; over a
 *   WebSocket, to begin its session
 * - `sessionIdle`: how long a session lasts without a request, an open stream or a turn
 * - `absence`: how long a client without a connection counts as there
 * - `keepAlive`: how often a stream says that it is still there, and how long a WebSocket's client may take to say so;
 *   six times as long once something has waited for it, and anew whenever it has read on
 * - `shutdown`: how long answers may take to leave when the server ends
 */
export type HttpLimits = Readonly<typeof defaults>

/** A client with a WebSocket keeps one socket, and nothing is stored for it: there may be more of them. */
const webSocket: HttpLimits = { ...defaults, maxSessions: 256, maxSockets: 512 }

/**
 * The limits of a server.
 *
 * @param kind of its clients' connections
 * @param given instead of the usual ones. Where only more sessions are given, there are four times as many connections, as
 *   a client over HTTP has one for its call, one for the server's own stream, and one for what it says meanwhile; over a
 *   WebSocket twice as many. The head of a request never gets longer than all of it
 */
export const make = (kind: "http" | "sse" | "ws", given: Partial<HttpLimits> = {}): HttpLimits => {
  const limits = { ...(kind === "ws" ? webSocket : defaults), ...given }
  return {
    ...limits,
    maxSockets: given.maxSockets ?? Math.max(limits.maxSockets, (kind === "ws" ? 2 : 4) * limits.maxSessions),
    headersTimeout: Duration.min(limits.headersTimeout, limits.requestTimeout),
  }
}
