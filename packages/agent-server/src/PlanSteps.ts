/**
 * The steps of an agent's plan, bounded.
 */

import { clip } from "@zain/command/Clip"
import type { McpEventContent } from "@zain/core/McpEvents"
import { visibleLine } from "@zain/core/TerminalText"

/** One step. */
export type PlanStep = Extract<McpEventContent, { readonly _tag: "Plan" }>["steps"][number]

/** The most steps of a plan. */
export const maxSteps = 100

const maxStepLength = 500

/** The agents' own words for a state. */
const states: ReadonlyMap<unknown, PlanStep["state"]> = new Map([
  ["pending", "pending"],
  ["inProgress", "in-progress"],
  ["in_progress", "in-progress"],
  ["completed", "completed"],
])

/** The state by the agent's word for it; `undefined` for another word. */
export const stateOf = (word: unknown): PlanStep["state"] | undefined => states.get(word)

/** A step. */
export const make = (text: string, state: PlanStep["state"] = "pending"): PlanStep => ({
  text: clip(visibleLine(text), maxStepLength),
  state,
})
