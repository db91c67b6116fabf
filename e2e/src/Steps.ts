/**
 * The pauses of a scripted model, which a test ends one by one, so that everything before a pause is observed before
 * anything after it is sent, on a machine of any speed.
 */
import { Clock, Effect, Queue } from "effect"

/**
 * - `next`: ends the next pause
 * - `hold`: provides the pauses to a model that is made in this effect
 */
export interface Steps {
  readonly next: Effect.Effect<void>
  readonly hold: <A, E, R>(making: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make: Effect.Effect<Steps> = Effect.gen(function* () {
  const steps = yield* Queue.unbounded<void>()
  const clock: Clock.Clock = Object.create(yield* Clock.Clock, { sleep: { value: () => Queue.take(steps) } })
  return {
    next: Effect.asVoid(Queue.offer(steps, undefined)),
    hold: Effect.provideService(Clock.Clock, clock),
  }
})
