/**
 * Asking an agent again where that may help: at most so many times, each no longer than so long, with growing gaps.
 *
 * @see seed, error handling
 */
import { clip } from "@zain/core/McpError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { type AttemptFailure, timedOut } from "./AttemptFailure.ts"
import type { EvaluationObserver } from "./Evaluator.ts"
import { LoopSmithError } from "./LoopSmithError.ts"

/**
 * - `attempts`: how many there are at most; 3 by default
 * - `timeout`: the longest one may take, then it is interrupted; 2 minutes by default
 */
export interface Limits {
  readonly attempts?: number
  readonly timeout?: Duration.Input
}

/** `observe` hears `failed`, then `retryable` and, after the gap, `backedOff`; or, after the last, `notRetryable`. */
export interface Options extends Limits {
  readonly observe?: EvaluationObserver
}

/** An observer that nobody listens to. */
export const unobserved: EvaluationObserver = () => Effect.void

/** The longest note to an observer, in bytes. */
const noteLimit = 500

/** The longest cause that an error repeats, in bytes. */
const detailsLimit = 4_096

/**
 * Runs an attempt until one succeeds, one fails for which another is of no use, or there have been enough.
 *
 * The gaps are 1, 2, 4 … seconds. Where the agent's server asks to be left alone for longer, that is granted, up to the
 * time that one attempt may take.
 *
 * @param attempt is told what was wrong with the answer before, if it was the answer, so that it can say so to the agent;
 *   and which attempt it is, from 1
 * @returns the first success; or `LoopSmithError` with the last cause
 *
 * **Example**
 *
 * ```ts
 * import { AttemptFailure, Attempts } from "@zain/loopsmith"
 * import * as Effect from "effect/Effect"
 *
 * const program = Attempts.run((problem) =>
 *   problem === undefined ? Effect.fail(AttemptFailure.badAnswer("`score` is missing.")) : Effect.succeed(8),
 * )
 * ```
 *
 * @see seed: at most 3 attempts of 120 seconds, exponential backoff, a failure that is not retryable fails at once
 */
export const run = <A, R>(
  attempt: (problem: string | undefined, nth: number) => Effect.Effect<A, AttemptFailure, R>,
  { attempts = 3, observe = unobserved, timeout = "2 minutes" }: Options = {},
): Effect.Effect<A, LoopSmithError, R> =>
  Effect.suspend(() => {
    let begun = 0
    let problem: string | undefined

    const next = Effect.suspend(() => {
      begun += 1
      const resumed = begun === 1 ? Effect.void : observe("backedOff")
      return Effect.andThen(resumed, attempt(problem, begun))
    })

    const told = (failure: AttemptFailure) => {
      problem = failure.reason === "bad-answer" ? failure.details : undefined
      const { details, reason } = failure
      return Effect.logWarning(`attempt ${begun} of ${attempts} failed`).pipe(
        Effect.annotateLogs({ reason, details: clip(details, noteLimit) }),
        Effect.andThen(observe("failed", clip(details, noteLimit))),
      )
    }

    return next.pipe(
      Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(timedOut(timeout)) }),
      Effect.tapError(told),
      Effect.retry(
        gaps.pipe(
          Schedule.while(({ attempt, input }) => input.retryable && attempt < attempts),
          Schedule.modifyDelay(({ duration, input }) => Effect.succeed(granted(duration, input, timeout))),
          Schedule.tap(({ duration }) => observe("retryable", `again in ${Duration.toSeconds(duration)} s`)),
        ),
      ),
      Effect.tapError(() => observe("notRetryable")),
      Effect.mapError((failure) => lastOf(failure, begun)),
    )
  })

const gaps = Schedule.exponential("1 second").pipe(Schedule.setInputType<AttemptFailure>())

/** The gap, or what the agent's server asks for where that is longer. */
const granted = (gap: Duration.Duration, { retryAfter = 0 }: AttemptFailure, limit: Duration.Input) =>
  Duration.max(gap, Duration.min(Duration.millis(retryAfter), Duration.fromInputUnsafe(limit)))

const lastOf = ({ details, reason, retryable }: AttemptFailure, attempts: number): LoopSmithError =>
  new LoopSmithError({
    reason,
    message: clip(
      `${attempts === 1 ? "The attempt" : `The last of ${attempts} attempts`} failed. ${advice(retryable)} ${details}`,
    ),
    details: clip(details, detailsLimit),
    retryable,
    attempts,
  })

const advice = (retryable: boolean) =>
  retryable ? "Asking again later may help." : "Asking again is of no use before this is changed."
