/**
 * Until when calls may take. Nearly all end long before, so that there is one timer for all of them.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { QueuedCall } from "./CallQueue.ts"

/** `begin`: a call has been sent, and its time runs until it is not among the calls under way. */
export interface Deadlines {
  readonly begin: (call: QueuedCall) => void
}

/**
 * @param run runs the timer; it ends with what this runs in
 * @param sent the calls under way
 * @param pass receives each of them whose time has passed
 */
export const make = (
  clock: Clock.Clock,
  run: (timer: Effect.Effect<void>) => Fiber.Fiber<void>,
  sent: () => ReadonlyArray<QueuedCall>,
  pass: (call: QueuedCall) => void,
): Deadlines => {
  let timer: Fiber.Fiber<void> | undefined
  /** When the timer looks: at the earliest end, or before it, where that call has ended by itself. */
  let looksAt = Number.POSITIVE_INFINITY
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

  const lookAt = (at: number) => {
    if (at >= looksAt) return
    timer?.interruptUnsafe()
    looksAt = at
    timer = run(Effect.delay(Effect.sync(look), at - now()))
  }
  const look = () => {
    timer = undefined
    looksAt = Number.POSITIVE_INFINITY
    const at = now()
    for (const call of sent()) if (call.endsAt <= at) pass(call)
    lookAt(Math.min(...sent().map(({ endsAt }) => endsAt)))
  }

  return {
    begin: (call) => {
      call.endsAt = now() + call.timeoutMs
      lookAt(call.endsAt)
    },
  }
}
