/**
 * The answer to one prompt.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { FailedTurnCause, limitText } from "./FailedTurn.ts"
import { BackgroundWork } from "./McpBackground.ts"
import { ConnectionUnavailable, clip } from "./McpError.ts"
import { McpProvider } from "./McpProvider.ts"
import type { McpResult } from "./McpResult.ts"
import { McpSessionId } from "./McpSessionId.ts"
import { stopReasons } from "./StopReason.ts"

/** The tokens of one turn, as the agent counts them. */
export const McpUsage = Schema.Struct({
  /** Tokens that the model read in this turn, cached ones included. Absent if the agent does not report them. */
  inputTokens: Schema.optionalKey(Schema.Int),
  /** Tokens that the model wrote in this turn. Absent if the agent does not report them. */
  outputTokens: Schema.optionalKey(Schema.Int),
  /** Of `inputTokens`, those that came from the model's cache. Absent if there are none, or the agent does not report them. */
  cachedInputTokens: Schema.optionalKey(Schema.Int),
  /**
   * Of `inputTokens`, those that were written to the model's cache. Absent if there are none, or the agent does not report
   * them.
   */
  cacheWriteInputTokens: Schema.optionalKey(Schema.Int),
  /** Of `outputTokens`, those of the model's reasoning. Absent if there are none, or the agent does not report them. */
  reasoningTokens: Schema.optionalKey(Schema.Int),
})
export type McpUsage = typeof McpUsage.Type

/** How much of the model's context a conversation has filled, in tokens. */
export const McpContext = Schema.Struct({
  /** The tokens of the last request to the model and of its answer. */
  used: Schema.Int,
  /** The most tokens that the model takes, as the agent reports it. */
  size: Schema.Int,
})
export type McpContext = typeof McpContext.Type

/** Why a turn ended; `stopReasons` says what each means. */
export const McpStopReason = Schema.Literals(stopReasons)
export type McpStopReason = typeof McpStopReason.Type

/**
 * The answer of an agent to one prompt: the value of a successful `execute`.
 *
 * @see seed, requirements 4.1 to 4.4
 */
export const McpResponse = Schema.Struct({
  /** The name of the agent that answered, such as `"codex"`. */
  provider: McpProvider,
  /** The id that `execute` was called with, to tell apart the answers of concurrent sessions. */
  sessionId: McpSessionId,
  /** The agent's whole answer as text. With `isError`, why the turn failed, in the agent's own words. */
  content: Schema.String,
  /** Whether the turn failed on the agent's side, such as a login that is missing or a limit of its account. */
  isError: Schema.Boolean,
  /**
   * The answer as a value that fits `output` of the request; absent if the request had none, and with `isError`. It is what
   * the library of the schema returns, so with its defaults and transformations.
   */
  structured: Schema.optionalKey(Schema.Unknown),
  /**
   * Why the turn failed, where something must change before a retry: `NotLoggedIn`, `MissingVariable`, `Unstructured` or
   * `RateLimited`, by `_tag`. Only with `isError`; absent for other failures.
   */
  cause: Schema.optionalKey(FailedTurnCause),
  /**
   * The agent's id of the conversation. Pass it as the provider's option `threadId` to continue the conversation in a
   * later session, as in `CodexTransportFactory.local({ options: { threadId } })`. It stays the same in all turns of
   * the conversation; the event `ThreadStarted` and errors have it too. Absent if the agent has none.
   */
  threadId: Schema.optionalKey(Schema.String),
  /** The tokens that the turn used, if the agent reports them. */
  usage: Schema.optionalKey(McpUsage),
  /** How full the model's context is after the turn; absent if the agent does not report it. */
  context: Schema.optionalKey(McpContext),
  /** What the turn cost, in US dollars, as the agent estimates it; absent if it does not report it. */
  cost: Schema.optionalKey(Schema.Finite),
  /** Why the turn ended; absent if the agent does not report it. */
  stopReason: Schema.optionalKey(McpStopReason),
  /**
   * Commands that still ran after the agent's last message, and were ended when the option `backgroundGrace` had elapsed,
   * or with `background: "off"` at once.
   * Absent if none was.
   */
  ended: Schema.optionalKey(Schema.Array(BackgroundWork)),
  /**
   * Work of the turn that goes on, by the option `background: "keep"`. Its approvals still reach the policy, its later
   * events carry `origin`, `BackgroundFinished` reports its end, and `closeSession` ends it. Absent if none goes on.
   */
  pending: Schema.optionalKey(Schema.Array(BackgroundWork)),
})
export type McpResponse<A = unknown> = typeof McpResponse.Type & {
  /** The answer as a value of the request's `output`. */
  readonly structured?: A
}

