/**
 * The pauses of a scripted model, each of which ends when a test says so. What comes before a pause has then been seen
 * before what comes after it is there, however slow the machine.
 */
import { Clock, Effect, Queue } from "effect"

/**
 * - `next`: ends the next pause
 * - `hold`: makes the pauses wait of a model that is made in this effect
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
