/**
 * Why a turn failed, where something must change before a retry.
 */
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

/**
 * What must change before a retry can succeed: run `command` of `NotLoggedIn`, pass `variable` of `MissingVariable`, or
 * change the schema or the prompt by the `problems` of `Unstructured`.
 *
 * @see docs/reference/errors.md
 */
export const FailedTurnCause = Schema.Union([NotLoggedIn, MissingVariable, Unstructured])
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
}

/**
 * Returns a function that finds the cause of a failed turn in the agent's message, for `causeOf` of a `Driver` or an
 * `AgentProfile`.
 *
 * @param words expressions for the agent's messages, and its command to log in; `variable` is tested before `loggedOut`
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
  ({ command, loggedOut, variable: missing }: Words): CauseOf =>
  (content) => {
    const variable = missing?.exec(content)?.[1]
    if (variable !== undefined) return { _tag: "MissingVariable", variable }
    return loggedOut.test(content) ? { _tag: "NotLoggedIn", command } : undefined
  }
