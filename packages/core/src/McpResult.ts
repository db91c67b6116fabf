/**
 * The outcome of an operation as a value.
 */
import * as Result from "effect/Result"
import type { McpError } from "./McpError.ts"

/**
 * A success with its value, or a failure with an `McpError`. It is Effect's `Result`: `{ _tag: "Success", success }` or
 * `{ _tag: "Failure", failure }`. Narrow it with `isSuccess` and `isFailure`, or take the value with `getOrThrow`.
 *
 * @see seed, `McpResult`; requirements 1.4 to 1.6
 */
export type McpResult<A> = Result.Result<A, McpError>

export { fail, isFailure, isSuccess, match, succeed } from "effect/Result"

/**
 * Returns the value of a success and throws the `McpError` of a failure: for programs that end at the first error. For
 * the answer of `execute`, use `McpResponse.getOrThrow`, which throws for a failed turn (`isError`) too. A failure of an `McpPromiseClient` has the stack of the call that failed.
 *
 * @param result the outcome of an operation, such as what `openSession` of an `McpPromiseClient` resolves with
 * @returns the value of the success
 * @throws the failure, an `Error` with a `message` for people
 *
 * @example
 * ```ts
 * import { InMemoryMcpClient, McpError, McpPromiseClient, McpResponse, McpResult } from "@zain/core"
 *
 * await using agent = await McpPromiseClient.make(InMemoryMcpClient.make())
 * try {
 *   const session = McpResult.getOrThrow(await agent.openSession(InMemoryMcpClient.config))
 *   console.log(McpResponse.getOrThrow(await agent.execute(session, "hello")).content)
 * } catch (error) {
 *   if (!McpError.isMcpError(error)) throw error
 *   console.error(error.reason, error.message, error.delivery)
 * }
 * ```
 */
export const getOrThrow: <A>(result: McpResult<A>) => A = Result.getOrThrow
