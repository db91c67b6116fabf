/**
 * Asking an agent again where that may help: at most so many times, each no longer than so long, with growing gaps.
 *
 * @see seed, error handling
 */
import { clip } from "@zain/core/McpError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { type AttemptFailure, timedOut } from "./AttemptFailure.ts"
import type { ConcurrencyLimit } from "./ConcurrencyLimit.ts"
import { type EvaluationObserver, longestNote, unobserved } from "./Evaluator.ts"
import { LoopSmithError } from "./LoopSmithError.ts"

/**
 * - `attempts`: how many there are at most, from 1 to 100; 3 by default
 * - `timeout`: the longest one may take, then it is interrupted; 2 minutes by default
 */
export interface Limits {
  readonly attempts?: number
  readonly timeout?: Duration.Input
}

/** Limits that hold. */
export interface Checked {
  readonly attempts: number
  readonly timeout: Duration.Duration
}

/**
 * - `observe` hears `failed`, then `retryable` and, after the gap, `backedOff`; or, after the last, `notRetryable`
 * - `turn` goes around each attempt: what an attempt waits for there, it does not wait for in its own time
 */
export interface Options extends Limits {
  readonly observe?: EvaluationObserver
  readonly turn?: ConcurrencyLimit["turn"]
}

/** The longest cause that an error repeats, in bytes. */
const detailsLimit = 4_096

/** The longest gap that is ours. */
const longestGap = Duration.minutes(1)

/** The longest that a timer can wait. */
const longestTimeout = Duration.millis(2 ** 31 - 1)

/**
 * Completes limits.
 *
 * @param usual the timeout where none is given
 * @returns the limits. Ones with which there is no attempt are a defect: whoever set them is wrong
 */
export const limits = (
  { attempts = 3, timeout }: Limits,
  usual: Duration.Input = "2 minutes",
): Effect.Effect<Checked> => {
  if (!Number.isSafeInteger(attempts) || attempts < 1 || attempts > 100)
    return Effect.die(new RangeError("`attempts` must be a whole number from 1 to 100."))
  const given = Duration.fromInput(timeout ?? usual)
  if (Option.isNone(given) || !Duration.isPositive(given.value))
    return Effect.die(new RangeError('`timeout` must be a duration above zero, such as "2 minutes".'))
  return Effect.succeed({ attempts, timeout: Duration.min(given.value, longestTimeout) })
}

/**
 * Runs an attempt until one succeeds, one fails for which another is of no use, or there have been enough.
 *
 * The gaps are 1, 2, 4 … seconds, and at most a minute. Where the agent's server asks to be left alone for longer, that is granted, up to the
 * time that one attempt may take.
 *
 * @param attempt is told what was wrong with the answer before, if it was the answer, so that it can say so to the agent;
 *   and which attempt it is, from 1
 * @returns the first success; or `LoopSmithError` with the last cause
 *
 * @example
 * ```ts
 * import { AttemptFailure, Retry } from "@zain/loopsmith"
 * import * as Effect from "effect/Effect"
 *
 * const program = Retry.run((problem) =>
 *   problem === undefined ? Effect.fail(AttemptFailure.badAnswer("`score` is missing.")) : Effect.succeed(8),
 * )
 * ```
 *
 * @see seed: at most 3 attempts of 120 seconds, exponential backoff, a failure that is not retryable fails at once
 */
export const run = <A, R>(
  attempt: (problem: string | undefined, nth: number) => Effect.Effect<A, AttemptFailure, R>,
  { observe = unobserved, turn = (now) => now, ...given }: Options = {},
): Effect.Effect<A, LoopSmithError, R> =>
  Effect.flatMap(limits(given), ({ attempts, timeout }) => {
    let begun = 0
    let problem: string | undefined

    const next = Effect.suspend(() => {
      begun += 1
      const limited = Effect.timeoutOrElse(
        Effect.suspend(() => attempt(problem, begun)),
        { duration: timeout, orElse: () => Effect.fail(timedOut(timeout)) },
      )
      return begun === 1 ? turn(limited) : Effect.andThen(observe("backedOff"), turn(limited))
    })

    const told = (failure: AttemptFailure) => {
      problem = failure.reason === "bad-answer" ? failure.details : undefined
      const { reason } = failure
      const details = clip(failure.details, longestNote)
      return Effect.logWarning(`attempt ${begun} of ${attempts} failed`).pipe(
        Effect.annotateLogs({ reason, details }),
        Effect.andThen(observe("failed", details)),
      )
    }

    return next.pipe(
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
const granted = (gap: Duration.Duration, { retryAfter = 0 }: AttemptFailure, limit: Duration.Duration) =>
  Duration.max(Duration.min(gap, longestGap), Duration.min(Duration.millis(retryAfter), limit))

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
