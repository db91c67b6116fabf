/**
 * The time that a model may be out of reach before its turn ends; without one, the turn goes on as long as the agent retries.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/**
 * - `trouble`: the agent has not reached its model, for this reason, and goes on trying
 * - `relief`: the model has said something
 * - `rest`: whether the agent is held back: nothing of what it says of its model is read meanwhile
 */
export interface ModelTimeout {
  readonly trouble: (reason: string) => void
  readonly relief: () => void
  readonly rest: (isHeld: boolean) => void
}

/**
 * What its user can do about it.
 *
 * @param agent what people call it
 */
export const advice = (agent: string): string =>
  `"npx @zain/cli doctor" says whether ${agent} is logged in; \`modelTimeout\` of \`local()\` (--model-timeout) waits longer.`

/**
 * @param limit how long after the first trouble without relief, and anew after a rest
 * @param fork runs what belongs to the turn
 * @param lost hears, with the last reason, that the wait was too long
 */
export const make = (
  limit: Duration.Duration,
  fork: (effect: Effect.Effect<void>) => Fiber.Fiber<unknown, unknown>,
  lost: (reason: string) => void,
): ModelTimeout => {
  let timer: Fiber.Fiber<unknown, unknown> | undefined
  let last = ""
  let isTroubled = false
  let isResting = false
  const late = Effect.sync(() => lost(last))
  const told = Duration.isFinite(limit) ? Effect.delay(late, limit) : Effect.never
  const changed = () => {
    if (isTroubled && !isResting) timer ??= fork(told)
    else {
      timer?.interruptUnsafe()
      timer = undefined
    }
  }
  return {
    trouble: (reason) => {
      last = reason
      isTroubled = true
      changed()
    },
    relief: () => {
      isTroubled = false
      changed()
    },
    rest: (isHeld) => {
      isResting = isHeld
      changed()
    },
  }
}
