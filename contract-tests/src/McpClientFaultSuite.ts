/**
 * The fault suite: one server for each known way to misbehave. A client must report the right error in time, release
 * everything, and keep its other sessions unharmed.
 *
 * Each fault has an expectation per transport: whether the session opens, how the struck call ends, with which reasons and
 * `delivery`, and what the next call does. For every fault the suite also demands that
 *
 * - each operation ends without a limit, or by the limit that the fault names
 * - every error is one of the four, at most 1 KiB, and shows neither in message, JSON, `inspect`, stack nor cause the
 *   secret that the client received and the server echoes
 * - no rejection, exception, warning or console output escapes
 * - no turn ends twice, and no prompt arrives twice
 * - a session of the same client beside it answers before, during and after the fault
 * - after the session no process of its server runs, grandchildren included, and the server holds no session; after the
 *   client no new child, socket, timer, temporary file or connection to another origin exists
 * - the event loop blocks for less than 1 s (10 s with more than 32 MiB of `maxMessageBytes`), and memory grows by less
 *   than 128 MiB and six times `maxMessageBytes`
 *
 * Limits scale with the pace of the machine: a control program beside the trials, slower than on an idle machine, extends
 * them. On Linux a stall does not count the time that other processes had the processor.
 */
import type { McpTransport } from "@zain/core/McpTransport"
import * as Effect from "effect/Effect"
import { type Fault, transports } from "./faults/Fault.ts"
import * as FaultBench from "./faults/FaultBench.ts"
import * as FaultSubject from "./faults/FaultSubject.ts"
import * as Faults from "./faults/Faults.ts"
import * as Peer from "./faults/peer/Behaviour.ts"
import * as SaidFaults from "./faults/SaidFaults.ts"

export type { Fault } from "./faults/Fault.ts"
export type { FaultResult } from "./faults/FaultBench.ts"
export type { FaultSubject, Place } from "./faults/FaultSubject.ts"
export type { PeerDialect } from "./faults/peer/Behaviour.ts"

/** The text of a good answer. A subject's `answer` holds it, and the client must return it as `content`. */
export const answerText: string = Peer.answerText

/** Every fault, in the order in which they run. */
export const faults: ReadonlyArray<Fault> = Faults.faults

/**
 * The ids of the faults that reach an adapter's own dialect: results, questions and events of the server. The others test
 * the transport; of several adapters with the same transport, one needs to run them.
 */
export const ofDialect: ReadonlyArray<string> = SaidFaults.ofDialect

const known: ReadonlySet<string> = new Set(faults.map(({ id }) => id))

/**
 * Returns the faults that exist over a transport.
 *
 * @param transport the transport, such as one of a subject's `transports`
 */
export const faultsOf = (transport: McpTransport): ReadonlyArray<Fault> =>
  faults.filter(({ expected }) => expected[transport] !== undefined)

/**
 * Checks a subject before any fault runs: its transports, its answer, and its excuses.
 *
 * @param subject the client under test
 * @returns one line for each problem; none for a sound subject
 */
export const problems = (subject: FaultSubject.FaultSubject): ReadonlyArray<string> =>
  FaultSubject.problems(subject, known, answerText)

/** Limits the run to some faults; by default all run. */
export interface Options {
  /** The ids of the faults to run, such as `ofDialect`; all by default. */
  readonly only?: ReadonlyArray<string>
  /** The transports to run them on; all of the subject's by default. */
  readonly transports?: ReadonlyArray<McpTransport>
  /**
   * Whether to leave out the run against a healthy server that precedes the faults; `false` by default. Without it, the
   * memory of modules that load at the first call counts against the first fault.
   */
  readonly cold?: boolean
}

/** How a subject did with the faults that ran. */
export interface Report {
  /** The subject's `name`. */
  readonly subject: string
  /** Whether the subject is sound and no fault failed; excused faults do not count. */
  readonly ok: boolean
  /** What is wrong with the subject itself, one line each; empty for a sound one. */
  readonly problems: ReadonlyArray<string>
  /** One result for each fault on each transport, in the order in which they ran. */
  readonly results: ReadonlyArray<FaultBench.FaultResult>
}

