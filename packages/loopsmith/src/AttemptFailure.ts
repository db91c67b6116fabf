/**
 * Why one attempt brought nothing, and whether another may.
 */
import type { FailedTurnCause } from "@zain/core/FailedTurn"
import type { McpError } from "@zain/core/McpError"
import type { McpResponse } from "@zain/core/McpResponse"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import type { LoopSmithReason } from "./LoopSmithError.ts"

/**
 * - `details`: the cause, as it was said
 * - `retryable`: whether another attempt may bring something
 * - `retryAfter`: how long the agent's server asks to be left alone, in milliseconds
 */
export class AttemptFailure extends Data.TaggedError("AttemptFailure")<{
  readonly reason: LoopSmithReason
  readonly details: string
  readonly retryable: boolean
  readonly retryAfter?: number
}> {
  /** The same as `details`. */
  override get message(): string {
    return this.details
  }
}

/**
 * The agent answered, and not with what it was asked for.
 *
 * @param problem one sentence that the agent is told when it is asked again
 */
export const badAnswer = (problem: string): AttemptFailure =>
  new AttemptFailure({ reason: "bad-answer", details: problem, retryable: true })

/** The agent took longer than an attempt may. */
export const timedOut = (timeout: Duration.Input): AttemptFailure =>
  new AttemptFailure({
    reason: "timeout",
    details: `The agent had no answer after ${Duration.format(Duration.fromInputUnsafe(timeout))}.`,
    retryable: true,
  })

/** The agent ran, and says that its turn failed. Another attempt is of no use where its user has to do something first. */
export const failedTurn = (response: McpResponse): AttemptFailure => {
  const { cause } = response
  const said = `${response.provider} says that its turn failed: ${response.content}`
  return new AttemptFailure({
    reason: "agent",
    details: cause === undefined ? said : `${fix(cause)} ${said}`,
    retryable: cause === undefined,
  })
}

/** What its user has to do first. */
const fix = (cause: FailedTurnCause): string =>
  cause._tag === "NotLoggedIn"
    ? `Log in with \`${cause.command}\`; \`npx @zain/cli doctor\` finds out more.`
    : `Pass the variable on: \`--env ${cause.variable}\`, or \`env\` of \`local()\`.`

/** The same configuration meets these again. */
const lasting: ReadonlySet<string> = new Set(["spawn-failed", "not-an-mcp-server", "unauthorized", "message-too-large"])

/**
 * The port failed. `delivery` plays no part in the verdict: to evaluate or to rewrite a text changes nothing, so that
 * asking twice does no harm even where the first question may have arrived.
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
