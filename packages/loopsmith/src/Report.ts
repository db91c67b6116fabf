/**
 * The report of a loop as one HTML file: the outcome, the chart, the scores and the suggestions of each iteration. It has
 * no script and loads nothing.
 */
import { createHash } from "node:crypto"
import { defaultTarget } from "./Evaluation.ts"
import type { Iteration, LoopResult, LoopStop } from "./LoopEvent.ts"
import { escaped } from "./Markup.ts"
import * as ReportStyle from "./ReportStyle.ts"
import * as Rubric from "./Rubric.ts"
import * as ScoreChart from "./ScoreChart.ts"
import * as ScoreText from "./ScoreText.ts"

/** What a report shows; only `title` and `result` are required. */
export interface Options {
  /** The heading, such as the name of the document's file. */
  readonly title: string
  /** The result of `ImprovementLoop`, or of `LoopProgress.result` for a cancelled or failed loop. */
  readonly result: LoopResult
  /** The target of the loop, from 0 to 10. Default: 8. */
  readonly target?: number
  /** The weights, shown in the heads of the table; not shown if omitted. */
  readonly rubric?: Rubric.Rubric
  /** When the loop started; not shown if omitted or invalid. */
  readonly startedAt?: Date
  /** The duration of the whole loop, in milliseconds; not shown if omitted. */
  readonly took?: number
  /** The error of a failed loop, shown below the outcome. */
  readonly problem?: string
}

/**
 * Renders the report of a loop. Text of agents and documents is escaped.
 *
 * @param options the content of the report; equal options give an equal page
 * @returns an HTML page whose Content-Security-Policy allows no script and no request
 *
 * @example
 * ```ts
 * import { writeFile } from "node:fs/promises"
 * import { type LoopEvent, Report } from "@zain/loopsmith"
 *
 * const save = (result: LoopEvent.LoopResult) => writeFile("guide.report.html", Report.html({ title: "guide.md", result }))
 * ```
 */
export const html = (options: Options): string => {
  const { problem, result, rubric, target = defaultTarget, title } = options
  return `\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)} · LoopSmith</title>
<style>${ReportStyle.style}</style>
</head>
<body>
<main>
<h1 dir="auto">${escaped(title)}</h1>
<p class="outcome ${result.stop}"><strong>${outcomes[result.stop]}</strong> ${escaped(journey(result, target))}</p>
${problem === undefined ? "" : `<p class="problem" dir="auto">${escaped(problem)}</p>\n`}\
<dl>
${facts(options).map(fact).join("\n")}
</dl>
<h2>Scores</h2>
<div class="chart">
${ScoreChart.svg(
  result.iterations.map(({ evaluation }) => evaluation),
  { target },
)}
</div>
${table(result, rubric)}
<h2>Suggestions</h2>
${result.iterations.map(suggestions).join("\n")}
</main>
<footer>Written by LoopSmith. Scores are from 0 to 10, as the judge gave them.</footer>
</body>
</html>
`
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("base64")

/** Allows the two style elements by their hashes, and no script, image, font or form. */
const policy = [
  "default-src 'none'",
  `style-src ${[ReportStyle.style, ScoreChart.style].map((style) => `'sha256-${hashOf(style)}'`).join(" ")}`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ")

const outcomes: Readonly<Record<LoopStop, string>> = {
  "reached-target": "The target was reached.",
  "out-of-iterations": "The iterations ran out before the target was reached.",
  "no-more-gain": "The score stopped rising: three gains in a row were below 0.5.",
  cancelled: "The loop was cancelled; this report shows what was finished.",
  failed: "The loop failed; this report shows what was finished.",
}

const journey = ({ best, iterations, score }: LoopResult, target: number) => {
  const count = iterations.length
  const first = ScoreText.score(iterations[0].evaluation.score)
  const needed = `${ScoreText.score(target)} was needed`
  if (count === 1) return `The only evaluation gave ${first}; ${needed}.`
  return `The score began at ${first}. The best of ${count} iterations is number ${best} with ${ScoreText.score(score)}; ${needed}.`
}

const facts = ({ result, startedAt, target = defaultTarget, took }: Options) => {
  const models = new Set(result.iterations.map(({ evaluation }) => evaluation.metadata.model_used))
  const judging = result.iterations.reduce((sum, { evaluation }) => sum + evaluation.metadata.evaluation_time, 0)
  const writing = result.iterations.reduce((sum, { rewriteTime = 0 }) => sum + rewriteTime, 0)
  const all: ReadonlyArray<readonly [string, string | undefined]> = [
    ["Best score", ScoreText.score(result.score)],
    ["Target", ScoreText.score(target)],
    ["Iterations", String(result.iterations.length)],
    ["Judged by", [...models].join(", ")],
    ["Judging took", duration(judging)],
    ["Rewriting took", duration(writing)],
    ["All of it took", took === undefined ? undefined : duration(took)],
    ["Started", startedAt === undefined ? undefined : moment(startedAt)],
  ]
  return all
}

const fact = ([name, value]: readonly [string, string | undefined]) =>
  value === undefined ? "" : `<div><dt>${name}</dt><dd dir="auto">${escaped(value)}</dd></div>`

/** A date as people read it; nothing of one that is invalid. */
const moment = (date: Date) =>
  Number.isNaN(date.getTime())
    ? undefined
    : date
        .toISOString()
        .replace("T", " ")
        .replace(/\.\d+Z$/, " UTC")

/** A time as people say it: `850 ms`, `12.3 s`, `4 min 5 s`. */
const duration = (milliseconds: number) => {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  const tenths = Math.round(milliseconds / 100)
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1_000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

const table = ({ best, iterations }: LoopResult, rubric: Rubric.Rubric | undefined) => {
  const weights = rubric === undefined ? undefined : Rubric.percent(rubric)
  const weight = (name: Rubric.Criterion) => (weights === undefined ? "" : ` (${weights[name]} %)`)
  const heads = ["Iteration", "Score", "Gain", ...Rubric.criteria.map((name) => `${name}${weight(name)}`)]
  const rows = iterations.map((one) => row(one, one.iteration === best))
  return `<div class="scroll">
<table>
<caption>Each iteration, as the judge scored it</caption>
<thead><tr>${[...heads, "judged in", "rewritten in"].map((head) => `<th scope="col">${head}</th>`).join("")}</tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table>
</div>`
}

const row = ({ evaluation, gain, iteration, rewriteTime }: Iteration, isBest: boolean) => {
  const cells = [
    ScoreText.score(evaluation.score),
    gain === undefined ? "" : ScoreText.gain(gain),
    ...Rubric.criteria.map((name) => ScoreText.score(evaluation.rubric_scores[name])),
    duration(evaluation.metadata.evaluation_time),
    rewriteTime === undefined ? "" : duration(rewriteTime),
  ]
  const name = `<th scope="row">${iteration}${isBest ? " (best)" : ""}</th>`
  return `<tr${isBest ? ' class="best"' : ""}>${name}${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`
}

const suggestions = ({ evaluation, iteration }: Iteration) => {
  const head = `<h3>Iteration ${iteration}, ${ScoreText.score(evaluation.score)}</h3>`
  if (evaluation.suggestions.length === 0) return `${head}\n<p class="soft">The judge had none.</p>`
  const items = evaluation.suggestions.map((text) => `<li dir="auto">${escaped(text)}</li>`)
  return `${head}\n<ol>\n${items.join("\n")}\n</ol>`
}