/** The answer of a turn that did not fail: with a value, if the request had an `output`. */
export type McpAnswer<A = unknown> = McpResponse<A> & {
  /** `false`: the turn did not fail. */
  readonly isError: false
  /** The answer as a value of the request's `output`; `undefined` if it had none. */
  readonly structured: A
}

/**
 * Turns a response with `isError` into an error, for programs that treat a turn that failed on the agent's side like
 * any other failure. With promises, use `getOrThrow`.
 *
 * @param response the value of a successful `execute`
 * @returns the response, or `ConnectionUnavailable` when `isError` is true, with the `cause` and `threadId` of the
 *   response: reason `rate-limited` and `diagnostics.retryAfter` for the cause `RateLimited`, else `server-error`
 *
 * @example
 * ```ts
 * import { McpClient, McpResponse, type McpSessionId } from "@zain/core"
 * import * as Effect from "effect/Effect"
 *
 * const ask = (session: McpSessionId, content: string) =>
 *   McpClient.use((client) => client.execute(session, { content })).pipe(Effect.flatMap(McpResponse.orFail))
 * ```
 */
export const orFail = <A>(response: McpResponse<A>): Effect.Effect<McpAnswer<A>, ConnectionUnavailable> =>
  response.isError ? Effect.fail(failed(response, orFail)) : Effect.succeed(response as McpAnswer<A>)

/**
 * Returns the answer of a turn, and throws if there is none: the `McpError` of a failure, or of a response with
 * `isError` the error of `orFail`, with the stack of the caller. For programs that end at the first error.
 *
 * @param result what `execute` of an `McpPromiseClient` resolves with
 * @returns the response, whose `isError` is false
 * @throws an `McpError`; its `cause` is that of the response where the agent's user must act, such as to log in
 *
 * @example
 * ```ts
 * import { McpResponse, type McpPromiseClient, type McpSessionId } from "@zain/core"
 *
 * const ask = async (client: McpPromiseClient, session: McpSessionId, prompt: string) =>
 *   McpResponse.getOrThrow(await client.execute(session, prompt)).content
 * ```
 */
export const getOrThrow = <A>(result: McpResult<McpResponse<A>>): McpAnswer<A> => {
  const response = Result.getOrThrow(result)
  if (response.isError) throw failed(response, getOrThrow)
  return response as McpAnswer<A>
}

/** @param caller Node shows the line of the first frame, which shall be that of this function's caller */
const failed = ({ cause, content, provider, threadId }: McpResponse, caller: (_: never) => unknown) => {
  const retryAfter = cause?._tag === "RateLimited" ? cause.retryAfter : undefined
  const error = new ConnectionUnavailable({
    reason: cause?._tag === "RateLimited" ? "rate-limited" : "server-error",
    message: clip(
      cause?._tag === "Unstructured"
        ? `The answer of ${provider} does not fit \`output\`: ${cause.problems.join("; ")}. Simplify the schema, or explain it in the prompt.`
        : `${remedy(cause)}${provider} reports that its turn failed: ${content}`,
    ),
    delivery: "unknown",
    ...(retryAfter === undefined ? {} : { diagnostics: { retryAfter } }),
    ...(threadId === undefined ? {} : { threadId }),
    ...(cause === undefined ? {} : { cause }),
  })
  Error.captureStackTrace(error, caller)
  return error
}

const remedy = (cause: Exclude<FailedTurnCause, { readonly _tag: "Unstructured" }> | undefined): string => {
  switch (cause?._tag) {
    case undefined:
      return ""
    case "NotLoggedIn":
      return `Log in with \`${cause.command}\`. `
    case "MissingVariable":
      return `Pass the variable \`${cause.variable}\` in \`env\` of \`local()\`. `
    case "RateLimited":
      return `${limitText(cause)} `
  }
}
