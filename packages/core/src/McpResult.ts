/**
 * The outcome of an operation as a value.
 */
import type * as Result from "effect/Result"
import type { McpError } from "./McpError.ts"

/**
 * Effect's own `Result`: `{ _tag: "Success", success }` or `{ _tag: "Failure", failure }`.
 *
 * @see seed, `McpResult`; requirements 1.4 to 1.6
 */
export type McpResult<A> = Result.Result<A, McpError>

export { fail, isFailure, isSuccess, match, succeed } from "effect/Result"
