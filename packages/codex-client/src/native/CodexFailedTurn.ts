/**
 * Reads from the text of a failed turn whether only the user or time can resolve it, such as by a login.
 *
 * @see Codex 0.169.0: measured without a login, with a key that is refused, and without `env_key`'s variable
 */
import * as FailedTurn from "@zain/core/FailedTurn"

export const causeOf = FailedTurn.reader({
  command: "codex login",
  loggedOut: /^Codex is not logged in\b|unexpected status 401 Unauthorized|Please (?:log out and )?sign in again/,
  limited: /\b429 Too Many Requests\b|^You've hit your usage limit\b|^Quota exceeded\b/,
  variable: /Missing environment variable: `([A-Za-z_]\w{0,127})`/,
})
