/**
 * Reads from the text of a failed turn whether only the user or time can resolve it, such as by a login.
 *
 * @see Claude Code 2.1.329: measured without a login, and with a key that is refused
 */
import * as FailedTurn from "@zain/core/FailedTurn"

export const causeOf = FailedTurn.reader({
  command: "claude auth login",
  loggedOut: /\u00b7 Please run \/login|^Please run \/login|^Invalid API key|^Failed to authenticate\b/,
  limited: /^You've hit your .{1,40} limit\b|\bRequest rejected \(429\)|\(HTTP status 429\)/,
})
