/**
 * What came of a loop, and where it is: for people, and as the last line of JSON.
 */

import { clean } from "@zain/tool-server/TerminalText"
import type { LoopResult, LoopStop } from "../LoopEvent.ts"
import type { LoopSmithError } from "../LoopSmithError.ts"
import * as ScoreText from "../ScoreText.ts"
import type { Paint } from "./Display.ts"

/**
 * - `score`, `first`: the best score and the one of the original, if it was ever evaluated
 * - `best`: which iteration had the best score
 * - `document`, `report`: the files that were written
 * - `note`: what else is to be known of the files
 * - `problem`, `error`: why it failed, if it did
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
 * @param stop why it ended
 * @param target what was needed
 * @param result what there was until then, if anything
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
  "no-more-gain": "It gets no better: three gains in a row were under 0.5.",
  cancelled: "Cancelled.",
  failed: "It failed.",
}

/** How it reads. */
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
  score !== null && score === first ? "Nothing is better than the original: no document was written." : ""
