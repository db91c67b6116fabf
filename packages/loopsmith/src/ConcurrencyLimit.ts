/**
 * Who may have an agent now: so many at a time, so many more that wait, and whoever comes then is told that all are busy.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { LoopSmithError } from "./LoopSmithError.ts"

/**
 * - `atOnce`: how many attempts there are at a time, for an agent is a process; 8 by default
 * - `maxWaiting`: how many evaluations more there may be, which wait for their turn or between two attempts; 64 by default
 */
export interface Limits {
  readonly atOnce?: number
  readonly maxWaiting?: number
}

/**
 * - `admitted`: all of an evaluation, from its first attempt to its last; fails at once if too many wait
 * - `turn`: one attempt of it, when it is its turn: first come, first served
 */
export interface ConcurrencyLimit {
  readonly admitted: <A, E, R>(evaluation: Effect.Effect<A, E, R>) => Effect.Effect<A, E | LoopSmithError, R>
  readonly turn: <A, E, R>(attempt: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Turns of one agent. Limits with which nobody could ever have one are a defect. */
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

/** Does something while it holds so many permits, or fails at once where fewer are free. */
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
    message: "The judge is busy, and too many wait for it already. Asking again later may help.",
    details: `busy: ${atOnce} evaluations at once, and ${maxWaiting} that wait, are all that there may be.`,
    retryable: true,
    attempts: 0,
  })
