/**
 * The four ways in which an operation fails, and nothing else.
 *
 * Match on `_tag`, then on `reason`. Every error says in `message` what happened and what to do, and in `delivery`
 * whether asking again is safe.
 *
 * @see seed, `McpError`; design: "exactly four, closed"
 */
import * as Schema from "effect/Schema"

/**
 * The verdict on a retry. `not-sent`: no byte of the prompt left this process, or the agent said that it did not take
 * it up, so asking again is safe. `unknown`: the agent may have begun, so asking again may do the work twice.
 */
export const McpDelivery = Schema.Literals(["not-sent", "unknown"])
export type McpDelivery = typeof McpDelivery.Type

/**
 * What was seen of the server when the operation failed. Secrets are redacted.
 *
 * - `exitCode`, `signal`: how the server's process ended
 * - `stderrTail`: the last it wrote to its standard error
 * - `httpStatus`: the status it answered with
 * - `retryAfter`: how long it asks to be left alone, in milliseconds
 */
export const McpDiagnostics = Schema.Struct({
  exitCode: Schema.optionalKey(Schema.Int),
  signal: Schema.optionalKey(Schema.String),
  stderrTail: Schema.optionalKey(Schema.String),
  httpStatus: Schema.optionalKey(Schema.Int),
  retryAfter: Schema.optionalKey(Schema.Number),
})
export type McpDiagnostics = typeof McpDiagnostics.Type

const fields = {
  message: Schema.String,
  delivery: McpDelivery,
  diagnostics: Schema.optionalKey(McpDiagnostics),
  /** The agent's own name for the conversation, once it is known: a later session can go on with it. */
  threadId: Schema.optionalKey(Schema.String),
  /** What lay underneath, for logs. It is no part of the contract. */
  cause: Schema.optionalKey(Schema.Defect()),
}

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

/** The server could not be reached, or was lost. */
export class ConnectionUnavailable extends Schema.TaggedError<ConnectionUnavailable>(
  "@zain/core/ConnectionUnavailable",
)("ConnectionUnavailable", { reason: ConnectionUnavailableReason, ...fields }) {}

export const SessionClosedReason = Schema.Literals(["closed", "conversation-lost"])
export type SessionClosedReason = typeof SessionClosedReason.Type

/**
 * The session is over (`closed`), or its agent can no longer remember what was said (`conversation-lost`). Open a new
 * one.
 */
export class SessionClosed extends Schema.TaggedError<SessionClosed>("@zain/core/SessionClosed")("SessionClosed", {
  reason: SessionClosedReason,
  ...fields,
}) {}

export const SessionNotFoundReason = Schema.Literals(["unknown-session"])
export type SessionNotFoundReason = typeof SessionNotFoundReason.Type

/** No session of this client has this id. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>("@zain/core/SessionNotFound")(
  "SessionNotFound",
  { reason: SessionNotFoundReason, ...fields },
) {}

export const InvalidRequestReason = Schema.Literals(["empty-content", "invalid-config", "rejected-by-server"])
export type InvalidRequestReason = typeof InvalidRequestReason.Type

/** What was asked cannot be asked: an empty prompt, a malformed configuration, or a call that the server refuses. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>("@zain/core/InvalidRequest")("InvalidRequest", {
  reason: InvalidRequestReason,
  ...fields,
}) {}

/** Exactly four. As a schema, so that an error crosses a wire unchanged. */
export const McpError = Schema.Union([ConnectionUnavailable, SessionClosed, SessionNotFound, InvalidRequest])
export type McpError = ConnectionUnavailable | SessionClosed | SessionNotFound | InvalidRequest

/**
 * The same error with other fields.
 *
 * @param error stays as it is
 * @param changes what is different, such as `delivery`
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
 * Refuses an input that is wrong as it stands, before anything is sent.
 *
 * @param message says what is wrong and what to write in its place; what does not fit is cut
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

/** Whether a value is one of the four, by `_tag`: also true for errors of another copy of this package. */
export const isMcpError = (value: unknown): value is McpError =>
  typeof value === "object" && value !== null && "_tag" in value && tags.has(value._tag)

const tags: ReadonlySet<unknown> = new Set(Object.keys(classes))

/** The longest message of an error, in bytes of UTF-8. */
export const messageLimit = 1024

/** Cuts a text to what fits an error's message, between characters, and shows that it did. */
export const clip = (text: string, limit: number = messageLimit): string => {
  const bytes = new TextEncoder().encode(text.length <= limit ? text : text.slice(0, limit + 1))
  if (bytes.length <= limit) return text.toWellFormed()
  const kept = new TextDecoder().decode(bytes.subarray(0, limit - 3))
  return `${kept.replace(/\uFFFD+$/, "")}…`
}
