/** Whether processes are alive. */
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"

/** The fakes that run in this process, by negative numbers, which no process has. */
export const fakes = new Set<number>()

/** Whether a process or a fake exists and is no zombie: a process that has ended may not be reaped yet. */
export const isAlive = (pid: number): boolean => {
  if (pid < 0) return fakes.has(pid)
  try {
    if (process.platform !== "linux") return process.kill(pid, 0)
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

/** Waits until processes are gone, bounded by the test's own timeout. */
export const gone = (...pids: ReadonlyArray<number>): Effect.Effect<void> =>
  Effect.suspend(() => (pids.some(isAlive) ? Effect.andThen(Effect.sleep(5), gone(...pids)) : Effect.void))
