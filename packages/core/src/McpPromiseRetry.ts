/**
 * `McpRetry` for code without Effect.
 *
 * @see docs/guides/retry.md
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Abortable } from "./Abortable.ts"
import type { McpPromiseSession } from "./McpPromiseSession.ts"
import type { McpRequest } from "./McpRequest.ts"
import type { McpResponse } from "./McpResponse.ts"
import type { McpResult } from "./McpResult.ts"
import * as McpRetry from "./McpRetry.ts"

/** The options of `untilReset`; all are optional. `signal` cancels the turn under way, and ends a wait. */
export interface Options extends McpRetry.UntilResetOptions, Abortable {}

/**
 * Runs one turn, and where a limit ends it, waits for the reset and continues: with the same prompt if that was proven not
 * sent, else in the same conversation with a prompt that asks the agent to go on. It opts in to what `execute` never does by
 * itself.
 *
 * Resolves as `execute` does, with the response of the last turn. Where there is no wait, because the reset is too late or
 * there were too many, that is the failed turn with the cause `RateLimited`, or an error with reason `rate-limited`. Invalid
 * options are `InvalidRequest`, `invalid-config`.
 *
 * @param session a session that `session` of `McpPromiseClient` returned, or `{ execute }` for one of its `openSession`
 * @param request the prompt: a string, or an object as for `execute`; its `deadline` limits each turn, not the waits
 * @param options how long to wait and how often, the prompt that asks the agent to go on, and `signal`, after whose abort
 *   the promise rejects with its reason
 *
 * @example
 * ```ts
 * import { type McpConnectionConfig, type McpPromiseClient, McpPromiseRetry, McpResponse } from "@zain/core"
 *
 * const migrate = async (client: McpPromiseClient, config: McpConnectionConfig) => {
 *   await using session = await client.session(config)
 *   const onWait = ({ until }: { readonly until: number }) => console.error(`Waits until ${new Date(until).toISOString()}`)
 *   return McpResponse.getOrThrow(await McpPromiseRetry.untilReset(session, "Migrate the tests to vitest.", { onWait }))
 * }
 * ```
 */
export const untilReset = async <A = unknown>(
  session: Pick<McpPromiseSession, "execute">,
  request: string | McpRequest<A>,
  { signal, ...options }: Options = {},
): Promise<McpResult<McpResponse<A>>> => {
  signal?.throwIfAborted()
  const beside = signal === undefined ? undefined : { signal }
  const execute = (next: McpRequest<A>) =>
    Effect.flatMap(
      Effect.promise(() => session.execute(next, beside)),
      Effect.fromResult,
    )
  const given = typeof request === "string" ? { content: request } : request
  const exit = await Effect.runPromiseExit(Effect.result(McpRetry.untilReset({ execute }, given, options)), beside)
  if (Exit.isSuccess(exit)) return exit.value
  signal?.throwIfAborted()
  throw Cause.squash(exit.cause)
}
