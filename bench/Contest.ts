/**
 * Lets the contestants of a row take turns, block by block, each in a process of its own: so a machine that changes its
 * speed changes it for all, and none is measured with the garbage or compiled code of another.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { type Block, type Result, results } from "./Measure.ts"
import type { Profile } from "./Profile.ts"
import { ours, type Row, sdk } from "./Row.ts"

export interface Outcome {
  readonly row: Row
  readonly results: ReadonlyArray<Result>
  readonly isReached: boolean | undefined
  /** Where the time or the memory of ours goes, if that is not what was aimed at. */
  readonly profile?: Profile
}

/** What is said between the two processes. */
export type Request = "block" | "profile" | "end"
export type Reply = { readonly value: unknown } | { readonly error: string }

/** A worker may take this long for one thing, in milliseconds. */
const patience = 600_000

/** Whether a process can be pinned to a core. */
export const canPin = process.platform === "linux" && spawnSync("taskset", ["-c", "0", "true"]).status === 0

/** Runs a row. A quick look has fewer and smaller blocks. */
export const run = async (row: Row, isQuick: boolean): Promise<Outcome> => {
  const scale = isQuick ? 0.1 : 1
  const { times } = row
  const rounds = isQuick ? 1 : times.rounds
  const count = isQuick ? Math.min(2, times.blocks) : times.blocks
  const blocks = new Map<string, Array<Block>>(row.contestants.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const workers: Array<Worker> = []
    try {
      for (const contestant of row.contestants) workers.push(await start(row, contestant.name, scale))
      for (let index = -times.warmUp; index < count; index++) {
        const order = index % 2 === 0 ? workers : [...workers].reverse()
        for (const worker of order) {
          const block = (await worker.ask("block")) as Block
          if (index >= 0) blocks.get(worker.name)?.push(block)
        }
      }
      for (const worker of workers) await worker.end()
    } finally {
      for (const worker of workers) worker.kill()
    }
  }
  const all = results(row.metric, blocks)
  const reached = isReached(row, all)
  const isToProfile = reached === false && row.isApart !== true
  return { row, results: all, isReached: reached, ...(isToProfile ? { profile: await profile(row, scale) } : {}) }
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

/** The figure that the row's aim is about. */
export const figureOf = ({ aim, metric }: Row, all: ReadonlyArray<Result>) => {
  const mine = all.find(({ contestant }) => contestant === ours)
  return aim?.of === "value" ? mine?.[metric] : mine?.over(aim?.over ?? sdk)
}

const isReached = (row: Row, all: ReadonlyArray<Result>): boolean | undefined => {
  const figure = figureOf(row, all)
  if (row.aim === undefined || figure === undefined) return undefined
  const hasLost = all.some(({ contestant, lost }) => contestant === ours && lost > 0)
  return !hasLost && figure.median <= row.aim.most
}

type Worker = Awaited<ReturnType<typeof start>>

const start = async (row: Row, name: string, scale: number) => {
  const node = [
    process.execPath,
    "--conditions=zain-source",
    "--expose-gc",
    // The engine throws compiled code away that has not run for a while, which would look like memory that came back.
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
  /** A worker that has ended its client leaves by itself, or the client has left something running. */
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

/** What a worker says next. */
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
