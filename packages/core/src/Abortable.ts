/**
 * How a caller with promises cancels one operation.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { clip, invalidConfig, type McpError } from "./McpError.ts"

/** How to cancel one operation of an `McpPromiseClient`. Another key fails it with `InvalidRequest`, `invalid-config`. */
export interface Abortable {
  /**
   * Cancels the operation when it aborts; the promise then rejects with the signal's reason, as `fetch` does. A turn
   * under way is cancelled on the server too. A signal that has aborted before sends nothing.
   *
   * @see docs/decisions/0004-aborted-promises-reject.md
   */
  readonly signal?: AbortSignal
}

/**
 * Returns what is wrong with the options of an operation, as a sentence; `undefined` if nothing is.
 *
 * @param options what a caller has passed
 */
export const problem = (options: unknown): string | undefined => {
  if (typeof options !== "object" || options === null || options instanceof AbortSignal)
    return "The options of an operation must be an object, as in { signal }."
  const key = Object.keys(options).find((key) => key !== "signal")
  return key === undefined
    ? undefined
    : `\`${clip(key, 64)}\` is not an option of this operation; its only option is \`signal\`.`
}

/** What to do instead of passing a deadline here. */
export const deadlineHint = ' A deadline is part of the request, as in { content: "Go", deadline: "5 minutes" }.'

/**
 * Makes a stream fail with the signal's reason when the signal aborts.
 *
 * @param pieces the stream, which ends when that happens
 * @param options the options of the operation; invalid ones fail with `InvalidRequest`, `invalid-config`
 */
export const stream = <A>(pieces: Stream.Stream<A, McpError>, options: Abortable = {}): Stream.Stream<A, unknown> => {
  const wrong = problem(options)
  if (wrong !== undefined) return Stream.fail(invalidConfig(`${wrong}${deadlineHint}`))
  const { signal } = options
  if (signal === undefined) return pieces
  const aborted = Effect.callback<never, unknown>((resume) => {
    const fail = () => resume(Effect.fail(signal.reason))
    if (signal.aborted) return fail()
    signal.addEventListener("abort", fail, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", fail))
  })
  return Stream.suspend(() => (signal.aborted ? Stream.fail(signal.reason) : Stream.interruptWhen(pieces, aborted)))
}
