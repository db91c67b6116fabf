/**
 * Until when calls may take. Nearly all end long before, so that there is one timer for all of them.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/**
 * - `set`: a call may take so many milliseconds from now
 * - `forget`: it has ended
 */
export interface Deadlines<Call> {
  readonly set: (call: Call, millis: number) => void
  readonly forget: (call: Call) => void
}

/**
 * @param run runs the timer; it ends with what this runs in
 * @param pass receives each call whose time has passed. It may set others
 */
export const make = <Call>(
  clock: Clock.Clock,
  run: (timer: Effect.Effect<void>) => Fiber.Fiber<void>,
  pass: (call: Call) => void,
): Deadlines<Call> => {
  const due = new Map<Call, number>()
  let timer: Fiber.Fiber<void> | undefined
  /** When the timer looks; a call that ended since is not taken from it. */
  let looksAt = Number.POSITIVE_INFINITY
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

  const wake = (at: number) => {
    if (at >= looksAt) return
    timer?.interruptUnsafe()
    looksAt = at
    timer = run(Effect.delay(Effect.sync(look), at - now()))
  }
  const look = () => {
    timer = undefined
    looksAt = Number.POSITIVE_INFINITY
    const at = now()
    for (const [call, end] of due) {
      if (end > at) continue
      due.delete(call)
      pass(call)
    }
    wake(Math.min(...due.values()))
  }

  return {
    set: (call, millis) => {
      const end = now() + millis
      due.set(call, end)
      wake(end)
    },
    forget: (call) => due.delete(call),
  }
}
