/**
 * The pace of the machine, measured by a control beside the trials: a program that echoes its input. Its time is in
 * milliseconds on an idle machine, and slows down with the machine. The processor time of this process counts in full, so
 * that a client that keeps it busy gains no time.
 */
import { spawn } from "node:child_process"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

/**
 * - `now`: the control's time in milliseconds; it advances only while this process and the control run
 * - `slowness`: how many milliseconds of the clock the last one of the control took, at least one
 * - `within`: interrupts an effect after so many milliseconds of the control
 */
export interface Pace {
  readonly now: () => number
  readonly slowness: () => number
  readonly within: <A, E, R>(millis: number, effect: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
}

/** How often the control is asked, in milliseconds, unless an answer is outstanding. */
const beat = 15

/** How many of the last answers `slowness` averages. */
const lately = 16

const echo = process.platform === "win32" ? [process.execPath, "-e", "process.stdin.pipe(process.stdout)"] : ["cat"]

/** The processor time of this process in milliseconds. */
const ownTime = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000
}

/** Starts the control, which ends with the Scope. */
export const make: Effect.Effect<Pace, never, Scope.Scope> = Effect.gen(function* () {
  const [command = "", ...args] = echo
  const times: Array<{ readonly clock: number; readonly time: number }> = [{ clock: performance.now(), time: 0 }]
  const waiting = new Set<() => void>()
  let time = 0
  let used = ownTime()
  let isOwed = false
  let isLost = false
  const count = () => {
    const now = ownTime()
    time += Math.max(beat, now - used)
    used = now
    times.push({ clock: performance.now(), time })
    if (times.length > lately) times.shift()
    for (const look of [...waiting]) look()
  }
  // If the control has ended, the clock counts.
  const lost = () => {
    isLost = true
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const control = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] })
      control.on("error", lost)
      control.once("exit", lost)
      control.stdin.on("error", lost)
      control.stdout.on("data", () => {
        isOwed = false
        count()
      })
      const ask = () => {
        if (isLost) return count()
        if (isOwed) return
        isOwed = true
        control.stdin.write(".")
      }
      return { control, timer: setInterval(ask, beat) }
    }),
    ({ control, timer }) =>
      Effect.callback<void>((resume) => {
        clearInterval(timer)
        if (isLost) return resume(Effect.void)
        control.once("close", () => resume(Effect.void))
        control.kill("SIGKILL")
      }),
  )
  const reached = (end: number) =>
    Effect.callback<void>((resume) => {
      const look = () => {
        if (time < end) return
        waiting.delete(look)
        resume(Effect.void)
      }
      waiting.add(look)
      return Effect.sync(() => waiting.delete(look))
    })
  yield* reached(lately * beat)
  return {
    now: () => time,
    slowness: () => {
      const [first = { clock: 0, time: 0 }] = times
      return Math.max(1, (performance.now() - first.clock) / Math.max(beat, time - first.time))
    },
    within: (millis, effect) =>
      Effect.suspend(() =>
        Effect.raceFirst(Effect.map(effect, Option.some), Effect.as(reached(time + millis), Option.none())),
      ),
  }
})
