/**
 * What Claude Code says when only its user can help.
 *
 * @see Claude Code 2.1.329: measured without a login, and with a key that is refused
 */
import * as FailedTurn from "@zain/core/FailedTurn"

export const causeOf = FailedTurn.reader({
  command: "claude auth login",
  loggedOut: /· Please run \/login|^Please run \/login|^Invalid API key|^Failed to authenticate\b/,
})
