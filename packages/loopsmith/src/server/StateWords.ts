/**
 * The messages of progress notifications, by state.
 */
import type { LoopState } from "../LoopState.ts"

const words: Partial<Readonly<Record<LoopState, (note?: string) => string>>> = {
  RunningAgent: (attempt) => `${attempt === undefined ? "" : `${attempt}: `}the judge is reading`,
  ParsingAnswer: () => "the judge has answered",
  HandlingError: (problem) => `the attempt failed${problem === undefined ? "" : `: ${problem}`}`,
  Retrying: (when) => when ?? "retrying",
  NeedsWork: (score) => score ?? "below the target",
  Passed: (score) => score ?? "passed",
}

/** The message, or `undefined` for a state without one. */
export const of = (state: LoopState, note?: string): string | undefined => words[state]?.(note)

/** The message of a heartbeat. */
export const still = (state: LoopState): string =>
  waiting.has(state) ? "waiting for the judge: it is reading other documents" : "still evaluating"

const waiting: ReadonlySet<LoopState> = new Set(["RunningTool", "Evaluating"])
