/**
 * Why an operation on an editor failed: five errors, closed, each with a reason.
 *
 * @see seed, DDD error handling; Failures
 */
import * as Data from "effect/Data"

/**
 * Whether the editor may have begun: `not-sent`, no byte of the call left this process; `unknown`, it was sent and its
 * outcome was lost; `answered`, the editor answered with a failure.
 */
export type Delivery = "not-sent" | "unknown" | "answered"

interface Fields<Reason extends string> {
  /** What failed, why, and what to do next. */
  readonly message: string
  /** Whether the call was sent. */
  readonly delivery: Delivery
  /** One word from the closed list of the error. */
  readonly reason: Reason
  /** The editor's own code; replaces the error's. */
  readonly code?: string
  /** More members of the editor's failure, for programs. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** The connection was lost, or the editor's data is invalid. */
export class ConnectionError extends Data.TaggedError("ConnectionError")<
  Fields<"lost" | "away" | "garbage" | "over-limit" | "busy" | "closed">
> {}

/** The editor is unreachable. */
export class DiscoveryError extends Data.TaggedError("DiscoveryError")<
  Fields<"refused" | "connect-timeout" | "not-this-editor" | "wrong-project">
> {}

/** The editor's answer is a failure, or there was none in time. */
export class ToolExecutionError extends Data.TaggedError("ToolExecutionError")<
  Fields<"editor" | "security-blocked" | "timeout">
> {}

/** The editor's own failure, or what the profile denies on its behalf. */
export const ofEditor = (failure: Omit<Fields<"editor" | "security-blocked">, "delivery">) =>
  new ToolExecutionError({ ...failure, delivery: "answered" })

/** The call cannot be sent as it is. */
export class ValidationError extends Data.TaggedError("ValidationError")<
  Fields<"arguments" | "unknown-tool" | "too-large">
> {}

/** A rule about a client is wrong. */
export class ClientCompatibilityError extends Data.TaggedError("ClientCompatibilityError")<Fields<"client-rule">> {}

export type DomainError =
  | ConnectionError
  | DiscoveryError
  | ToolExecutionError
  | ValidationError
  | ClientCompatibilityError

/** What kind of thing failed. */
export type Category = "connection" | "tool" | "validation"

const kinds: Readonly<Record<DomainError["_tag"], readonly [code: string, category: Category]>> = {
  ConnectionError: ["CONNECTION_ERROR", "connection"],
  DiscoveryError: ["DISCOVERY_ERROR", "connection"],
  ToolExecutionError: ["TOOL_EXECUTION_ERROR", "tool"],
  ValidationError: ["VALIDATION_ERROR", "validation"],
  ClientCompatibilityError: ["CLIENT_COMPATIBILITY_ERROR", "validation"],
}

/** The code of an error: the editor's own, `OPERATION_TIMEOUT` for a deadline, or the one of its kind. */
export const codeOf = (error: DomainError): string =>
  error.code ?? (error.reason === "timeout" ? "OPERATION_TIMEOUT" : kinds[error._tag][0])

export const categoryOf = ({ _tag }: DomainError): Category => kinds[_tag][1]
