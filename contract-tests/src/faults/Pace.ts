/**
 * The pace of the machine, measured by a control beside the trials: a program that echoes its input. Its time is in
 * milliseconds on an idle machine, and slows down with the machine. The processor time of this process counts in full, so
 * that a client that keeps it busy gains no time; its time without a processor does not count.
 */
import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

/**
 * - `now`: the control's time in milliseconds; it advances only while this process and the control run
 * - `beaten`: the next answer of the control
 * - `slowness`: how many milliseconds of the clock the last one of the control took, at least one
 * - `within`: interrupts an effect after so many milliseconds of the control
 */
export interface Pace {
  readonly now: () => number
  readonly beaten: Effect.Effect<void>
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

/** How long the threads of this process have waited for a processor, in milliseconds; 0 where the system is not Linux. */
const kept = (): number => {
  const threads = "/proc/self/task"
  const waits = (thread: string) => Number(readFileSync(`${threads}/${thread}/schedstat`, "latin1").split(" ")[1]) / 1e6
  try {
    return readdirSync(threads).reduce((sum, thread) => sum + waits(thread), 0)
  } catch {
    return 0
  }
}

/** Starts the control, which ends with the Scope. */
export const make: Effect.Effect<Pace, never, Scope.Scope> = Effect.gen(function* () {
  const [command = "", ...args] = echo
  const times: Array<{ readonly clock: number; readonly time: number }> = [{ clock: performance.now(), time: 0 }]
  const waiting = new Set<() => void>()
  let time = 0
  let [used, waited] = [ownTime(), kept()]
  let isOwed = false
  let isLost = false
  const count = () => {
    const [now, away] = [ownTime(), kept()]
    time += Math.max(beat - Math.max(0, away - waited), now - used)
    used = now
    waited = away
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
    beaten: Effect.suspend(() => reached(time + beat)),
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
