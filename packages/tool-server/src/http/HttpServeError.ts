/**
 * The error of a server that cannot start.
 */
import * as Schema from "effect/Schema"

/** A server that cannot start. */
export class HttpServeError extends Schema.TaggedError<HttpServeError>()("HttpServeError", {
  /**
   * - `token-required`: other machines can reach the address, and no token is required
   * - `token-file`: the token file is missing, invalid, or readable by other users
   * - `invalid-option`: an allowed host or origin is invalid
   * - `listen-failed`: the address or port cannot be used
   */
  reason: Schema.Literals(["token-required", "token-file", "invalid-option", "listen-failed"]),
  /** What failed, and the remedy. */
  message: Schema.String,
}) {}
