/**
 * The summary of a loop: as text, and as the last line of JSON.
 */

import { clean } from "@zain/command/PlainText"
import type { LoopResult, LoopStop } from "../LoopEvent.ts"
import type { LoopSmithError } from "../LoopSmithError.ts"
import * as ScoreText from "../ScoreText.ts"
import type { Paint } from "./Lines.ts"

/**
 * - `score`, `first`: the best score and the original's, `null` before the first evaluation
 * - `best`: the number of the iteration with the best score
 * - `document`, `report`: the paths of the files that were written
 * - `note`: why the document's path is not the planned one
 * - `problem`, `error`: the cause of a failure
 */
export interface Summary {
  readonly stop: LoopStop
  readonly target: number
  readonly iterations: number
  readonly score: number | null
  readonly first: number | null
  readonly best: number | null
  readonly document: string | null
  readonly report: string | null
  readonly note?: string
  readonly problem?: string
  readonly error?: Pick<LoopSmithError, "attempts" | "details" | "reason" | "retryable">
}

/**
 * Builds a summary without problems.
 *
 * @param stop why the loop ended
 * @param target the target of the loop
 * @param result the result, if there was an evaluation
 * @param written the paths of the files that were written
 */
export const make = (
  stop: LoopStop,
  target: number,
  result: LoopResult | undefined,
  written: Pick<Summary, "document" | "report">,
): Summary => ({
  stop,
  target,
  iterations: result?.iterations.length ?? 0,
  score: result?.score ?? null,
  first: result?.iterations[0].evaluation.score ?? null,
  best: result?.best ?? null,
  ...written,
})

const outcomes: Readonly<Record<LoopStop, string>> = {
  "reached-target": "The target is reached.",
  "out-of-iterations": "The iterations are used up, and the target is not reached.",
  "no-more-gain": "The score stopped rising: three gains in a row were below 0.5.",
  cancelled: "Cancelled.",
  failed: "The loop failed.",
}

/** The summary as lines for people. */
export const text = (summary: Summary, paint: Paint): string => {
  const { document, note, problem, report, stop } = summary
  const lines = [
    `${paint(stop === "reached-target" ? "green" : "yellow", outcomes[stop])}${scores(summary)}`,
    ...(problem === undefined ? [] : [paint("red", clean(problem))]),
    ...(document === null ? [kept(summary)] : [`Document: ${clean(document)}`]),
    ...(note === undefined ? [] : [clean(note)]),
    ...(report === null ? [] : [`Report:   ${clean(report)}`]),
  ]
  return lines.filter((line) => line !== "").join("\n")
}

const scores = ({ best, first, iterations, score, target }: Summary): string => {
  if (score === null || first === null) return ""
  const goal = `; ${ScoreText.score(target)} was needed`
  if (iterations === 1) return ` Score ${ScoreText.score(score)}${goal}.`
  return ` Score ${ScoreText.score(first)} → ${ScoreText.score(score)}, the best of ${iterations} (number ${best})${goal}.`
}

const kept = ({ first, score }: Summary): string =>
  score !== null && score === first ? "No version scored higher than the original: no document was written." : ""
