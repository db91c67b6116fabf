/**
 * The visible state of a loop, folded from its events without a terminal and a clock.
 */
import type { Iteration, LoopEvent } from "../LoopEvent.ts"

/** The current activity. */
export type Phase = "starting" | "judging" | "writing" | "ended"

/**
 * - `title`: the name of the document
 * - `judge`, `writer`: the names of the agents
 * - `phase`, `note`: the current activity, and its latest note
 * - `startedAt`, `phaseStartedAt`: in milliseconds, of the clock whose time `advance` receives
 */
export interface View {
  readonly title: string
  readonly judge: string
  readonly writer: string
  readonly target: number
  readonly maxIterations: number
  readonly iteration: number
  readonly iterations: ReadonlyArray<Iteration>
  readonly phase: Phase
  readonly note: string | undefined
  readonly startedAt: number
  readonly phaseStartedAt: number
}

/** The view before the first event. */
export const begin = (
  about: Pick<View, "judge" | "maxIterations" | "target" | "title" | "writer">,
  now: number,
): View => ({
  ...about,
  iteration: 1,
  iterations: [],
  phase: "starting",
  note: undefined,
  startedAt: now,
  phaseStartedAt: now,
})

/** The view after one more event. */
export const advance = (view: View, event: LoopEvent, now: number): View => {
  const entering = (phase: Phase) => ({ ...view, phase, note: undefined, phaseStartedAt: now })
  switch (event._tag) {
    case "IterationStarted":
      return { ...entering("judging"), iteration: event.iteration }
    case "StateChanged":
      return event.note === undefined ? view : { ...view, note: event.note }
    case "Evaluated": {
      const { _tag, ...iteration } = event
      return { ...view, note: undefined, iterations: [...view.iterations, iteration] }
    }
    case "RewriteStarted":
      return entering("writing")
    case "Rewritten":
      return { ...view, note: undefined }
    case "Finished":
      return entering("ended")
  }
}
