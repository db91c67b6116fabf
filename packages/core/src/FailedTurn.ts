/**
 * Why a turn failed, where the agent's user must act before a retry.
 */
import * as Schema from "effect/Schema"

/**
 * What the agent's user must do before a retry can succeed.
 *
 * - `NotLoggedIn`: the agent has no credentials, or its model rejected them: run `command`
 * - `MissingVariable`: the agent requires the environment variable `variable`, which Zain does not pass by default:
 *   name it in `env` of `local()`
 *
 * @see docs/reference/errors.md
 */
export const FailedTurnCause = Schema.Union([
  Schema.TaggedStruct("NotLoggedIn", {
    /** The command line that logs in, such as `codex login`. */
    command: Schema.String,
  }),
  Schema.TaggedStruct("MissingVariable", {
    /** The name of the environment variable that the agent requires. */
    variable: Schema.String,
  }),
])
export type FailedTurnCause = typeof FailedTurnCause.Type

/**
 * Reads the cause from the content of a failed turn; `undefined` if the content names none.
 *
 * @param content the `content` of a response with `isError`
 */
export type CauseOf = (content: string) => FailedTurnCause | undefined

/** The messages by which an agent reports a failed turn. */
export interface Words {
  /** The command line that logs in, such as `my-agent login`. */
  readonly command: string
  /** Matches the content of a turn without a login, or with credentials that the model rejected. */
  readonly loggedOut: RegExp
  /** Matches the content of a turn without a required environment variable; its first group is the variable's name. */
  readonly variable?: RegExp
}

/**
 * A reader of causes by an agent's messages: for `causeOf` of a `Driver`.
 *
 * @param words the agent's messages, and its command to log in
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
