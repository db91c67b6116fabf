/**
 * The outcome of an operation as a value.
 */
import * as Result from "effect/Result"
import type { McpError } from "./McpError.ts"

/**
 * Effect's own `Result`: `{ _tag: "Success", success }` or `{ _tag: "Failure", failure }`.
 *
 * @see seed, `McpResult`; requirements 1.4 to 1.6
 */
export type McpResult<A> = Result.Result<A, McpError>

export { fail, isFailure, isSuccess, match, succeed } from "effect/Result"

/**
 * The value of a success. For programs that end at an error: it throws the failure, which is an `Error` with a message for
 * people.
 *
 * @param result the outcome of an operation
 * @returns the value; throws the `McpError` of a failure, as it is
 *
 * @example
 * ```ts
 * import { InMemoryMcpClient, McpPromiseClient, McpResult } from "@zain/core"
 *
 * await using agent = await McpPromiseClient.make(InMemoryMcpClient.make())
 * const session = McpResult.getOrThrow(await agent.openSession(InMemoryMcpClient.config))
 * const { content } = McpResult.getOrThrow(await agent.execute(session, "hello"))
 * ```
 */
export const getOrThrow: <A>(result: McpResult<A>) => A = Result.getOrThrow
