/**
 * The scores of a loop as a self-contained SVG, for light and dark pages.
 */
import type { EvaluationResponse } from "./Evaluation.ts"
import { escaped } from "./Markup.ts"
import * as Rubric from "./Rubric.ts"
import * as ScoreText from "./ScoreText.ts"

/** The part of an evaluation that the chart shows. */
export type Scores = Pick<EvaluationResponse, "score" | "rubric_scores">

/**
 * The CSS of the chart, which `svg` puts into a `<style>` element. A Content-Security-Policy can allow the element by
 * this text's hash.
 */
export const style = `
.score-chart { font: 13px system-ui, sans-serif; color-scheme: light dark; background: #ffffff }
.score-chart text { fill: #3d4451 }
.score-chart .grid { stroke: #e3e6eb }
.score-chart .target { stroke: #6b7280; stroke-width: 1.5; stroke-dasharray: 7 5 }
.score-chart .line { fill: none; stroke: currentColor; stroke-width: 1.5; opacity: .75 }
.score-chart .mark { fill: currentColor; stroke: none }
.score-chart .overall .line { stroke-width: 3; opacity: 1 }
.score-chart .overall text { font-weight: 650; fill: currentColor; stroke: #ffffff; stroke-width: 5; paint-order: stroke }
.score-chart .overall { color: #1a1f2b }
.score-chart .completeness { color: #0b62c4 }
.score-chart .accuracy { color: #b3440a }
.score-chart .clarity { color: #117a46 }
.score-chart .usability { color: #8a2fb0 }
@media (prefers-color-scheme: dark) {
  .score-chart { background: #15181e }
  .score-chart text { fill: #b9c0cc }
  .score-chart .grid { stroke: #2b303a }
  .score-chart .target { stroke: #9aa3b2 }
  .score-chart .overall { color: #f3f5f8 }
  .score-chart .overall text { stroke: #15181e }
  .score-chart .completeness { color: #6cb0ff }
  .score-chart .accuracy { color: #ffa066 }
  .score-chart .clarity { color: #5fd39a }
  .score-chart .usability { color: #d79af2 }
}
`

const width = 760
const height = 400
const plot = { left: 48, right: width - 28, top: 24, bottom: height - 84 }

/** At most two decimals, so that the same scores always give the same text. */
const at = (value: number) => String(Math.round(value * 100) / 100)

const y = (score: number) => plot.bottom - (score / 10) * (plot.bottom - plot.top)

/** The x of each iteration: spread over the width, a single one in the middle. */
const columns = (count: number) => {
  const [first, last] = [plot.left + 34, plot.right - 34]
  return (index: number) => (count === 1 ? (first + last) / 2 : first + (index * (last - first)) / (count - 1))
}

/** A different shape for each line, so that they are distinguishable without colours. */
const marks: Readonly<Record<Series, (x: number, y: number) => string>> = {
  overall: (x, y) => `<circle class="mark" cx="${at(x)}" cy="${at(y)}" r="5"/>`,
  completeness: (x, y) => `<circle class="mark" cx="${at(x)}" cy="${at(y)}" r="3.5"/>`,
  accuracy: (x, y) => `<rect class="mark" x="${at(x - 3.25)}" y="${at(y - 3.25)}" width="6.5" height="6.5"/>`,
  clarity: (x, y) => polygon([x, y - 4.5], [x + 4.5, y + 3.5], [x - 4.5, y + 3.5]),
  usability: (x, y) => polygon([x, y - 5], [x + 5, y], [x, y + 5], [x - 5, y]),
}

const polygon = (...corners: ReadonlyArray<readonly [number, number]>) =>
  `<polygon class="mark" points="${corners.map(([x, y]) => `${at(x)},${at(y)}`).join(" ")}"/>`

type Series = "overall" | Rubric.Criterion

const series: ReadonlyArray<Series> = [...Rubric.criteria, "overall"]

/** The horizontal offset of each series, so that equal scores do not cover each other. */
const asides: Readonly<Record<Series, number>> = {
  completeness: -10,
  accuracy: -5,
  overall: 0,
  clarity: 5,
  usability: 10,
}

const scoreOf = ({ rubric_scores, score }: Scores, name: Series) => (name === "overall" ? score : rubric_scores[name])

const grid = () =>
  [0, 2, 4, 6, 8, 10].map(
    (score) =>
      `<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${at(y(score))}" y2="${at(y(score))}"/>` +
      `<text x="${plot.left - 10}" y="${at(y(score) + 4)}" text-anchor="end">${score}</text>`,
  )

/** Which iterations have room for a label; the last always has. */
const labelled = (count: number) => {
  const step = Math.ceil(count / 14)
  return (index: number) => (count - 1 - index) % step === 0
}

