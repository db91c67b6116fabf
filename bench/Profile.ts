/**
 * Where the time or the memory of a block goes, by the sampling profilers of the engine.
 */
import { type HeapProfiler, type Profiler, Session } from "node:inspector/promises"
import { memory } from "./Measure.ts"
import type { Row, Run } from "./Row.ts"

/** A share of all that was seen, from 0 to 1. */
export interface Share {
  readonly name: string
  readonly share: number
}

export interface Profile {
  readonly of: "time" | "memory"
  readonly modules: ReadonlyArray<Share>
  readonly functions: ReadonlyArray<Share>
}

/** How long to run blocks before and during profiling, in ms. */
const before = 700
const long = 1_500

/** Profiles blocks; for memory one block, of which retained allocations count. */
export const take = async (run: Run, metric: Row["metric"]): Promise<Profile> => {
  const isMemory = metric === "heap" || metric === "resident"
  const session = new Session()
  session.connect()
  try {
    const seen = isMemory ? await stays(session, run) : await takes(session, run)
    const total = sizeOf(seen)
    const top = (name: (frame: Frame) => string, count: number): ReadonlyArray<Share> =>
      [...Map.groupBy(seen, ({ frame }) => name(frame))]
        .map(([name, all]) => ({ name, share: sizeOf(all) / total }))
        .sort((a, b) => b.share - a.share)
        .slice(0, count)
    return { of: isMemory ? "memory" : "time", modules: top(moduleOf, 8), functions: top(nameOf, 12) }
  } finally {
    session.disconnect()
  }
}

interface Frame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}
interface Seen {
  readonly frame: Frame
  readonly size: number
}

const sizeOf = (seen: ReadonlyArray<Seen>) => seen.reduce((sum, { size }) => sum + size, 0)

const during = async (run: Run, milliseconds: number) => {
  for (const started = performance.now(); performance.now() - started < milliseconds; ) await run.block()
}

const takes = async (session: Session, run: Run): Promise<ReadonlyArray<Seen>> => {
  await during(run, before)
  await session.post("Profiler.enable")
  await session.post("Profiler.setSamplingInterval", { interval: 200 })
  await session.post("Profiler.start")
  await during(run, long)
  const { profile } = await session.post("Profiler.stop")
  const frames = new Map(profile.nodes.map(({ callFrame, id }: Profiler.ProfileNode) => [id, callFrame]))
  return (profile.samples ?? []).flatMap((id, index): ReadonlyArray<Seen> => {
    const frame = frames.get(id)
    if (frame === undefined || frame.functionName === "(idle)") return []
    return [{ frame, size: profile.timeDeltas?.[index + 1] ?? 0 }]
  })
}

const stays = async (session: Session, run: Run): Promise<ReadonlyArray<Seen>> => {
  await session.post("HeapProfiler.enable")
  await session.post("HeapProfiler.startSampling", { samplingInterval: 512 })
  await run.block()
  await memory()
  const { profile } = await session.post("HeapProfiler.stopSampling")
  const seen: Array<Seen> = []
  /** Allocations of built-in functions count for their caller. */
  const walk = ({ callFrame, children, selfSize }: HeapProfiler.SamplingHeapProfileNode, caller: Frame) => {
    const frame = callFrame.url === "" ? caller : callFrame
    if (selfSize > 0) seen.push({ frame, size: selfSize })
    for (const child of children) walk(child, frame)
  }
  walk(profile.head, profile.head.callFrame)
  return seen
}

/** A file's path from its package on, without the path of the checkout. */
const fileOf = (url: string): string => {
  const installed = url.split("/node_modules/").at(-1) ?? url
  if (installed !== url) return installed
  return /\/((?:packages|bench)\/.*)$/.exec(url)?.[1] ?? url
}

const nameOf = ({ functionName, lineNumber, url }: Frame): string => {
  if (url === "") return functionName === "" ? "(engine)" : functionName
  return `${functionName === "" ? `(line ${lineNumber + 1})` : functionName}, ${fileOf(url)}`
}

const moduleOf = ({ functionName, url }: Frame): string => {
  if (url === "") return functionName === "" || functionName.startsWith("(") ? "(engine)" : `${functionName} (native)`
  if (url.startsWith("node:")) return "Node's own JavaScript"
  const file = fileOf(url)
  const parts = file.split("/")
  return file.startsWith("@") || file.startsWith("packages/") ? parts.slice(0, 2).join("/") : (parts[0] ?? file)
}
