/**
 * Folds the events of a loop into its iterations and its best document, so that a cancelled or failed loop has a result
 * too.
 */
import { type EvaluationResponse, gain } from "./Evaluation.ts"
import type { Iteration, LoopEvent, LoopResult, LoopStop } from "./LoopEvent.ts"

/** The state of a loop after some of its events: `begin` makes the first, `advance` each next one. */
export interface LoopProgress {
  /** The latest document: the one under evaluation, or the next to evaluate. */
  readonly content: string
  /** Every iteration with an evaluation, in order. */
  readonly iterations: ReadonlyArray<Iteration>
  /** The evaluated document with the highest score, the later one of equals; absent before the first evaluation. */
  readonly best?: {
    /** The number of the iteration in which the document was evaluated, from 1. */
    readonly iteration: number
    /** The whole document that got `score`. */
    readonly content: string
    /** The score of the document, from 0 to 10. */
    readonly score: number
  }
}

/**
 * Returns the progress of a loop that has not started.
 *
 * @param content the document that the loop starts with: `content` of the `ImprovementRequest`
 */
export const begin = (content: string): LoopProgress => ({ content, iterations: [] })

/**
 * Returns the progress after one more event of the loop.
 *
 * @param progress the progress before the event, which is not changed
 * @param event the event; only `Evaluated` and `Rewritten` change the progress
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

/**
 * Builds the next iteration from its evaluation: its number, and the gain over the previous one.
 *
 * @param progress the progress before the evaluation; its iterations determine the number and the gain
 * @param evaluation the evaluation of `progress.content`, which `progress.iterations` does not contain yet
 */
export const evaluated = ({ iterations }: LoopProgress, evaluation: EvaluationResponse): Iteration => {
  const before = iterations.at(-1)
  const iteration = iterations.length + 1
  if (before === undefined) return { iteration, evaluation }
  return { iteration, evaluation, gain: gain(evaluation.score, before.evaluation.score) }
}

/**
 * The result of a loop that stops after `progress`, such as a cancelled one.
 *
 * @param progress the progress after the last event that arrived
 * @param stop the reason to report, such as `cancelled`
 * @returns the result; `undefined` before the first evaluation
 */
export const result = ({ best, iterations }: LoopProgress, stop: LoopStop): LoopResult | undefined => {
  const [first, ...others] = iterations
  if (first === undefined || best === undefined) return undefined
  return { stop, iterations: [first, ...others], best: best.iteration, content: best.content, score: best.score }
}
