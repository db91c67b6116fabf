/**
 * Bounds the evaluations of one agent: `atOnce` attempts run, `maxWaiting` evaluations wait, and any further one fails as busy.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { LoopSmithError } from "./LoopSmithError.ts"

/** How many attempts of one agent run, and how many evaluations wait. */
export interface Limits {
  /**
   * How many attempts run at a time; each may be a process. Others wait, and their timeout starts when they run. At
   * least 1. Default: 8.
   */
  readonly atOnce?: number
  /**
   * How many evaluations are admitted beyond `atOnce`, counting those between two attempts; one more fails immediately
   * with a retryable `LoopSmithError` (`agent`). At least 0. Default: 64.
   */
  readonly maxWaiting?: number
}

/** The limits as wrappers around an evaluation and around its attempts. */
export interface ConcurrencyLimit {
  /**
   * Wraps a whole evaluation, from its first attempt to its last.
   *
   * @param evaluation the evaluation
   * @returns the evaluation. Fails immediately with `LoopSmithError` (`agent`, retryable, 0 attempts) if the queue is full
   */
  readonly admitted: <A, E, R>(evaluation: Effect.Effect<A, E, R>) => Effect.Effect<A, E | LoopSmithError, R>
  /**
   * Wraps one attempt, which runs when one of `atOnce` places is free, first come, first served.
   *
   * @param attempt the attempt
   */
  readonly turn: <A, E, R>(attempt: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Makes the limits of one agent. Limits that would admit no evaluation are a defect (`RangeError`). */
export const make = Effect.fnUntraced(function* ({ atOnce = 8, maxWaiting = 64 }: Limits) {
  if (!Number.isSafeInteger(atOnce) || atOnce < 1)
    return yield* Effect.die(new RangeError("`atOnce` must be a whole number from 1."))
  if (!Number.isSafeInteger(maxWaiting) || maxWaiting < 0)
    return yield* Effect.die(new RangeError("`maxWaiting` must be a whole number from 0."))
  const places = yield* Semaphore.make(atOnce + maxWaiting)
  const turns = yield* Semaphore.make(atOnce)
  const made: ConcurrencyLimit = {
    admitted: ifFree(places, 1, () => busy(atOnce, maxWaiting)),
    turn: turns.withPermits(1),
  }
  return made
})

/** Runs `work` while it holds the permits, or fails immediately if fewer are free. */
export const ifFree =
  <F>(places: Semaphore.Semaphore, permits: number, refusal: () => F) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | F, R> =>
    Effect.flatMap(
      places.withPermitsIfAvailable(permits)(work),
      Option.match({ onNone: () => Effect.fail(refusal()), onSome: Effect.succeed }),
    )

const busy = (atOnce: number, maxWaiting: number) =>
  new LoopSmithError({
    reason: "agent",
    message: "The judge is busy and its queue is full. Retry later.",
    details: `busy: the limit is ${atOnce} evaluations at once and ${maxWaiting} waiting.`,
    retryable: true,
    attempts: 0,
  })
