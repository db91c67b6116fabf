/**
 * Renders a loop as lines, for terminals, logs and pipes.
 */
import { styleText } from "node:util"
import { clean } from "@zain/command/PlainText"
import { clip } from "@zain/command/TextWidth"
import type { LoopEvent } from "../LoopEvent.ts"
import * as Rubric from "../Rubric.ts"
import * as ScoreText from "../ScoreText.ts"

/** The names of the agents, and the maximum number of iterations. */
export interface About {
  readonly judge: string
  readonly writer: string
  readonly maxIterations: number
}

type Format = Parameters<typeof styleText>[0]

/** Adds a style to a text, or returns it unchanged where colours are off. */
export type Paint = (format: Format, text: string) => string

export const painter =
  (color: boolean): Paint =>
  (format, text) =>
    color && text !== "" ? styleText(format, text, { validateStream: false }) : text

/** The longest suggestion in a line, in characters; the report has all of it. */
const maxSuggestionLength = 200

/** The lines for an event; none for most changes of state. */
export const of = ({ judge, maxIterations, writer }: About, event: LoopEvent, paint: Paint): ReadonlyArray<string> => {
  switch (event._tag) {
    case "IterationStarted":
      return [`Iteration ${event.iteration} of ${maxIterations}: ${judge} judges.`]
    case "StateChanged":
      return event.note !== undefined && problems.has(event.state) ? [`  ${clean(event.note.slice(0, 1_000))}`] : []
    case "Evaluated": {
      const { rubric_scores: scores, score, suggestions } = event.evaluation
      const parts = Rubric.criteria.map((name) => `${name} ${ScoreText.score(scores[name])}`)
      const gain = event.gain === undefined ? "" : ` (${ScoreText.gain(event.gain)})`
      return [
        `  ${paint("bold", `Score ${ScoreText.score(score)}`)}${gain}: ${parts.join(", ")}`,
        ...suggestions.map(
          (suggestion) => `  - ${clip(clean(suggestion.slice(0, 4 * maxSuggestionLength)), maxSuggestionLength)}`,
        ),
      ]
    }
    case "RewriteStarted":
      return [`  ${writer} writes.`]
    case "Rewritten":
      return [`  Written in ${clock(event.took)}.`]
    case "Finished":
      return []
  }
}

/** The states whose notes describe a failed attempt. */
const problems: ReadonlySet<string> = new Set(["HandlingError", "Retrying"])

/** A time in minutes and seconds: `1:05`. */
export const clock = (milliseconds: number): string => {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000))
  const minutes = Math.floor(seconds / 60)
  const rest = String(seconds % 60).padStart(2, "0")
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`
}
