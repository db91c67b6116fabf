/** Which processes are there. */
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"

/** Whether a process is there and no zombie: one that has ended may wait to be reaped. */
export const isAlive = (pid: number): boolean => {
  try {
    if (process.platform !== "linux") return process.kill(pid, 0)
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

/** Waits until processes are gone. The test's own limit ends the wait. */
export const gone = (...pids: ReadonlyArray<number>): Effect.Effect<void> =>
  Effect.suspend(() => (pids.some(isAlive) ? Effect.andThen(Effect.sleep(5), gone(...pids)) : Effect.void))
