/**
 * What a turn that failed waits for: what agents say when only their user can help.
 */
import * as McpProvider from "./McpProvider.ts"
import type { McpResponse } from "./McpResponse.ts"

/**
 * What must change before asking again is of use.
 *
 * - `NotLoggedIn`: the agent has no credentials, or its model refuses them; `command` logs in
 * - `MissingVariable`: the agent needs an environment variable that does not reach it; name it in `env` of `local()`, for
 *   only an agent's own variables pass
 */
export type FailedTurnCause =
  | { readonly _tag: "NotLoggedIn"; readonly command: string }
  | { readonly _tag: "MissingVariable"; readonly variable: string }

/**
 * Why a turn failed, where the agent's words say that its user has to do something first.
 *
 * @param response a turn's
 * @returns what there is to do; `undefined` for a turn that did not fail, that failed for another reason, or of a provider
 *   whose words are not known here
 *
 * **Example**
 *
 * ```ts
 * import { FailedTurn, type McpResponse } from "@zain/core"
 *
 * const advice = (response: McpResponse.McpResponse): string | undefined => {
 *   const cause = FailedTurn.cause(response)
 *   if (cause === undefined) return undefined
 *   return cause._tag === "NotLoggedIn" ? `Run ${cause.command}.` : `Pass ${cause.variable} on in env.`
 * }
 * ```
 *
 * @see Claude Code 2.1.329, Codex 0.169.0: measured without a login, with a key that is refused, and without `env_key`'s
 *   variable
 */
export const cause = ({
  content,
  isError,
  provider,
}: Pick<McpResponse, "content" | "isError" | "provider">): FailedTurnCause | undefined => {
  const words = isError ? known.get(provider) : undefined
  if (words === undefined) return undefined
  const variable = words.variable?.exec(content)?.[1]
  if (variable !== undefined) return { _tag: "MissingVariable", variable }
  return words.loggedOut.test(content) ? { _tag: "NotLoggedIn", command: words.command } : undefined
}

interface Words {
  readonly command: string
  readonly loggedOut: RegExp
  readonly variable?: RegExp
}

const known: ReadonlyMap<McpProvider.McpProvider, Words> = new Map([
  [
    McpProvider.claudeCode,
    {
      command: "claude auth login",
      loggedOut: /· Please run \/login|^Please run \/login|^Invalid API key|^Failed to authenticate\b/,
    },
  ],
  [
    McpProvider.codex,
    {
      command: "codex login",
      loggedOut: /^Codex is not logged in\b|unexpected status 401 Unauthorized|Please (?:log out and )?sign in again/,
      variable: /Missing environment variable: `([A-Za-z_]\w{0,127})`/,
    },
  ],
] as const)
