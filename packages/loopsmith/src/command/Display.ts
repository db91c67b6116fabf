/**
 * Renders a loop for a terminal: the iteration, a bar for each score, and the judge's suggestions.
 */
import { styleText } from "node:util"
import { clean } from "@zain/command/PlainText"
import { clip, pad, wrap } from "@zain/command/TextWidth"
import * as Rubric from "../Rubric.ts"
import * as ScoreText from "../ScoreText.ts"
import type { View } from "./View.ts"

/** `now`: the time in milliseconds, of the view's clock. `rows`: the height of the terminal. */
export interface Canvas {
  readonly columns: number
  readonly rows: number
  readonly color: boolean
  readonly now: number
}

type Format = Parameters<typeof styleText>[0]

/** Adds a style to a text, or returns it unchanged where colours are off. */
export type Paint = (format: Format, text: string) => string

export const painter =
  (color: boolean): Paint =>
  (format, text) =>
    color && text !== "" ? styleText(format, text, { validateStream: false }) : text

/** The least width, in columns. */
const narrowest = 20
/** The greatest width, in columns: longer lines are hard to read. */
const widest = 100

/** The lines of a view; they fit the canvas in width and height. */
export const render = (view: View, canvas: Canvas): string => {
  // Some terminals wrap a line that fills the last column.
  const columns = Math.max(narrowest, Math.min(widest, canvas.columns - 1))
  const paint = painter(canvas.color)
  const above = [
    head(view, columns, canvas.now, paint),
    phase(view, columns, canvas.now, paint),
    "",
    ...bars(view, columns, paint),
  ]
  const left = canvas.rows - above.length - 1
  return [...above, ...suggestions(view, columns, left, paint)].slice(0, Math.max(1, canvas.rows - 1)).join("\n")
}

const head = (view: View, columns: number, now: number, paint: Paint): string => {
  const time = clock(now - view.startedAt)
  const brand = "LoopSmith  "
  const title = clip(clean(view.title), columns - brand.length - time.length - 1)
  return `${paint("bold", brand)}${pad(title, columns - brand.length - time.length)}${paint("dim", time)}`
}

const phase = (view: View, columns: number, now: number, paint: Paint): string => {
  const { iteration, maxIterations, note } = view
  const count = `Iteration ${iteration} of ${maxIterations}`
  const doing = activity(view)
  const since = doing === "" ? "" : ` ${clock(now - view.phaseStartedAt)}`
  const said = note === undefined ? "" : ` (${clean(note.slice(0, 1_000))})`
  return paint("cyan", clip(`${count}${doing}${since}${said}`, columns))
}

const activity = ({ judge, phase, writer }: View): string => {
  if (phase === "judging") return `: ${clean(judge)} judges`
  if (phase === "writing") return `: ${clean(writer)} writes`
  return phase === "starting" ? ": starting" : ""
}

const labels = Math.max(...Rubric.criteria.map((name) => name.length)) + 2
/** The width of a score, its change, and the spaces before them. */
const figures = " 10.00 +10.00".length

/** A bar for the overall score and each criterion, with the change since the previous iteration. */
const bars = ({ iterations, target }: View, columns: number, paint: Paint): ReadonlyArray<string> => {
  const now = iterations.at(-1)?.evaluation
  const before = iterations.at(-2)?.evaluation
  const room = columns - labels - figures
  const size = Math.max(5, Math.min(40, room))
  const line = (name: string, score: number | undefined, earlier: number | undefined, mark: number | undefined) => {
    const isGood = score !== undefined && score >= target
    const drawn = paint(score === undefined ? "dim" : isGood ? "green" : "yellow", bar(score ?? 0, size, mark))
    if (score === undefined) return `${pad(name, labels)}${drawn}`
    // A narrow terminal shows the score without its change.
    const change = earlier === undefined || room < 5 ? "" : ScoreText.gain(Number((score - earlier).toFixed(6)))
    return `${pad(name, labels)}${drawn} ${ScoreText.score(score).padStart(5)} ${paint("dim", change)}`.trimEnd()
  }
  return [
    line("overall", now?.score, before?.score, target),
    ...Rubric.criteria.map((name) => line(name, now?.rubric_scores[name], before?.rubric_scores[name], undefined)),
  ]
}

/** A score from 0 to 10 as a bar of `size` characters. `mark`: the target. */
export const bar = (score: number, size: number, mark?: number): string => {
  const filled = Math.floor((score / 10) * size)
  const cells = [...("█".repeat(filled) + "░".repeat(size - filled))]
  // The mark of 8 covers the last cell of a bar of 8.
  if (mark !== undefined) cells[Math.min(size - 1, Math.max(0, Math.round((mark / 10) * size) - 1))] = "┃"
  return cells.join("")
}

/** The number of suggestions shown. */
const mostSuggestions = 5
const linesEach = 2
/** The greatest part of a suggestion that can be visible, in characters. */
const longestShown = 2_000

const suggestions = ({ iterations }: View, columns: number, rows: number, paint: Paint): ReadonlyArray<string> => {
  const all = iterations.at(-1)?.evaluation.suggestions ?? []
  if (all.length === 0 || rows < 3) return []
  const shown = all.slice(0, mostSuggestions)
  const lines = shown.flatMap((suggestion, at) => {
    const [first = "", ...others] = wrap(clean(suggestion.slice(0, longestShown)), columns - 4, linesEach)
    return [`${String(at + 1).padStart(2)}. ${first}`, ...others.map((other) => `    ${other}`)]
  })
  const kept = lines.slice(0, rows - 2)
  const more = all.length - shown.length
  return ["", paint("bold", `Suggestions${more > 0 ? ` (${shown.length} of ${all.length})` : ""}`), ...kept]
}

/** A time in minutes and seconds: `1:05`. */
export const clock = (milliseconds: number): string => {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000))
  const minutes = Math.floor(seconds / 60)
  const rest = String(seconds % 60).padStart(2, "0")
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`
}
