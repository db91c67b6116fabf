/**
 * The four errors of an operation. The list is closed.
 *
 * Match on `_tag`, then on `reason`. Every error has a `message` with the cause and the remedy, and a `delivery` that
 * says whether sending the prompt again is safe.
 *
 * @see seed, `McpError`
 */
import * as Schema from "effect/Schema"

/**
 * Whether sending the prompt again is safe.
 *
 * - `not-sent`: safe; no byte of the prompt left this process, or the server reported that it did not take the prompt
 *   up. With a reason such as `unauthorized`, `invalid-config` or `conversation-lost` it fails again until the cause is
 *   mended
 * - `unknown`: the agent may have begun, and a second prompt may do the work twice
 *
 * @see docs/internals/promises.md, 3
 */
export const McpDelivery = Schema.Literals(["not-sent", "unknown"])
export type McpDelivery = typeof McpDelivery.Type

/**
 * What was observed of the server when the operation failed. A field is absent if it was not observed; secrets are
 * redacted.
 */
export const McpDiagnostics = Schema.Struct({
  /** The exit code of the server's process (stdio); absent while it runs, and if a signal ended it. */
  exitCode: Schema.optionalKey(Schema.Int),
  /**
   * The signal that ended the server's process (stdio), such as `SIGKILL`: often the kernel's, when memory is
   * exhausted.
   */
  signal: Schema.optionalKey(Schema.String),
  /** The end of the server's standard error (stdio), at most 4,096 characters. */
  stderrTail: Schema.optionalKey(Schema.String),
  /** The HTTP status of the response that made the operation fail, such as 401. */
  httpStatus: Schema.optionalKey(Schema.Int),
  /**
   * How long to wait before the next request, in milliseconds, from the server's `Retry-After` header, or from the cause
   * `RateLimited` of a response.
   */
  retryAfter: Schema.optionalKey(Schema.Number),
})
export type McpDiagnostics = typeof McpDiagnostics.Type

const fields = {
  /**
   * The cause and the remedy, for people, in at most 1,024 bytes of UTF-8. Secrets are redacted. The wording may change
   * in any release: match on `reason`.
   */
  message: Schema.String,
  /**
   * Whether sending the prompt again is safe: `not-sent` is, `unknown` may do the work twice. With a reason such as
   * `unauthorized`, `invalid-config` or `conversation-lost` it fails again until the cause is corrected.
   */
  delivery: McpDelivery,
  /**
   * What was observed of the server: exit code, standard error, HTTP status, `retryAfter`. Absent if there was nothing.
   */
  diagnostics: Schema.optionalKey(McpDiagnostics),
  /**
   * The agent's id of the conversation, once it is known. Pass it as the provider's option `threadId` to continue it
   * later.
   */
  threadId: Schema.optionalKey(Schema.String),
  /**
   * The `cause` of the response if `McpResponse.orFail` or `getOrThrow` made the error. Else the underlying error, for
   * logs, which may change in any release.
   */
  cause: Schema.optionalKey(Schema.Defect()),
} as const

/**
 * Why the server could not be reached, or was lost. docs/reference/errors.md has the messages and remedies of each.
 *
 * - `spawn-failed`: the process of the server could not be started
 * - `not-an-mcp-server`: the command or URL answers, but does not speak MCP
 * - `connect-timeout`: no MCP handshake within `connectTimeout`, 30 s by default
 * - `unreachable`: no connection to the URL, such as connection refused, an unknown host or an untrusted certificate
 * - `unauthorized`: the server or a proxy rejected the credentials (HTTP 401, 403 or 407)
 * - `server-exited`: the process of the server ended
 * - `connection-lost`: the connection or stream to the server broke off
 * - `session-expired`: the server has ended its own session (HTTP 404 or 410), such as after a restart
 * - `rate-limited`: HTTP 429, more than `maxWaiting` executes wait in the session, or `McpResponse.orFail` or `getOrThrow`
 *   received a turn that a limit of the account has ended; see `diagnostics.retryAfter`
 * - `server-error`: the server answered with a JSON-RPC error or HTTP 5xx, or `McpResponse.orFail` or `getOrThrow`
 *   received another failed turn
 * - `protocol-violation`: the server's answer is malformed, or a callback or Zain itself threw; see `cause`
 * - `message-too-large`: a message exceeds `maxMessageBytes`, `maxMessageDepth` or `maxMessageElements`
 * - `deadline-exceeded`: no answer within the request's `deadline`, or within a limit of an `McpBudget`
 * - `stalled`: the agent was silent for `idleTimeout`, 5 min by default
 *
 * @see docs/reference/errors.md
 */
