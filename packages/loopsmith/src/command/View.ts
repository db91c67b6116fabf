/**
 * What there is to see of a loop: folded from its events, without a terminal and without a clock of its own.
 */
import type { Iteration, LoopEvent } from "../LoopEvent.ts"

/** What goes on. */
export type Phase = "starting" | "judging" | "writing" | "ended"

/**
 * - `title`: what is improved
 * - `judge`, `writer`: who does
 * - `phase`, `note`: what goes on, and what was said of it last
 * - `startedAt`, `phaseStartedAt`: in milliseconds of the clock that `advance` is given
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

/** A loop of which nothing has happened yet. */
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

/** What there is to see after one more event. */
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
