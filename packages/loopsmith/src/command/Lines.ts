/**
 * Renders a loop as plain lines, for logs, pipes and dumb terminals.
 */

import { clean } from "@zain/command/PlainText"
import { clip } from "@zain/command/TextWidth"
import type { LoopEvent } from "../LoopEvent.ts"
import * as Rubric from "../Rubric.ts"
import * as ScoreText from "../ScoreText.ts"
import { clock, type Paint } from "./Display.ts"
import type { View } from "./View.ts"

/** The longest suggestion in a line, in characters; the report has all of it. */
const longest = 200

/** The lines for an event; none for most changes of state. */
export const of = (
  { judge, maxIterations, writer }: Pick<View, "judge" | "maxIterations" | "writer">,
  event: LoopEvent,
  paint: Paint,
): ReadonlyArray<string> => {
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
        ...suggestions.map((suggestion) => `  - ${clip(clean(suggestion.slice(0, 4 * longest)), longest)}`),
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
