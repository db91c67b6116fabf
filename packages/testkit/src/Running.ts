/**
 * A clock of this process's own turns, which stands still while the machine runs other processes, so that a
 * timeout is the same on a busy and on an idle machine. `TestClock` does not hold it.
 */
import { setTimeout } from "node:timers/promises"
import * as Effect from "effect/Effect"

const turn = 10

/** Returns when this process has run for so many milliseconds. */
const running = (millis: number) =>
  Effect.repeat(
    Effect.promise(() => setTimeout(turn)),
    { times: millis / turn - 1 },
  )

/** Fails if the effect takes longer than so many milliseconds of this process. */
export const within = <A, E, R>(millis: number, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    effect,
    Effect.andThen(running(millis), Effect.die(new Error(`It did not end within ${millis} ms.`))),
  )

/** Fails if a wait that takes less than a second on an idle machine takes more than ten. */
export const soon = <A, E, R>(wait: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => within(10_000, wait)
