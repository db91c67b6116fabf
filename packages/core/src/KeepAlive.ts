/**
 * Keeps the program running while an operation is under way. The connections and timers of an idle session do not.
 *
 * @see docs/internals/promises.md, 13
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The longest delay of a timer, in milliseconds. */
const maxDelayMillis = 2 ** 31 - 1

/** Effect's own clock. */
const usual = Context.get(Context.empty(), Clock.Clock)

let held = 0
let timer: ReturnType<typeof setInterval> | undefined

/** Keeps the program running until `release` has been called as often as this. */
export const hold = (): void => {
  if (held++ > 0) return
  if (typeof timer === "object") timer.ref()
  else timer ??= setInterval(() => {}, maxDelayMillis)
}

/** Ends one `hold`. The timer stays, since a call needs it again. */
export const release = (): void => {
  if (--held === 0 && typeof timer === "object") timer.unref()
}

/** Holds the program while the operation runs. */
export const during = <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let isHeld = false
    // Inside of `onExit`, so that no interruption can come before the finalizer is installed.
    const holding = Effect.suspend(() => {
      isHeld = true
      hold()
      return operation
    })
    return Effect.onExit(holding, () => Effect.sync(() => isHeld && release()))
  })

/**
 * Sleeps without keeping the program running. A clock that is not Effect's own, such as that of a test, sleeps as it does
 * for others.
 */
export const sleep = (clock: Clock.Clock, millis: number): Effect.Effect<void> =>
  clock === usual
    ? Effect.callback((resume) => {
        const timer = setTimeout(() => resume(Effect.void), Math.min(millis, maxDelayMillis))
        // A number in a browser.
        if (typeof timer === "object") timer.unref()
        return Effect.sync(() => clearTimeout(timer))
      })
    : Effect.sleep(millis)
