/**
 * Runs attempts with a timeout each and growing gaps, until one succeeds or cannot be retried.
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
import { type EvaluationObserver, maxNoteBytes, unobserved } from "./Evaluator.ts"
import { LoopSmithError } from "./LoopSmithError.ts"

/** How many attempts there are at most, and how long each may take; `limits` checks them and fills in the defaults. */
export interface Limits {
  /** The maximum number of attempts, from 1 to 100. Default: 3. */
  readonly attempts?: number
  /** The time after which an attempt is interrupted and fails with `timeout`. Default: 2 minutes (a writer: 10 minutes). */
  readonly timeout?: Duration.Input
}

/** Limits that `limits` has checked and completed. */
export interface Checked {
  /** The maximum number of attempts, from 1 to 100. */
  readonly attempts: number
  /** The timeout of one attempt, above zero; `limits` cuts longer ones to 2,147,483,647 milliseconds. */
  readonly timeout: Duration.Duration
}

/**
 * Options of `run`: limits of the attempts, an observer of their failures, and a wrapper in which they wait. All are
 * optional.
 */
export interface Options extends Limits {
  /** Receives `failed`, then `retryable` and, after the gap, `backedOff`; or, after the last attempt, `notRetryable`. */
  readonly observe?: EvaluationObserver
  /**
   * Wraps each attempt, outside of its timeout: time spent waiting in `turn` does not count.
   *
   * @param attempt the attempt with its timeout, which starts when `turn` runs it
   */
  readonly turn?: ConcurrencyLimit["turn"]
}

/** The longest `details` of an error, in bytes. */
const maxDetailsBytes = 4_096

/** The longest gap between two attempts, unless the agent's server asks for a longer one. */
const maxGap = Duration.minutes(1)

/** The longest delay of a timer. */
const maxTimeout = Duration.millis(2 ** 31 - 1)

/**
 * Checks limits and fills in their defaults.
 *
 * @param given the limits that the caller set; 3 is the default of `attempts`
 * @param usual the `timeout` to use if the caller set none
 * @returns the limits. An `attempts` outside 1 to 100 and a `timeout` that is not above zero are defects (`RangeError`)
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
  return Effect.succeed({ attempts, timeout: Duration.min(given.value, maxTimeout) })
}

/**
 * Runs an attempt until it succeeds, fails with `retryable: false`, or `attempts` attempts have failed. Each failed attempt
 * is logged as a warning.
 *
 * The gaps are 1, 2, 4 … seconds, at most a minute. A longer `retryAfter` extends the gap, up to the timeout of one
 * attempt.
 *
 * @param attempt one attempt; receives the problem with the previous answer if that was a `bad-answer`, and the number of
 *   the attempt, from 1
 * @param options the limits, an observer, and a wrapper of each attempt; invalid limits are a defect (`RangeError`)
 * @returns the first success. Fails with `LoopSmithError` and the cause of the last attempt
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

    const report = (failure: AttemptFailure) => {
      problem = failure.reason === "bad-answer" ? failure.details : undefined
      const { reason } = failure
      const details = clip(failure.details, maxNoteBytes)
      return Effect.logWarning(`attempt ${begun} of ${attempts} failed`).pipe(
        Effect.annotateLogs({ reason, details }),
        Effect.andThen(observe("failed", details)),
      )
    }

    return next.pipe(
      Effect.tapError(report),
      Effect.retry(
        gaps.pipe(
          Schedule.while(({ attempt, input }) => input.retryable && attempt < attempts),
          Schedule.modifyDelay(({ duration, input }) => Effect.succeed(granted(duration, input, timeout))),
          Schedule.tap(({ duration }) => observe("retryable", `retrying in ${Duration.toSeconds(duration)} s`)),
        ),
      ),
      Effect.tapError(() => observe("notRetryable")),
      Effect.mapError((failure) => lastOf(failure, begun)),
    )
  })

const gaps = Schedule.exponential("1 second").pipe(Schedule.setInputType<AttemptFailure>())

/** The gap, or the agent's `retryAfter` if that is longer. */
const granted = (gap: Duration.Duration, { retryAfter = 0 }: AttemptFailure, limit: Duration.Duration) =>
  Duration.max(Duration.min(gap, maxGap), Duration.min(Duration.millis(retryAfter), limit))

const lastOf = ({ details, reason, retryable }: AttemptFailure, attempts: number): LoopSmithError =>
  new LoopSmithError({
    reason,
    message: clip(
      `${attempts === 1 ? "The attempt" : `The last of ${attempts} attempts`} failed. ${advice(retryable)} ${details}`,
    ),
    details: clip(details, maxDetailsBytes),
    retryable,
    attempts,
  })

const advice = (retryable: boolean) =>
  retryable ? "Retrying later may help." : "Retrying does not help until the cause is fixed."
