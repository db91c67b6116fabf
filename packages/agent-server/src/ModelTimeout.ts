/**
 * Ends a turn whose model is unreachable for too long. Without a limit, the turn lasts as long as the agent retries.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** The timeout of one turn. */
export interface ModelTimeout {
  /** The agent did not reach its model, for this reason, and retries. */
  readonly trouble: (reason: string) => void
  /** The model has answered. */
  readonly relief: () => void
  /** Pauses the timeout while the agent is paused, because its messages about the model are not read then. */
  readonly rest: (isHeld: boolean) => void
}

/**
 * The remedy in messages of this timeout.
 *
 * @param agent name of the agent, for people
 */
export const advice = (agent: string): string =>
  `Run "npx -p @zain/cli zain doctor" to check whether ${agent} is logged in, or increase \`modelTimeout\` of \`local()\` (--model-timeout).`

/**
 * @param limit time from the first `trouble` without `relief`; it restarts after a `rest`
 * @param fork runs an effect as part of the turn
 * @param lost receives the last reason when the limit is reached
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
  const expiry = Duration.isFinite(limit) ? Effect.delay(late, limit) : Effect.never
  const changed = () => {
    if (isTroubled && !isResting) timer ??= fork(expiry)
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
