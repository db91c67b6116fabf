/**
 * Measures blocks of work in this process, and summarizes the blocks of all contestants.
 */
import { setImmediate as turn } from "node:timers/promises"
import type { Row, Run } from "./Row.ts"

/**
 * One block, for one unit of its work: microseconds of `cpu` and of `wall` time; what stayed, in bytes that are reachable on
 * the `heap` and beside it, and in those of the process that are `resident` in memory.
 */
export interface Block extends Readonly<Record<Row["metric"], number>> {
  readonly units: number
  readonly lost: number
}

/** The blocks of each contestant. */
export type Blocks = Readonly<Record<string, ReadonlyArray<Block>>>

/** The median, the quartiles around it, and the ends. */
export interface Figure {
  readonly median: number
  readonly low: number
  readonly high: number
  readonly min: number
  readonly max: number
}

/** The summary of a contestant's blocks. A ratio compares consecutive blocks. */
export interface Result extends Readonly<Record<Row["metric"], Figure>> {
  readonly contestant: string
  readonly units: number
  readonly lost: number
  /** This contestant over another, by the row's metric. */
  readonly over: (contestant: string) => Figure | undefined
}

/** The memory in use after a garbage collection. */
export const memory = async (): Promise<Pick<Block, "heap" | "resident">> => {
  let heap = Number.POSITIVE_INFINITY
  for (let pass = 0; pass < 8; pass++) {
    await turn()
    globalThis.gc?.()
    const { external, heapUsed } = process.memoryUsage()
    heap = Math.min(heap, heapUsed + external)
  }
  return { heap, resident: process.memoryUsage.rss() }
}

const unmeasured = async () => ({ heap: 0, resident: 0 })

/** Runs a block. */
export const block = async (run: Run, metric: Row["metric"]): Promise<Block> => {
  const measured = metric === "heap" || metric === "resident" ? memory : unmeasured
  const before = await measured()
  const cpu = process.cpuUsage()
  const started = performance.now()
  const { apart, lost = 0, units } = await run.block()
  const wall = (performance.now() - started) * 1_000
  const { system, user } = process.cpuUsage(cpu)
  const after = await measured()
  await run.check?.()
  return {
    cpu: (apart?.cpu ?? user + system) / units,
    wall: (apart?.wall ?? wall) / units,
    heap: (apart?.heap ?? after.heap - before.heap) / units,
    resident: (apart?.resident ?? after.resident - before.resident) / units,
    units,
    lost,
  }
}

const figure = (values: ReadonlyArray<number>): Figure => {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => {
    const place = (sorted.length - 1) * share
    const below = sorted[Math.floor(place)] ?? 0
    return below + ((sorted[Math.ceil(place)] ?? 0) - below) * (place % 1)
  }
  return { median: at(0.5), low: at(0.25), high: at(0.75), min: at(0), max: at(1) }
}

/**
 * @param blocks of each contestant, in the order in which they ran
 */
export const results = (metric: Row["metric"], blocks: Blocks): ReadonlyArray<Result> =>
  Object.entries(blocks).map(([contestant, mine]) => ({
    contestant,
    cpu: figure(mine.map(({ cpu }) => cpu)),
    wall: figure(mine.map(({ wall }) => wall)),
    heap: figure(mine.map(({ heap }) => heap)),
    resident: figure(mine.map(({ resident }) => resident)),
    units: sum(mine.map(({ units }) => units)),
    lost: sum(mine.map(({ lost }) => lost)),
    over: (other) => {
      const theirs = blocks[other]
      return theirs && figure(mine.map((block, index) => block[metric] / (theirs[index]?.[metric] ?? Number.NaN)))
    },
  }))

const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)
