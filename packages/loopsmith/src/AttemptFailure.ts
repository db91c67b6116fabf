/**
 * Why one attempt failed, and whether another may succeed.
 */
import * as FailedTurn from "@zain/core/FailedTurn"
import type { McpError } from "@zain/core/McpError"
import type { McpResponse } from "@zain/core/McpResponse"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import type { LoopSmithReason } from "./LoopSmithError.ts"

/** One attempt failed. `Retry.run` tries again if `retryable` is true. */
export class AttemptFailure extends Data.TaggedError("AttemptFailure")<{
  /** The kind of failure; `LoopSmithError` takes it from the last attempt. */
  readonly reason: LoopSmithReason
  /** The cause, as the agent or the client reported it. For `bad-answer`, the sentence that the next prompt contains. */
  readonly details: string
  /** Whether another attempt with the same configuration may succeed. */
  readonly retryable: boolean
  /** The pause before the next request that the agent's server asked for, in milliseconds. */
  readonly retryAfter?: number
}> {
  /** The same as `details`. */
  override get message(): string {
    return this.details
  }
}

/**
 * A retryable `bad-answer` failure: the agent's answer cannot be used.
 *
 * @param problem one sentence about the answer, which the next attempt's prompt contains
 */
export const badAnswer = (problem: string): AttemptFailure =>
  new AttemptFailure({ reason: "bad-answer", details: problem, retryable: true })

/**
 * A retryable `timeout` failure: the agent did not answer within the time of one attempt.
 *
 * @param timeout the limit of the attempt; a number is milliseconds
 */
export const timedOut = (timeout: Duration.Input): AttemptFailure =>
  new AttemptFailure({
    reason: "timeout",
    details: `The agent timed out after ${Duration.format(Duration.fromInputUnsafe(timeout))}.`,
    retryable: true,
  })

/**
 * An `agent` failure: the agent reported that its turn failed. It is retryable unless `response.cause` names something that
 * the user has to fix first, such as a missing login.
 *
 * @param response a response whose `isError` is true
 */
export const failedTurn = (response: McpResponse): AttemptFailure => {
  const { cause } = response
  const said = `${response.provider} reports that its turn failed: ${response.content}`
  return new AttemptFailure({
    reason: "agent",
    details: cause === undefined ? said : `${fix(cause)} ${said}`,
    retryable: cause === undefined || cause._tag === "Unstructured" || cause._tag === "RateLimited",
    ...(cause?._tag === "RateLimited" && cause.retryAfter !== undefined ? { retryAfter: cause.retryAfter } : {}),
  })
}

/** The remedy that a retry depends on. */
const fix = (cause: FailedTurn.FailedTurnCause): string => {
  if (cause._tag === "Unstructured") return `The answer does not fit its schema: ${cause.problems.join("; ")}.`
  if (cause._tag === "RateLimited") return FailedTurn.limitText(cause)
  return cause._tag === "NotLoggedIn"
    ? `Log in with \`${cause.command}\`; \`npx -p @zain/cli zain doctor\` shows details.`
    : `Pass the variable with \`--env ${cause.variable}\`, or in \`env\` of \`local()\`.`
}

/** Reasons of `ConnectionUnavailable` that every attempt with the same configuration meets. */
const lasting: ReadonlySet<string> = new Set(["spawn-failed", "not-an-mcp-server", "unauthorized", "message-too-large"])

/**
 * An `agent` failure with the message of an `McpError`. It is retryable for a lost session or connection. `delivery` is
 * ignored: evaluating and rewriting a text change nothing, so a prompt may be sent twice.
 *
 * @param error the error that `openSession` or `execute` of `McpClient` failed with
 */
export const ofMcpError = (error: McpError): AttemptFailure => {
  const retryAfter = error.diagnostics?.retryAfter
  return new AttemptFailure({
    reason: "agent",
    details: error.message,
    retryable: error._tag === "SessionClosed" || (error._tag === "ConnectionUnavailable" && !lasting.has(error.reason)),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  })
}
