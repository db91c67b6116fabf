/**
 * Writes the better document, the report and the summary when a loop ends.
 */

import type { Mask } from "@zain/command/Secrets"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { LoopResult, LoopStop } from "../LoopEvent.ts"
import type { LoopSmithError } from "../LoopSmithError.ts"
import * as Report from "../Report.ts"
import type { DocumentFile } from "./DocumentFile.ts"
import type { Improve } from "./LoopCommandLine.ts"
import * as OutputFiles from "./OutputFiles.ts"
import type { Screen } from "./Screen.ts"
import * as Summary from "./Summary.ts"

/** The document, and where the outputs go. */
export interface Job {
  readonly document: DocumentFile
  readonly outputs: OutputFiles.Outputs
}

/** `problem`, `error`: the cause of a failure, masked. */
export interface Ending extends Pick<Summary.Summary, "error" | "problem"> {
  readonly stop: LoopStop
}

/** The exit codes of a loop that was not cancelled. */
const exitCodes = { reached: 0, failed: 1, below: 3 } as const

/** @param finished the result of the loop's `Finished` event, if there was one */
export const of = (exit: Exit.Exit<void, LoopSmithError>, finished: LoopResult | undefined, mask: Mask): Ending => {
  if (finished !== undefined) return { stop: finished.stop }
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return { stop: "cancelled" }
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (error === undefined) return { stop: "failed", problem: mask(Cause.pretty(exit.cause)) }
  const { attempts, details, message, reason, retryable } = error
  return { stop: "failed", problem: mask(message), error: { reason, details: mask(details), retryable, attempts } }
}

/** The summary of a command that ended before its loop began. */
export const beforeAny = (cause: Cause.Cause<Error>, target: number): Summary.Summary => {
  const of = (stop: LoopStop) => Summary.make(stop, target, undefined, { document: null, report: null })
  return Cause.hasInterruptsOnly(cause) ? of("cancelled") : { ...of("failed"), problem: messageOf(Cause.squash(cause)) }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/**
 * Writes the outputs and the summary.
 *
 * @returns the exit code
 */
export const conclude = Effect.fnUntraced(function* (
  line: Improve,
  job: Job,
  screen: Screen,
  { result, startedAt, ...ending }: Ending & { readonly result: LoopResult | undefined; readonly startedAt: number },
) {
  const { problem, stop } = ending
  const { target } = line
  const kept = {
    document: yield* keepDocument(job, result),
    report: yield* keepReport(line, job, result, problem, startedAt),
  }
  const problems = [problem, kept.document.problem, kept.report.problem].filter((one) => one !== undefined)
  const written = { document: kept.document.path, report: kept.report.path }
  const { note } = kept.document
  const summary = {
    ...Summary.make(stop, target, result, written),
    ...(note === undefined ? {} : { note }),
    ...(problems.length === 0 ? {} : { problem: problems.join(" ") }),
    ...(ending.error === undefined ? {} : { error: ending.error }),
  }
  const isTold = yield* Effect.match(screen.end(summary), {
    onSuccess: () => true,
    onFailure: ({ message }) => {
      screen.print(message)
      return false
    },
  })
  if (!isTold || problems.length > 0 || stop === "failed") return exitCodes.failed
  return stop === "reached-target" ? exitCodes.reached : exitCodes.below
})

/**
 * - `path`: the file that was written
 * - `note`: why the path is not the planned one
 * - `problem`: why nothing was written, or the file is in the directory for temporary files
 */
interface Kept {
  readonly path: string | null
  readonly note?: string
  readonly problem?: string
}

const nothing: Kept = { path: null }

/**
 * A document with a higher score than the original is written. The unchanged original is written only if an output was
 * requested and the loop ran to its end.
 */
const keepDocument = ({ outputs }: Job, result: LoopResult | undefined): Effect.Effect<Kept> => {
  if (result === undefined) return Effect.succeed(nothing)
  const isBetter = result.score > result.iterations[0].evaluation.score
  const isWhole = result.stop !== "cancelled" && result.stop !== "failed"
  return isBetter || (outputs.isAsked && isWhole) ? keep(outputs.document, result.content) : Effect.succeed(nothing)
}

const keepReport = Effect.fnUntraced(function* (
  { rubric, target }: Improve,
  { document, outputs }: Job,
  result: LoopResult | undefined,
  problem: string | undefined,
  startedAt: number,
): Effect.fn.Return<Kept> {
  if (result === undefined || outputs.report === undefined) return nothing
  const html = Report.html({
    title: document.name,
    result,
    target,
    rubric,
    startedAt: new Date(startedAt),
    took: (yield* Clock.currentTimeMillis) - startedAt,
    ...(problem === undefined ? {} : { problem }),
  })
  return yield* keep(outputs.report, html)
})

/** If the planned place cannot be written, the directory for temporary files is tried. */
const keep = (to: OutputFiles.Destination, content: string): Effect.Effect<Kept> =>
  OutputFiles.write(to, content).pipe(
    Effect.map((path) => ({ path: path ?? null, ...noteOf(to, path) })),
    Effect.catch(({ message }) =>
      OutputFiles.rescue(to, content).pipe(
        Effect.map((path) => ({ path, problem: message })),
        Effect.orElseSucceed(() => ({ path: null, problem: message })),
      ),
    ),
  )

const noteOf = (to: OutputFiles.Destination, path: string | undefined): Pick<Kept, "note"> =>
  to.kind !== "replace" || path === to.path
    ? {}
    : {
        note: `${to.path} was changed by another program during the run. It was not replaced; the better document is beside it.`,
      }
