/**
 * What a client is told of a call that comes to a state, in words.
 */
import type { LoopState } from "../LoopState.ts"

const words: Partial<Readonly<Record<LoopState, (note?: string) => string>>> = {
  RunningAgent: (attempt) => `${attempt === undefined ? "" : `${attempt}: `}the judge is reading`,
  ParsingAnswer: () => "the judge has answered",
  HandlingError: (problem) => `the attempt failed${problem === undefined ? "" : `: ${problem}`}`,
  Retrying: (when) => when ?? "once more in a moment",
  NeedsWork: (score) => score ?? "below the target",
  Passed: (score) => score ?? "passed",
}

/** The words, or `undefined` for a state that nobody needs to hear of. */
export const of = (state: LoopState, note?: string): string | undefined => words[state]?.(note)

/** What there is to say of a call that has said nothing for a while. */
export const still = (state: LoopState): string =>
  waiting.has(state) ? "waiting for the judge: others are being read" : "still evaluating"

const waiting: ReadonlySet<LoopState> = new Set(["RunningTool", "Evaluating"])
