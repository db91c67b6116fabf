/**
 * A server that misbehaves in every way that we know of, each way by itself, and what is due from a client that meets
 * it: the right error in time, nothing left behind, and no harm to other sessions.
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

/** The text of a good answer. A subject's `answer` holds it, and its client must read it out of there. */
export const answerText: string = Peer.answerText

/** Every fault, in the order in which they are tried. */
export const faults: ReadonlyArray<Fault> = Faults.faults

/**
 * The ids of the faults that meet an adapter's own dialect: what a server answers, asks and tells. All others are its
 * transport's affair, and adapters that share one need to be tried with them once.
 */
export const ofDialect: ReadonlyArray<string> = SaidFaults.ofDialect

const known: ReadonlySet<string> = new Set(faults.map(({ id }) => id))

/** The faults of a transport. */
export const faultsOf = (transport: McpTransport): ReadonlyArray<Fault> =>
  faults.filter(({ expected }) => expected[transport] !== undefined)

/** What is wrong with a subject before any fault was tried; nothing for a sound one. */
export const problems = (subject: FaultSubject.FaultSubject): ReadonlyArray<string> =>
  FaultSubject.problems(subject, known, answerText)

/**
 * - `only`: the ids of the faults to try; all by default
 * - `transports`: to try them on; all of the subject's by default
 * - `cold`: begin without a trial run, which loads what is loaded once and would count against the first fault
 */
export interface Options {
  readonly only?: ReadonlyArray<string>
  readonly transports?: ReadonlyArray<McpTransport>
  readonly cold?: boolean
}

/** `ok`: nothing is wrong with the subject, and no fault was met in a way that it must not be. */
export interface Report {
  readonly subject: string
  readonly ok: boolean
  readonly problems: ReadonlyArray<string>
  readonly results: ReadonlyArray<FaultBench.FaultResult>
}

/** A bench on which faults are tried one by one, for runners of tests. It ends with the Scope. */
export const bench: typeof FaultBench.make = FaultBench.make

/**
 * Tries every fault on every transport of a subject, one after the other, each on a client of its own.
 *
 * @param subject the client under test
 * @returns how each was met; it never fails
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

/** The first line of each problem, each once, and not all of them: one thing that is wrong often breaks many. */
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
 * A report as a table for people: fault, transport, outcome, how long it took, how long a session beside it waited, how
 * long the event loop stood still, and how far memory grew. What is wrong follows.
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