export const ConnectionUnavailableReason = Schema.Literals([
  "spawn-failed",
  "not-an-mcp-server",
  "connect-timeout",
  "unreachable",
  "unauthorized",
  "server-exited",
  "connection-lost",
  "session-expired",
  "rate-limited",
  "server-error",
  "protocol-violation",
  "message-too-large",
  "deadline-exceeded",
  "stalled",
])
export type ConnectionUnavailableReason = typeof ConnectionUnavailableReason.Type

/**
 * The server could not be reached, was lost, did not answer, or answered with an error. After `server-exited`,
 * `connection-lost` and `session-expired`, open a new session.
 */
export class ConnectionUnavailable extends Schema.TaggedError<ConnectionUnavailable>(
  "@zain/core/ConnectionUnavailable",
)("ConnectionUnavailable", {
  /** What happened, from a closed list of 14, such as `unauthorized`, `connect-timeout` or `server-exited`. */
  reason: ConnectionUnavailableReason,
  ...fields,
}) {}

/**
 * Why the session is over.
 *
 * - `closed`: `closeSession` or the end of the client closed it; delivery is `unknown` for a turn that was under way
 * - `conversation-lost`: the agent cannot continue the conversation, or has none with the given `threadId`
 *
 * @see docs/reference/errors.md
 */
export const SessionClosedReason = Schema.Literals(["closed", "conversation-lost"])
export type SessionClosedReason = typeof SessionClosedReason.Type

/** The session is over, or its agent cannot continue the conversation. Open a new session. */
export class SessionClosed extends Schema.TaggedError<SessionClosed>("@zain/core/SessionClosed")("SessionClosed", {
  /**
   * `closed` by `closeSession` or the end of the client, or `conversation-lost` where the agent cannot continue the
   * conversation.
   */
  reason: SessionClosedReason,
  ...fields,
}) {}

/**
 * Why the session was not found. `unknown-session`: this client did not open it, or 100,000 others have closed since it
 * closed; ids of another client, or of an earlier run of the program, are unknown to it.
 *
 * @see docs/decisions/0010-session-not-found-reason.md
 */
export const SessionNotFoundReason = Schema.Literals(["unknown-session"])
export type SessionNotFoundReason = typeof SessionNotFoundReason.Type

/** This client has no session with the id. Use an id that its `openSession` returned. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>("@zain/core/SessionNotFound")(
  "SessionNotFound",
  {
    /**
     * Always `unknown-session`: this client did not open a session with the id, or 100,000 others have closed since
     * that session closed.
     */
    reason: SessionNotFoundReason,
    ...fields,
  },
) {}

/**
 * Why the request is invalid.
 *
 * - `empty-content`: the prompt has no characters
 * - `invalid-config`: a configuration, an option or a request is malformed; `message` names the path of the wrong value
 * - `not-supported`: the agent cannot do what a member of the request asks; `message` names both
 * - `no-turn`: `steer` needs a turn under way, and there is none
 * - `rejected-by-server`: the server refused the call (JSON-RPC -32700, -32600, -32601 or -32602, or HTTP 4xx)
 *
 * @see docs/reference/errors.md
 */