const axis = (count: number) => {
  const x = columns(count)
  const hasText = labelled(count)
  const numbers = Array.from({ length: count }, (_, index) =>
    hasText(index) ? `<text x="${at(x(index))}" y="${plot.bottom + 20}" text-anchor="middle">${index + 1}</text>` : "",
  )
  const name = `<text x="${(plot.left + plot.right) / 2}" y="${plot.bottom + 40}" text-anchor="middle">iteration</text>`
  return [...numbers, name]
}

const targetLine = (target: number) => [
  `<line class="target" x1="${plot.left}" x2="${plot.right}" y1="${at(y(target))}" y2="${at(y(target))}"/>`,
]

/** Whether to print the value below its mark: fewer marks are there, and the axis is far enough away. */
const isCrowdedAbove = ({ rubric_scores, score }: Scores) => {
  const rooms = { above: 0, below: 0 }
  for (const name of Rubric.criteria) {
    const away = rubric_scores[name] - score
    if (Math.abs(away) < 1.1) rooms[away > 0 ? "above" : "below"] += 1
  }
  return score > 0.6 && rooms.above > rooms.below
}

/** The line and the marks of one series, with values beside the marks of the overall score. */
const lineOf = (evaluations: ReadonlyArray<Scores>, name: Series) => {
  const x = columns(evaluations.length)
  const hasText = labelled(evaluations.length)
  const points = evaluations.map((scores, index) => ({
    x: x(index) + asides[name],
    y: y(scoreOf(scores, name)),
    index,
    scores,
  }))
  const path = points.map((point) => `${at(point.x)},${at(point.y)}`).join(" ")
  const values = name !== "overall" ? [] : points.filter(({ index }) => hasText(index))
  return [
    `<g class="${name}">`,
    points.length > 1 ? `<polyline class="line" points="${path}"/>` : "",
    ...points.map((point) => marks[name](point.x, point.y)),
    ...values.map(({ scores, x, y }) => {
      const beside = y + (isCrowdedAbove(scores) ? 22 : -12)
      return `<text x="${at(x)}" y="${at(beside)}" text-anchor="middle">${ScoreText.score(scores.score)}</text>`
    }),
    "</g>",
  ].join("")
}

const legend = (target: number) => {
  const middle = height - 20
  const line = (name: string, x: number) =>
    `<line class="${name}" x1="${x}" x2="${x + 28}" y1="${middle}" y2="${middle}"/>`
  const text = (name: string, x: number) => `<text x="${x + 35}" y="${middle + 4}">${name}</text>`
  const entries = (["overall", ...Rubric.criteria] as const).map((name, index) => {
    const x = plot.left + (legendColumns[index] ?? 0)
    return `<g class="${name}">${line("line", x)}${marks[name](x + 14, middle)}</g>${text(name, x)}`
  })
  return [...entries, line("target", legendEnd), text(`target ${ScoreText.score(target)}`, legendEnd)]
}

const legendColumns = [0, 104, 244, 350, 446]
const legendEnd = plot.left + 554

const describe = (evaluations: ReadonlyArray<Scores>, target: number) => {
  const sentences = evaluations.map((scores, index) => {
    const each = Rubric.criteria.map((name) => `${name} ${ScoreText.score(scores.rubric_scores[name])}`)
    return `Iteration ${index + 1}: ${ScoreText.score(scores.score)} (${each.join(", ")}).`
  })
  return [`Scores per iteration. The target is ${ScoreText.score(target)}.`, ...sentences].join(" ")
}

/**
 * Draws the overall score and each criterion's score by iteration. The result depends on the arguments alone.
 *
 * @param evaluations the scores of each iteration, in order; the chart numbers them from 1
 * @param options the target, drawn as a dashed line
 * @returns an `<svg>` element without ids, scripts and external resources; one page may contain several
 *
 * @example
 * ```ts
 * import { ScoreChart } from "@zain/loopsmith"
 *
 * const same = (score: number) => ({ completeness: score, accuracy: score, clarity: score, usability: score })
 * const scores = [5.5, 6.9, 8.2].map((score) => ({ score, rubric_scores: same(score) }))
 * const picture = ScoreChart.svg(scores, { target: 8 })
 * ```
 */
export const svg = (evaluations: ReadonlyArray<Scores>, { target }: { readonly target: number }): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" class="score-chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(describe(evaluations, target))}">`,
    "<title>Scores per iteration</title>",
    `<style>${style}</style>`,
    ...grid(),
    ...axis(evaluations.length),
    ...targetLine(target),
    ...series.map((name) => lineOf(evaluations, name)),
    ...legend(target),
    "</svg>",
  ]
    .filter((part) => part !== "")
    .join("\n")
