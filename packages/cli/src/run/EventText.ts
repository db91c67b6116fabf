/**
 * Events beside the answer and the tools as text for people.
 */

import { clip } from "@zain/command/Clip"
import type { McpEventContent } from "@zain/core/McpEvents"
import { visible } from "@zain/core/TerminalText"
import type { Paint } from "../Output.ts"

/** The longest reasoning, and the longest line, in characters. */
const [maxTextLength, maxLineLength] = [1_000, 200]

/** From how much of a limit on it is shown, in percent. */
const scarce = 80

const line = (text: string) => clip(visible(text).replaceAll("\n", " "), maxLineLength)

/** The lines of an event; `undefined` for one that is not shown, or is shown elsewhere. */
export const of = (event: McpEventContent, paint: Paint): string | undefined => {
  switch (event._tag) {
    case "Reasoning":
      return event.parent === undefined
        ? paint.dim(clip(visible(event.text), maxTextLength).replace(/^/gm, "│ "))
        : undefined
    case "Plan":
      if (event.steps.length === 0) return undefined
      return event.steps.map(({ state, text }) => `${marks(paint)[state]} ${line(text)}`).join("\n")
    case "FileChanged": {
      const { added, removed } = counts(event.diff)
      const more = event.diff.endsWith("…") ? paint.dim(" and more") : ""
      const to = event.movedTo === undefined ? "" : ` → ${line(event.movedTo)}`
      return `${kinds[event.kind]} ${line(event.path)}${to} ${paint.green(`+${added}`)} ${paint.red(`−${removed}`)}${more}`
    }
    case "SubagentStarted":
      return paint.dim(`• Sub-agent: ${line(event.title)}`)
    case "Compacted":
      return paint.dim("• The conversation was shortened to fit the model.")
    case "ModelChanged":
      return `${paint.yellow("!")} ${line(event.to)} answers${event.from === undefined ? "" : ` in place of ${line(event.from)}`}: ${line(event.why)}`
    case "RateLimit": {
      if (event.used < scarce) return undefined
      const until = event.resetsAt === undefined ? "" : `, until ${timeOf(event.resetsAt, "later")}`
      return `${paint.yellow("!")} ${Math.round(event.used)} % of the limit ${line(event.window)} are used${until}.`
    }
    case "ServerFailed":
      return `${paint.yellow("!")} The MCP server ${line(event.name)} did not start: ${line(event.message)}`
    default:
      return undefined
  }
}

const marks = (paint: Paint) => ({
  completed: paint.green("✓"),
  "in-progress": paint.cyan("▸"),
  pending: paint.dim("·"),
})

const kinds = { add: "Added", update: "Changed", delete: "Removed", move: "Moved" } as const

const counts = (diff: string) => {
  const lines = diff.split("\n")
  const starting = (mark: string) => lines.filter((one) => one.startsWith(mark)).length
  return { added: starting("+"), removed: starting("-") }
}

/** A time to the minute; `otherwise` for one that is none. */
export const timeOf = (millis: number | undefined, otherwise: string): string => {
  const date = new Date(millis ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? otherwise : date.toISOString().slice(0, 16).replace("T", " ")
}
