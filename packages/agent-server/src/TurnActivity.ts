/**
 * What a turn waits for, as a value. A heartbeat is sent only while something is known to be open.
 */
import type { McpEventContent } from "@zain/core/McpEvents"
import * as Duration from "effect/Duration"

/**
 * How far a turn is:
 *
 * - `queued`: turns of its thread before it are running
 * - `due`: the agent has not accepted it yet
 * - `accepted`: the agent works on it, with a tool or its model
 * - `background`: only work in the background is left
 */
export type TurnStage = "queued" | "due" | "accepted" | "background"

/** The activity of one turn. */
export interface TurnActivity {
  readonly stage: TurnStage
  /** The ids of running tools. */
  readonly tools: ReadonlySet<string>
  /** How many approvals are undecided. */
  readonly questions: number
}

/** How long a silent agent is presumed to wait for its model: the limit of an unreachable one, if there is one. */
export const silenceOf = (modelTimeout: Duration.Duration): Duration.Duration =>
  Duration.isFinite(modelTimeout) ? modelTimeout : usual

/** By themselves, both agents report a model that is silent for 5 and 10 minutes. */
const usual = Duration.minutes(15)

/** The activity at first. */
export const start: TurnActivity = { stage: "due", tools: new Set(), questions: 0 }

/** The activity after an event of the agent. */
export const after = (activity: TurnActivity, event: McpEventContent): TurnActivity => {
  if (event._tag !== "ToolStarted" && event._tag !== "ToolFinished") return activity
  const tools = new Set(activity.tools)
  if (event._tag === "ToolStarted") tools.add(event.toolId)
  else tools.delete(event.toolId)
  return { ...activity, tools }
}

/**
 * Whether something is open. Codex does not tell when it requests an answer of its model, so an agent without a running tool
 * is presumed to wait for one.
 *
 * @param isRecent whether its last message was not long ago
 */
export const isOpen = ({ questions, stage, tools }: TurnActivity, isRecent: boolean): boolean =>
  stage === "queued" ||
  stage === "background" ||
  (stage === "accepted" && (tools.size > 0 || questions > 0 || isRecent))
