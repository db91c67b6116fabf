/**
 * Compares this process and this machine before and after a client: handles, children, temporary files.
 */
import { readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Effect from "effect/Effect"
import type { Pace } from "./Pace.ts"

/** The number of handles of each kind, the children of this process, and the temporary files. */
interface Inventory {
  readonly handles: ReadonlyMap<string, number>
  readonly children: ReadonlySet<number>
  readonly files: ReadonlySet<string>
}

const take = (): Inventory => {
  const handles = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) handles.set(kind, (handles.get(kind) ?? 0) + 1)
  return { handles, children: new Set(childrenOf(process.pid)), files: new Set(readdirSync(tmpdir())) }
}

/** The children of a process on Linux, without zombies; none on other systems. */
export const childrenOf = (pid: number): ReadonlyArray<number> => {
  if (process.platform !== "linux") return []
  return readdirSync("/proc").flatMap((name) => {
    const stat = /^\d+$/.test(name) ? statOf(name) : ""
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return Number(parent) === pid && state !== "Z" && state !== "X" ? [Number(name)] : []
  })
}

const statOf = (pid: string) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
  } catch {
    return ""
  }
}

/** Handles that are not the client's: the test runner's channels, and files that are being read. */
const passing: ReadonlySet<string> = new Set(["MessagePort", "Immediate", "FSReqCallback", "FSReqPromise", "CloseReq"])

const differences = (before: Inventory, now: Inventory): ReadonlyArray<string> => [
  ...[...now.handles].flatMap(([kind, count]) => {
    const more = count - (before.handles.get(kind) ?? 0)
    return more > 0 && !passing.has(kind) ? [`${more} more ${kind}`] : []
  }),
  ...[...now.children].flatMap((pid) => (before.children.has(pid) ? [] : [`child process ${pid}`])),
  ...[...now.files].flatMap((name) => (before.files.has(name) ? [] : [`temporary file ${name}`])),
]

/** How long the system may take to remove what has ended from its lists, in milliseconds on an idle machine. */
const maxGoneMillis = 1_500

/** Repeats a look until nothing is left, or the time is up. Returns what remains. */
export const settled = Effect.fnUntraced(function* (
  look: Effect.Effect<ReadonlyArray<string>>,
  pace: Pace,
): Effect.fn.Return<ReadonlyArray<string>> {
  const end = pace.now() + maxGoneMillis
  for (;;) {
    const left = yield* look
    if (left.length === 0 || pace.now() > end) return left
    yield* Effect.sleep(10)
  }
})

/** Records the present state. The inner effect returns what exists beyond it, after it has had time to end. */
export const compare = (pace: Pace): Effect.Effect<Effect.Effect<ReadonlyArray<string>>> =>
  Effect.sync(() => {
    const before = take()
    return settled(
      Effect.sync(() => differences(before, take())),
      pace,
    )
  })
