/**
 * The deadlines of calls. Nearly all calls end long before, so one timer serves all of them.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { EditorProfile, Health } from "../../domain/EditorProfile.ts"
import type { QueuedCall } from "./CallQueue.ts"

export interface Deadlines {
  /** Starts the time of a sent call, which runs until the call ends. */
  readonly begin: (call: QueuedCall) => void
  /** Notes that the editor has sent data. */
  readonly received: () => void
}

/**
 * - `pass`: receives each of them whose time has passed. `isStuck`: it is the oldest, and the editor has sent nothing for
 *   `within` since its health was asked for
 */
export interface Watched {
  /** The calls under way, the oldest first. */
  readonly sent: () => ReadonlyArray<QueuedCall>
  readonly pass: (call: QueuedCall, isStuck: boolean) => void
  /**
   * Asks for the editor's health when a call has taken `after`, or `within` before its time has passed, and again and
   * again.
   */
  readonly check?: Pick<Health, "within"> & { readonly after: EditorProfile["limit"]; readonly ask: () => void }
}

/** How late a timer may be for a call to count as stuck all the same, in milliseconds. */
const late = 1_000

/**
 * @param run runs the timer; it ends with what this runs in
 */
export const make = (
  clock: Clock.Clock,
  run: (timer: Effect.Effect<void>) => Fiber.Fiber<void>,
  { check, pass, sent }: Watched,
): Deadlines => {
  const within = check === undefined ? Number.POSITIVE_INFINITY : Duration.toMillis(check.within)
  let timer: Fiber.Fiber<void> | undefined
  /** When the timer looks: at the earliest time, or before it, where that call has ended by itself. */
  let looksAt = Number.POSITIVE_INFINITY
  let silentSince: number | undefined
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

  const lookAt = (at: number) => {
    if (at >= looksAt) return
    timer?.interruptUnsafe()
    looksAt = at
    timer = run(Effect.delay(Effect.sync(look), at - now()))
  }
  /** When a call is stuck, unless the editor sends something before. */
  const stuckAt = (call: QueuedCall, oldest: QueuedCall | undefined) =>
    call === oldest && call.isChecked && silentSince !== undefined ? silentSince + within : Number.POSITIVE_INFINITY
  const look = () => {
    timer = undefined
    looksAt = Number.POSITIVE_INFINITY
    const at = now()
    const calls = sent()
    for (const call of calls) {
      if (call.checksAt <= at) {
        call.isChecked = true
        call.checksAt = at + within
        if (silentSince === undefined) check?.ask()
        silentSince ??= at
      }
      const isStuckBy = stuckAt(call, calls[0])
      if (isStuckBy <= at) pass(call, true)
      else if (call.endsAt <= at) {
        if (isStuckBy <= at + late) call.endsAt = isStuckBy
        else pass(call, false)
      }
    }
    const left = sent()
    lookAt(Math.min(...left.map((call) => Math.min(call.checksAt, call.endsAt, stuckAt(call, left[0])))))
  }

  return {
    begin: (call) => {
      const at = now()
      call.endsAt = at + call.timeoutMs
      const after = check?.after?.(call.params)
      const checked = after === undefined ? call.timeoutMs - within : Duration.toMillis(after)
      call.checksAt = checked >= 0 ? at + checked : Number.POSITIVE_INFINITY
      lookAt(Math.min(call.checksAt, call.endsAt))
    },
    received: () => {
      silentSince = undefined
    },
  }
}
