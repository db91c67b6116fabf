/** The resources of this process. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { childrenOf } from "@zain/contract-tests/faults/Leftovers"

export interface Inventory {
  /** Bytes that are in use after garbage was collected; `outside` of them are in buffers. */
  readonly heap: number
  readonly outside: number
  /** Active resources of the event loop, by Node's names. */
  readonly resources: Readonly<Record<string, number>>
  /** Child processes; empty if the system does not list them. */
  readonly children: ReadonlyArray<number>
  /** The number of listeners of this process's exit. */
  readonly exitListeners: number
  /** Resident memory, for information: the system reclaims it at any time. */
  readonly resident: number
}

setFlagsFromString("--expose-gc")
// Changes of compiled code, in megabytes, would hide leaks.
setFlagsFromString("--no-flush-bytecode")
const collect = runInNewContext("gc") as () => void

/** Takes an inventory, after a turn of the event loop for pending garbage. */
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