/** Makes a bench that runs faults one by one, for a test runner. It ends with the Scope. */
export const bench: typeof FaultBench.make = FaultBench.make

/**
 * Runs every fault on every transport of a subject, one after the other, each on a client of its own. It never fails: the
 * report holds what did.
 *
 * @param subject the client under test
 * @param options `only` and `transports`: which faults run, all by default; `cold`: without a healthy trial run before
 *
 * @example
 * ```ts
 * import { McpClientFaultSuite } from "@zain/contract-tests"
 * import * as Effect from "effect/Effect"
 *
 * const print = (subject: McpClientFaultSuite.FaultSubject) =>
 *   Effect.map(McpClientFaultSuite.check(subject), (report) => console.log(McpClientFaultSuite.format(report)))
 * ```
 */
export const check = (subject: FaultSubject.FaultSubject, options: Options = {}): Effect.Effect<Report> =>
  Effect.gen(function* () {
    const results: Array<FaultBench.FaultResult> = []
    for (const transport of transports) {
      if (!subject.transports.includes(transport) || options.transports?.includes(transport) === false) continue
      const chosen = faultsOf(transport).filter(({ id }) => options.only?.includes(id) !== false)
      const tryAll = Effect.gen(function* () {
        const { run } = yield* FaultBench.make(subject, transport, options.cold)
        for (const fault of chosen) results.push(yield* run(fault))
      })
      yield* Effect.scoped(tryAll)
    }
    const found = problems(subject)
    const ok = found.length === 0 && results.every(({ status }) => status !== "failed")
    return { subject: subject.name, ok, problems: found, results }
  })

const shown = 6

/** The first line of each problem, without repetitions; at most six, since one defect often causes many. */
const brief = (found: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lines = [...new Set(found.map((problem) => problem.split("\n")[0] ?? ""))]
  return lines.length <= shown ? lines : [...lines.slice(0, shown), `… and ${lines.length - shown} more`]
}

const mebibyte = 1024 * 1024

const columns: ReadonlyArray<readonly [string, (result: FaultBench.FaultResult) => string, "left" | "right"]> = [
  ["fault", ({ id }) => id, "left"],
  ["transport", ({ transport }) => transport, "left"],
  ["", ({ status }) => (status === "passed" ? "ok" : status === "failed" ? "FAILED" : "-"), "left"],
  ["outcome", ({ outcome }) => outcome, "left"],
  ["ms", ({ millis }) => String(millis), "right"],
  ["sibling ms", ({ latency }) => String(latency), "right"],
  ["stall ms", ({ stall }) => String(stall), "right"],
  ["MiB", ({ growth }) => String(Math.round(growth / mebibyte)), "right"],
]

/**
 * Formats a report as a table: fault, transport, status, outcome, duration, the longest wait of the session beside it, the
 * longest stall of the event loop (all in ms), and the growth of memory (MiB). Problems follow.
 *
 * @param report the report of `check`
 */
export const format = ({ problems, results, subject }: Report): string => {
  const cells = [columns.map(([name]) => name), ...results.map((result) => columns.map(([, cell]) => cell(result)))]
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>) =>
    row
      .map((cell, at) => (columns[at]?.[2] === "right" ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd()
  const of = (status: FaultBench.FaultResult["status"]) => results.filter((result) => result.status === status)
  const passed = results.filter(({ status }) => status === "passed")
  return [
    ...cells.map(line),
    ...problems.map((problem) => `subject  ${problem}`),
    ...of("excused").map(({ id, problems: [reason], transport }) => `excused  ${id} over ${transport}: ${reason}`),
    ...of("failed").map(({ id, problems: found, title, transport }) =>
      [`failed   ${id} over ${transport}: ${title}`, ...brief(found).map((problem) => `         ${problem}`)].join(
        "\n",
      ),
    ),
    `${subject}: ${passed.length} passed, ${of("failed").length} failed, ${of("excused").length} excused`,
  ].join("\n")
}
