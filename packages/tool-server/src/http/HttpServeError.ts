/**
 * Why a server does not listen.
 */
import * as Schema from "effect/Schema"

/**
 * - `token-required`: others could reach the address, and there is no token that they would need
 * - `token-file`: there are no tokens in the file, or others could read it
 * - `invalid-option`: an allowed host or origin is none
 * - `listen-failed`: the address cannot be listened at
 */
export class HttpServeError extends Schema.TaggedError<HttpServeError>()("HttpServeError", {
  reason: Schema.Literals(["token-required", "token-file", "invalid-option", "listen-failed"]),
  message: Schema.String,
}) {}
