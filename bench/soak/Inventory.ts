/** What there is in this process, and of it on this machine. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { childrenOf } from "@zain/contract-tests/faults/Leftovers"

/**
 * - `heap`: bytes that are in use after garbage was collected; `outside` of them are in buffers
 * - `resources`: what keeps the event loop going, by kind, as Node names it
 * - `children`: the processes of this one; nothing where the system does not say it
 * - `exitListeners`: listeners of the end of this process
 * - `resident`: the memory that the system counts, for people; a machine gives it back when it likes
 */
export interface Inventory {
  readonly heap: number
  readonly outside: number
  readonly resources: Readonly<Record<string, number>>
  readonly children: ReadonlyArray<number>
  readonly exitListeners: number
  readonly resident: number
}

setFlagsFromString("--expose-gc")
// Megabytes of compiled code that come and go would hide what stays.
setFlagsFromString("--no-flush-bytecode")
const collect = runInNewContext("gc") as () => void

/** Takes stock. Garbage that waits for a turn of the event loop gets one first. */
export const take = async (apart: ReadonlyArray<number> = []): Promise<Inventory> => {
  for (let round = 0; round < 4; round++) {
    collect()
    await new Promise((resume) => setTimeout(resume, 5))
  }
  const { arrayBuffers, external, heapUsed, rss } = process.memoryUsage()
  const resources: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1
  return {
    heap: heapUsed,
    outside: Math.max(external, arrayBuffers),
    resources,
    children: childrenOf(process.pid).filter((pid) => !apart.includes(pid)),
    exitListeners: process.listenerCount("exit"),
    resident: rss,
  }
}

/** Whether the system lists its processes. */
export const canSeeProcesses = process.platform === "linux"
