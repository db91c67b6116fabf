/** Compares the resources after the work with those before it. */
import type { Place } from "./FakeAgent.ts"
import { canSeeProcesses, type Inventory } from "./Inventory.ts"
import type { Failures } from "./Load.ts"

/** The resources of this process, and those of the fake agent. */
export type Look = Inventory & { readonly left: ReadonlyArray<string> }

/** A part of the work. */
export interface Phase {
  readonly count: number
  readonly failures: Failures
  readonly seconds: number
}

/**
 * - `between`, `after`: after the executes, and after the sessions
 */
export interface Run {
  readonly transport: Place
  /** Before there was a client. */
  readonly bare: Inventory
  /** After the warm-up. */
  readonly before: Look
  readonly between: Look
  readonly after: Look
  /** After the client was closed. */
  readonly end: Look
  readonly warm: ReadonlyArray<Phase>
  readonly executes: Phase
  readonly sessions: Phase
}

/** One compared resource. */
export interface Figure {
  readonly what: string
  readonly before: string
  readonly after: string
  readonly ok: boolean
}

export interface Verdict extends Run {
  readonly figures: ReadonlyArray<Figure>
  readonly ok: boolean
}

/** The tolerance of the heap, which is never equal to the byte: a million bytes hide no relevant leak. */
const noise = 1_000_000
/** A client remembers its last 100,000 closed sessions, for its errors. */
const rememberedSession = 1_000

/** Judges a run. */
export const make = (run: Run): Verdict => {
  const { after, bare, before, between, end, executes, sessions, transport, warm } = run
  const remembered = rememberedSession * sessions.count
  const figures = [
    failures("failed executes", executes),
    failures("failed sessions", sessions),
    ...warm.map((phase) => failures("failures while warming up", phase)),
    grown("heap over the executes", before.heap, between.heap, noise, executes.count),
    grown("heap over the sessions", between.heap, after.heap, noise + remembered, sessions.count),
    grown("buffers", before.outside, after.outside, noise),
    same("open resources", resources(before), resources(after)),
    same("open resources, the client closed", resources(bare), resources(end)),
    same("listeners of the exit", before.exitListeners, after.exitListeners),
    same("listeners of the exit, the client closed", bare.exitListeners, end.exitListeners),
    same(
      transport === "stdio" || transport === "shared" ? "processes of agents" : "sessions and sockets of the server",
      0,
      after.left.length,
    ),
    ...(canSeeProcesses
      ? [
          same("child processes", before.children.length, after.children.length),
          same("child processes, the client closed", bare.children.length, end.children.length),
        ]
      : []),
  ]
  return { ...run, figures, ok: figures.every(({ ok }) => ok) }
}

const failures = (what: string, { count, failures }: Phase): Figure => ({
  what,
  before: `of ${count.toLocaleString("en")}`,
  after: failures.first === undefined ? "0" : `${failures.count}, first: ${failures.first}`,
  ok: failures.count === 0,
})

const mebibytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(2)} MiB`

const grown = (what: string, before: number, after: number, limit: number, among?: number): Figure => {
  const each = among === undefined ? "" : `, ${((after - before) / among).toFixed(2)} bytes each`
  return { what, before: mebibytes(before), after: `${mebibytes(after)}${each}`, ok: after - before <= limit }
}

const same = (what: string, before: number | string, after: number | string): Figure => ({
  what,
  before: String(before),
  after: String(after),
  ok: before === after,
})

/** Comes and goes by itself. */
const passing: ReadonlySet<string> = new Set(["Immediate", "FSReqCallback", "FSReqPromise", "CloseReq"])

const resources = ({ resources: all }: Inventory): string =>
  Object.entries(all)
    .filter(([kind]) => !passing.has(kind))
    .map(([kind, count]) => `${count} ${kind}`)
    .sort()
    .join(", ") || "none"
