/**
 * The demands of cases, as Effects that fail with `ContractViolation`.
 */
import * as McpError from "@zain/core/McpError"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"

/** A demand was not met. */
export class ContractViolation extends Data.TaggedError("ContractViolation")<{ readonly message: string }> {}

/** Fails with this message. */
export const violation = (message: string) => Effect.fail(new ContractViolation({ message }))

/** Demands a condition; the message names it. */
export const that = (isSo: boolean, message: string): Effect.Effect<void, ContractViolation> =>
  isSo ? Effect.void : violation(message)

/** Demands that two values are structurally equal. */
export const equal = <A>(actual: A, expected: A, what: string): Effect.Effect<void, ContractViolation> =>
  that(Equal.equals(actual, expected), `${what} must be ${show(expected)}, and is ${show(actual)}.`)

/** The demanded members of an error. `mentions`: a text that its message must contain. */
export interface Expected {
  readonly reason?: string | ReadonlyArray<string>
  readonly delivery?: McpError.McpDelivery
  readonly mentions?: string
}

/**
 * Demands that an operation failed with this typed error.
 *
 * @returns the error
 */
export const failed = Effect.fnUntraced(function* <Tag extends McpError.McpError["_tag"]>(
  exit: Exit.Exit<unknown, unknown>,
  tag: Tag,
  expected: Expected = {},
): Effect.fn.Return<Extract<McpError.McpError, { _tag: Tag }>, ContractViolation> {
  if (Exit.isSuccess(exit)) return yield* violation(`Expected ${tag}, but it succeeded with ${show(exit.value)}.`)
  const [reason, ...others] = exit.cause.reasons
  if (reason?._tag !== "Fail" || others.length > 0) {
    return yield* violation(`Expected ${tag} as a typed error, but it ended with ${Cause.pretty(exit.cause)}`)
  }
  const { error } = reason
  yield* wellFormed(error)
  if (!McpError.isMcpError(error) || error._tag !== tag)
    return yield* violation(`Expected ${tag}, but it failed with ${show(error)}.`)
  const reasons = expected.reason === undefined ? undefined : [expected.reason].flat()
  yield* that(
    reasons === undefined || reasons.includes(error.reason),
    `${tag} must have the reason ${reasons?.join(" or ")}, and has ${error.reason}: ${error.message}`,
  )
  yield* that(
    expected.delivery === undefined || error.delivery === expected.delivery,
    `The delivery of ${tag} ${error.reason} must be ${expected.delivery}, and is ${error.delivery}.`,
  )
  yield* that(
    expected.mentions === undefined || error.message.includes(expected.mentions),
    `The message must name ${expected.mentions}, and is: ${error.message}`,
  )
  return error as Extract<McpError.McpError, { _tag: Tag }>
})

/** Runs an operation, and demands that it fails with this typed error. */
export const fails = <Tag extends McpError.McpError["_tag"], R>(
  operation: Effect.Effect<unknown, unknown, R>,
  tag: Tag,
  expected?: Expected,
) => Effect.flatMap(Effect.exit(operation), (exit) => failed(exit, tag, expected))

const reasonsOf: Readonly<Record<string, Schema.Schema<string>>> = {
  ConnectionUnavailable: McpError.ConnectionUnavailableReason,
  SessionClosed: McpError.SessionClosedReason,
  SessionNotFound: McpError.SessionNotFoundReason,
  InvalidRequest: McpError.InvalidRequestReason,
}

/** Demands that a value is one of the four errors, with a reason from its list, a `delivery` and a readable message. */
export const wellFormed = (error: unknown): Effect.Effect<void, ContractViolation> => {
  if (!McpError.isMcpError(error)) return violation(`An error must be one of the four, and is ${show(error)}.`)
  const { _tag, delivery, message, reason } = error
  const known = reasonsOf[_tag]
  return Effect.andThen(
    that(
      known !== undefined && Schema.is(known)(reason),
      `${_tag} has the reason ${show(reason)}, which is not on the list.`,
    ),
    Effect.andThen(
      that(Schema.is(McpError.McpDelivery)(delivery), `The delivery of ${_tag} ${reason} is ${show(delivery)}.`),
      that(isReadable(message), `The message of ${_tag} ${reason} must be a readable sentence: ${show(message)}`),
    ),
  )
}

const isReadable = (message: unknown) =>
  typeof message === "string" &&
  message.length <= McpError.maxErrorMessageBytes &&
  message.trim().split(/\s+/u).length >= 3 &&
  !/\bundefined\b|\[object |\n\s+at /u.test(message)

const show = (value: unknown): string => {
  try {
    return McpError.clip(JSON.stringify(value) ?? String(value), 300)
  } catch {
    return String(value)
  }
}
