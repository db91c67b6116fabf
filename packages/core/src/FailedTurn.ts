/**
 * Why a turn failed, where only the agent's user can help.
 */
import * as Schema from "effect/Schema"

/**
 * What must change before asking again is of use.
 *
 * - `NotLoggedIn`: the agent has no credentials, or its model refuses them; `command` logs in
 * - `MissingVariable`: the agent needs an environment variable that does not reach it; name it in `env` of `local()`, for
 *   only an agent's own variables pass
 */
export const FailedTurnCause = Schema.Union([
  Schema.TaggedStruct("NotLoggedIn", { command: Schema.String }),
  Schema.TaggedStruct("MissingVariable", { variable: Schema.String }),
])
export type FailedTurnCause = typeof FailedTurnCause.Type

/** Reads the cause in the content of a turn that failed; `undefined` where it names none. */
export type CauseOf = (content: string) => FailedTurnCause | undefined

/**
 * What an agent says.
 *
 * - `command`: logs in
 * - `loggedOut`: matches what it says without a login, and with one that its model refuses
 * - `variable`: matches what it says without a variable that it needs; the first group is the variable's name
 */
export interface Words {
  readonly command: string
  readonly loggedOut: RegExp
  readonly variable?: RegExp
}

/**
 * Reads causes by an agent's words: for `causeOf` of an adapter.
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
