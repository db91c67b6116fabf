/**
 * Runs the contestants of a row in turns, block by block, each in its own process, so that changes of the machine's
 * speed affect all of them, and none runs with the garbage or compiled code of another.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { type Block, type Blocks, type Result, results } from "./Measure.ts"
import type { Profile } from "./Profile.ts"
import { floor, ours, type Row } from "./Row.ts"

export interface Outcome {
  readonly row: Row
  readonly blocks: Blocks
  readonly results: ReadonlyArray<Result>
  readonly isReached: boolean | undefined
  /** The profile of ours, if it misses its aim. */
  readonly profile?: Profile
}

/** The messages between the two processes. */
export type Request = "block" | "profile" | "end"
export type Reply = { readonly value: unknown } | { readonly error: string }

/** The limit of one step of a worker, in ms. */
const patience = 600_000

/** Whether a process can be pinned to a core. */
export const canPin = process.platform === "linux" && spawnSync("taskset", ["-c", "0", "true"]).status === 0

/** `quick`: fewer and smaller blocks, to look whether a row runs. `short`: half of the work, and only what the bound needs. */
export type Form = "whole" | "quick" | "short"

/** The part of a row that a form runs. */
const partOf = (row: Row, form: Form): Row => {
  const { aim, contestants, times } = row
  if (form === "whole") return row
  if (form === "quick") return { ...row, times: { ...times, rounds: 1, blocks: Math.min(2, times.blocks) } }
  const needed = contestants.filter(({ name }) => name === ours || (aim?.of === "ratio" && name === overOf(row)))
  const few = { rounds: 1, blocks: Math.min(3, times.blocks), warmUp: Math.min(2, times.warmUp) }
  return { ...row, contestants: needed, times: few }
}

/** The contestant that the aim of a row compares with. */
export const overOf = ({ aim }: Row): string => aim?.over ?? floor

/** What blocks show. */
export const outcomeOf = (row: Row, blocks: Blocks): Outcome => {
  const all = results(row.metric, blocks)
  return { row, blocks, results: all, isReached: isReached(row, all) }
}

/** Runs a row. */
export const run = async (whole: Row, form: Form): Promise<Outcome> => {
  const row = partOf(whole, form)
  const scale = { whole: 1, short: 0.5, quick: 0.1 }[form]
  const { rounds, blocks: count, warmUp } = row.times
  const blocks = Object.fromEntries(row.contestants.map(({ name }) => [name, [] as Block[]]))
  for (let round = 0; round < rounds; round++) {
    const workers: Array<Worker> = []
    try {
      for (const contestant of row.contestants) workers.push(await start(row, contestant.name, scale))
      for (let index = -warmUp; index < count; index++) {
        const order = index % 2 === 0 ? workers : [...workers].reverse()
        for (const worker of order) {
          const block = (await worker.ask("block")) as Block
          if (index >= 0) blocks[worker.name]?.push(block)
        }
      }
      for (const worker of workers) await worker.end()
    } finally {
      for (const worker of workers) worker.kill()
    }
  }
  const outcome = outcomeOf(row, blocks)
  const isToProfile = outcome.isReached === false && row.isApart !== true && form !== "short"
  return { ...outcome, ...(isToProfile ? { profile: await profile(row, scale) } : {}) }
}

/** Any core, even where the row has one for all: the profiler counts what the server does on the client's core. */
const profile = async (row: Row, scale: number): Promise<Profile> => {
  const worker = await start({ ...row, allCores: true }, ours, scale)
  try {
    const taken = await worker.ask("profile")
    await worker.end()
    return taken as Profile
  } finally {
    worker.kill()
  }
}

/** The figure of the row's aim. */
export const figureOf = (row: Row, all: ReadonlyArray<Result>) => {
  const mine = all.find(({ contestant }) => contestant === ours)
  return row.aim?.of === "value" ? mine?.[row.metric] : mine?.over(overOf(row))
}

const isReached = (row: Row, all: ReadonlyArray<Result>): boolean | undefined => {
  const figure = figureOf(row, all)
  if (row.aim === undefined || figure === undefined) return undefined
  const hasLost = all.some(({ contestant, lost }) => contestant === ours && lost > 0)
  return !hasLost && figure.median <= row.aim.max
}

type Worker = Awaited<ReturnType<typeof start>>

const start = async (row: Row, name: string, scale: number) => {
  const node = [
    process.execPath,
    "--conditions=zain-source",
    "--expose-gc",
    // The engine drops unused compiled code, which would look like released memory.
    "--no-flush-bytecode",
    fileURLToPath(new URL("worker.ts", import.meta.url)),
    row.name,
    name,
    String(scale),
  ]
  const pin = canPin && row.allCores !== true ? ["taskset", "-c", String(availableParallelism() - 1)] : []
  const [command = "", ...args] = [...pin, ...node]
  const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  const kill = () => child.kill("SIGKILL")
  const ask = (request: Request): Promise<unknown> => {
    const answer = reply(child)
    child.send(request)
    return answer
  }
  /** A worker must exit by itself after its client ended; otherwise the client left something running. */
  const end = async () => {
    await ask("end")
    const exit = once(child, "exit", { signal: AbortSignal.timeout(10_000) })
    child.disconnect()
    await exit
  }
  try {
    await reply(child)
  } catch (cause) {
    kill()
    throw new Error(`${row.name}: ${name} did not start`, { cause })
  }
  return { name, ask, end, kill }
}

/** The next message of a worker. */
const reply = async (child: ChildProcess): Promise<unknown> => {
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(patience)])
  try {
    const exit = once(child, "exit", { signal }).then(([code]) => {
      throw new Error(`a worker exited with ${code}`)
    })
    const [said] = (await Promise.race([once(child, "message", { signal }), exit])) as [Reply]
    if ("error" in said) throw new Error(said.error)
    return said.value
  } finally {
    stop.abort()
  }
}
