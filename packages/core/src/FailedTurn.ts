/**
 * Why a turn failed, where something must change before a retry.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** The agent has no credentials, or its model rejected them. */
export class NotLoggedIn extends Schema.Opaque<NotLoggedIn>()(
  Schema.TaggedStruct("NotLoggedIn", {
    /** The command line that logs in, such as `codex login`. */
    command: Schema.String,
  }),
) {}

/** The agent requires an environment variable that Zain does not pass by default. */
export class MissingVariable extends Schema.Opaque<MissingVariable>()(
  Schema.TaggedStruct("MissingVariable", {
    /**
     * The name of the variable, such as `MY_PROVIDER_KEY`: pass it with its value in `env` of the adapter's
     * TransportFactory, as in `CodexTransportFactory.local({ env })`.
     */
    variable: Schema.String,
  }),
) {}

/** The agent has answered twice, and no answer fits `output` of the request. `content` of the response has the last. */
export class Unstructured extends Schema.Opaque<Unstructured>()(
  Schema.TaggedStruct("Unstructured", {
    /** What does not fit, with the path of each: at most 10, of at most 300 bytes each. */
    problems: Schema.Array(Schema.String),
  }),
) {}

/** A limit of the account at the model's provider has ended the turn. `McpRetry.untilReset` waits for its reset. */
export class RateLimited extends Schema.Opaque<RateLimited>()(
  Schema.TaggedStruct("RateLimited", {
    /** How long after the end of the turn the limit is reset, in milliseconds; absent where the agent does not report it. */
    retryAfter: Schema.optionalKey(Schema.Finite),
    /**
     * The agent's own name of the limit, as in the event `RateLimit`, such as `primary` of Codex or `five_hour` of Claude
     * Code; absent where the agent does not report it.
     */
    window: Schema.optionalKey(Schema.String),
  }),
) {}

/**
 * What must change before a retry can succeed: run `command` of `NotLoggedIn`, pass `variable` of `MissingVariable`,
 * change the schema or the prompt by the `problems` of `Unstructured`, or wait for `retryAfter` of `RateLimited`.
 *
 * @see docs/reference/errors.md
 */
export const FailedTurnCause = Schema.Union([NotLoggedIn, MissingVariable, Unstructured, RateLimited])
export type FailedTurnCause = typeof FailedTurnCause.Type

/**
 * Reads the cause from the content of a failed turn; `undefined` if the content names none.
 *
 * @param content the `content` of a response with `isError`
 */
export type CauseOf = (content: string) => FailedTurnCause | undefined

/** How to recognize an agent's messages about a failed turn. */
export interface Words {
  /** The command line that logs in, such as `my-agent login`. */
  readonly command: string
  /** Matches the content of a turn without a login, or with credentials that the model rejected. */
  readonly loggedOut: RegExp
  /** Matches the content of a turn without a required environment variable; its first group is the variable's name. */
  readonly variable?: RegExp
  /** Matches the content of a turn that a limit of the account has ended. */
  readonly limited?: RegExp
}

/**
 * Returns a function that finds the cause of a failed turn in the agent's message, for `causeOf` of a `Driver` or an
 * `AgentProfile`.
 *
 * @param words expressions for the agent's messages, and its command to log in; `variable` is tested before `loggedOut`, and
 *   `limited` last
 *
 * @example
 * ```ts
 * import { FailedTurn } from "@zain/core"
 *
 * const causeOf = FailedTurn.reader({ command: "my-agent login", loggedOut: /^Not logged in/ })
 * causeOf("Not logged in.") // { _tag: "NotLoggedIn", command: "my-agent login" }
 * ```
 */
export const reader =
  ({ command, limited, loggedOut, variable: missing }: Words): CauseOf =>
  (content) => {
    const variable = missing?.exec(content)?.[1]
    if (variable !== undefined) return { _tag: "MissingVariable", variable }
    if (loggedOut.test(content)) return { _tag: "NotLoggedIn", command }
    return limited?.test(content) ? { _tag: "RateLimited" } : undefined
  }

/**
 * Returns the sentence about a limit of the account in messages: which limit it is, and when to retry.
 *
 * @param limit the cause of a failed turn
 *
 * @example
 * ```ts
 * import { FailedTurn } from "@zain/core"
 *
 * FailedTurn.limitText({ _tag: "RateLimited", retryAfter: 60_000, window: "primary" }) // "Rate limit exceeded (primary). Retry in 1m."
 * ```
 */
export const limitText = ({ retryAfter, window }: RateLimited): string => {
  const wait = retryAfter === undefined ? undefined : Duration.seconds(Math.ceil(retryAfter / 1000))
  const name = window === undefined ? "" : ` (${window})`
  return `Rate limit exceeded${name}. Retry ${wait === undefined ? "later" : `in ${Duration.format(wait)}`}.`
}
