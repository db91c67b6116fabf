/**
 * The limits of a server that listens.
 */
import * as Duration from "effect/Duration"
import * as JsonRpcMessage from "../JsonRpcMessage.ts"
import * as ReadingRoom from "../ReadingRoom.ts"

const mebibyte = 2 ** 20

const defaults = {
  /** The largest message, in bytes. 4 MiB. */
  maxBodyBytes: 4 * mebibyte,
  ...JsonRpcMessage.defaults,
  /** The limit for all incomplete messages together, in bytes; above it, the oldest large ones are rejected. 24 MiB. */
  maxIncomingBytes: 24 * mebibyte,
  /** The most fragments of a WebSocket message. 4,096. */
  maxFragments: 4_096,
  /** How many requests of a route are handled at once; further requests are rejected. 64. */
  maxRouteRequests: 64,
  /** The most sessions at once. 64; 256 with WebSocket. */
  maxSessions: 64,
  /** The most connections at once. 256; 512 over WebSocket; 1,024 over both it and HTTP. */
  maxSockets: 256,
  /**
   * How many bytes a client may leave unread before its agents are paused; its own messages are then not read either, if its
   * answers use the same connection. 256 KiB.
   */
  maxAheadBytes: ReadingRoom.ahead,
  /** Above so many unread bytes of a client, its reading is checked every `patience`. 8 MiB. */
  maxUnreadBytes: 8 * mebibyte,
  /** The limit for the unread bytes of all clients; above it, the slowest readers are disconnected at once. 64 MiB. */
  maxUnreadTotalBytes: 64 * mebibyte,
  /** How many bytes of events a session stores for a reconnecting client; the oldest are dropped first. 4 MiB. */
  maxStoredBytes: 4 * mebibyte,
  /** How many events a session stores for a reconnecting client. 2,000. */
  maxStoredEvents: 2_000,
  /** How many bytes of answers a session keeps beyond that, since answers are dropped last. 16 MiB. */
  maxStoredAnswerBytes: 16 * mebibyte,
  /** The limit for the stored bytes of all sessions; above it, the largest store drops its oldest events. 64 MiB. */
  maxStoredTotalBytes: 64 * mebibyte,
  /** How long a client may take to send the headers of a request. 10 seconds. */
  headersTimeout: Duration.seconds(10),
  /** How long a client may take to send a request or, over a WebSocket, to initialize its session. 30 seconds. */
  requestTimeout: Duration.seconds(30),
  /** How long a session lasts without a request, an open stream or a call. 30 minutes. */
  sessionIdle: Duration.minutes(30),
  /** How long after its last connection a client counts as disconnected. 3 seconds. */
  absence: Duration.seconds(3),
  /** How often a slow reader is checked: it is disconnected when it has read nothing in six checks. 10 seconds. */
  patience: Duration.seconds(10),
  /**
   * How often a stream sends a keep-alive, and how long a WebSocket client may take to answer one; six times as long if data
   * has waited for it, and again from the start when it reads on. 15 seconds.
   */
  keepAlive: Duration.seconds(15),
  /** How long answers may take to be sent when the server shuts down. 2 seconds. */
  shutdown: Duration.seconds(2),
}

/** The limits of a server; `maxDepth`, `maxElements` and `maxNameBytes` are those of `JsonRpcMessage.Bounds`. */
export type HttpLimits = Readonly<typeof defaults>

/** Which transports a server that listens serves. */
export type Kind = "http" | "sse" | "ws" | "both"

/** A WebSocket client has one connection and no stored events, so more of them are allowed. */
const webSocket: HttpLimits = { ...defaults, maxSessions: 256, maxSockets: 512 }

/**
 * Makes the limits of a server.
 *
 * @param kind the transport
 * @param given replacements of the defaults. `maxSockets` is at least four times `maxSessions` unless given, since a client
 *   over HTTP uses a connection for its call, one for the server's stream and one for other messages; over WebSocket twice.
 *   `headersTimeout` is at most `requestTimeout`
 */
export const make = (kind: Kind, given: Partial<HttpLimits> = {}): HttpLimits => {
  const limits = { ...(kind === "ws" || kind === "both" ? webSocket : defaults), ...given }
  return {
    ...limits,
    maxSockets: given.maxSockets ?? Math.max(limits.maxSockets, (kind === "ws" ? 2 : 4) * limits.maxSessions),
    headersTimeout: Duration.min(limits.headersTimeout, limits.requestTimeout),
  }
}