export const InvalidRequestReason = Schema.Literals([
  "empty-content",
  "invalid-config",
  "not-supported",
  "no-turn",
  "rejected-by-server",
])
export type InvalidRequestReason = typeof InvalidRequestReason.Type

/**
 * The request cannot succeed as it is: an empty prompt, a malformed configuration, or a call that the server refuses.
 */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>("@zain/core/InvalidRequest")("InvalidRequest", {
  /**
   * An empty prompt (`empty-content`), a malformed configuration, option or request (`invalid-config`), a request of what
   * the agent cannot do (`not-supported`), or a call that the server refused (`rejected-by-server`).
   */
  reason: InvalidRequestReason,
  ...fields,
}) {}

/**
 * Schema of every error of a client: `ConnectionUnavailable`, `SessionClosed`, `SessionNotFound` or `InvalidRequest`;
 * no other will be added. It encodes an error to JSON, and decodes it again unchanged.
 */
export const McpError = Schema.Union([ConnectionUnavailable, SessionClosed, SessionNotFound, InvalidRequest])
export type McpError = ConnectionUnavailable | SessionClosed | SessionNotFound | InvalidRequest

/**
 * Copies an error and changes some of its fields. The copy has the same class, `reason` and `diagnostics`.
 *
 * @param error the error to copy; it is not changed
 * @param changes the new values of `delivery`, `message` and `threadId`; a `message` is not shortened here: pass a long
 *   one through `clip` first
 *
 * @example
 * ```ts
 * import { McpError } from "@zain/core"
 *
 * const notSent = (error: McpError) => McpError.amended(error, { delivery: "not-sent" })
 * ```
 */
export const amended = <E extends McpError>(
  error: E,
  changes: Partial<Pick<McpError, "delivery" | "message" | "threadId">>,
): E => {
  const { cause, delivery, diagnostics, message, reason, threadId } = error
  const same = { reason, message, delivery }
  const known = Object.entries({ diagnostics, threadId, cause }).filter(([, value]) => value !== undefined)
  const make = classes[error._tag] as unknown as new (fields: object) => E
  return new make({ ...same, ...Object.fromEntries(known), ...changes })
}

const classes = { ConnectionUnavailable, SessionClosed, SessionNotFound, InvalidRequest }

/**
 * An `InvalidRequest` with reason `invalid-config` and delivery `not-sent`: for adapters, to reject options before
 * anything is sent.
 *
 * @param message what is wrong and how to correct it; cut to 1,024 bytes
 *
 * @example
 * ```ts
 * import { McpError } from "@zain/core"
 *
 * const noTools = McpError.invalidConfig("`tools` is empty. Name at least one.")
 * ```
 */
export const invalidConfig = (message: string): InvalidRequest =>
  new InvalidRequest({ reason: "invalid-config", message: clip(message), delivery: "not-sent" })

/**
 * Whether a value is one of the four errors, by its `_tag`: also true for errors of another copy of this package.
 *
 * @param value any value, such as the one that `catch` received
 */
export const isMcpError = (value: unknown): value is McpError =>
  typeof value === "object" && value !== null && "_tag" in value && tags.has(value._tag)

const tags: ReadonlySet<unknown> = new Set(Object.keys(classes))

/** The longest `message` of an error, in bytes of UTF-8. */
export const maxErrorMessageBytes = 1024

/**
 * Cuts a text to a number of bytes, between characters. A text that is cut ends with `…`.
 *
 * @param text a text of any length; half a surrogate pair in it becomes U+FFFD
 * @param limit the longest result, in bytes of UTF-8; 1,024 by default
 */
export const clip = (text: string, limit: number = maxErrorMessageBytes): string => {
  const bytes = new TextEncoder().encode(text.length <= limit ? text : text.slice(0, limit + 1))
  if (bytes.length <= limit) return text.toWellFormed()
  const kept = new TextDecoder().decode(bytes.subarray(0, limit - 3))
  return `${kept.replace(/\uFFFD+$/, "")}…`
}
