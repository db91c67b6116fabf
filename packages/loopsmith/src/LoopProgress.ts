/**
 * What the events of a loop tell of it so far: its iterations, and the best document. For the loop itself, and for whoever
 * wants to keep what there is when a loop is cancelled or fails.
 */
import { type EvaluationResponse, gain } from "./Evaluation.ts"
import type { Iteration, LoopEvent, LoopResult, LoopStop } from "./LoopEvent.ts"

/**
 * - `content`: the document that is evaluated now, or next
 * - `iterations`: every evaluation so far
 * - `best`: the evaluated document with the highest score; the later one of equals
 */
export interface LoopProgress {
  readonly content: string
  readonly iterations: ReadonlyArray<Iteration>
  readonly best?: { readonly iteration: number; readonly content: string; readonly score: number }
}

/** A loop that has not evaluated anything yet. */
export const begin = (content: string): LoopProgress => ({ content, iterations: [] })

/**
 * What is known after one more event.
 *
 * @example
 * ```ts
 * import { ImprovementLoop, LoopProgress } from "@zain/loopsmith"
 * import * as Stream from "effect/Stream"
 *
 * const progress = (content: string) =>
 *   ImprovementLoop.improve({ content }).pipe(Stream.scan(() => LoopProgress.begin(content), LoopProgress.advance))
 * ```
 */
export const advance = (progress: LoopProgress, event: LoopEvent): LoopProgress => {
  switch (event._tag) {
    case "Evaluated": {
      const { _tag, ...iteration } = event
      const { best, content } = progress
      const { score } = event.evaluation
      return {
        content,
        iterations: [...progress.iterations, iteration],
        best: best !== undefined && best.score > score ? best : { iteration: event.iteration, content, score },
      }
    }
    case "Rewritten":
      return {
        ...progress,
        content: event.content,
        iterations: progress.iterations.map((one) =>
          one.iteration === event.iteration ? { ...one, rewriteTime: event.took } : one,
        ),
      }
    default:
      return progress
  }
}

/** The next iteration, as its evaluation makes it. */
export const evaluated = ({ iterations }: LoopProgress, evaluation: EvaluationResponse): Iteration => {
  const before = iterations.at(-1)
  const iteration = iterations.length + 1
  if (before === undefined) return { iteration, evaluation }
  return { iteration, evaluation, gain: gain(evaluation.score, before.evaluation.score) }
}

/** What came of it, if it ends here; `undefined` when nothing was evaluated. */
export const result = ({ best, iterations }: LoopProgress, stop: LoopStop): LoopResult | undefined => {
  const [first, ...others] = iterations
  if (first === undefined || best === undefined) return undefined
  return { stop, iterations: [first, ...others], best: best.iteration, content: best.content, score: best.score }
}
