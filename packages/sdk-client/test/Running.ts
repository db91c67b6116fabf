/**
 * Time as this program has it: a clock that stands still while the machine does something else. What takes no more than
 * this program's own turns takes as long by it on a busy machine as on an idle one.
 */
import * as Effect from "effect/Effect"

const turn = 10

/** Ends when this program has run for so many milliseconds. */
const running = (millis: number) => Effect.repeat(Effect.sleep(turn), { times: millis / turn - 1 })

/** An effect that must end while this program runs for so many milliseconds. */
export const within = <A, E, R>(millis: number, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    effect,
    Effect.andThen(running(millis), Effect.die(new Error(`It did not end within ${millis} ms.`))),
  )
