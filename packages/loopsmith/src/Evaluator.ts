/**
 * Whoever scores documents.
 */
import { clip } from "@zain/core/McpError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Evaluation from "./Evaluation.ts"
import type { LoopSmithError } from "./LoopSmithError.ts"
import type { LoopStateEvent } from "./LoopState.ts"

/**
 * Hears what becomes of an evaluation, in the order in which it happens.
 *
 * @param note says more, for people: which attempt it is, what was wrong with it, when the next one is
 */
export type EvaluationObserver = (event: LoopStateEvent, note?: string) => Effect.Effect<void>

/** An observer that nobody listens to. */
export const unobserved: EvaluationObserver = () => Effect.void

/** The longest note to an observer, in bytes. */
export const longestNote = 500

/**
 * `evaluate`: the evaluation of a document. Interrupting it ends the agent's turn, and everything that was started for it.
 *
 * Whoever asks has a state machine that waits for what the observer hears: `agentStarted`, `answered` and `parsed` before
 * a success, `failed` and `notRetryable` before a failure. `make` tells all of that, so make evaluators by it.
 *
 * @see seed, basic flow
 */
export class Evaluator extends Context.Service<
  Evaluator,
  {
    readonly evaluate: (
      request: Evaluation.EvaluationRequest,
      observe?: EvaluationObserver,
    ) => Effect.Effect<Evaluation.EvaluationResponse, LoopSmithError>
  }
>()("@zain/loopsmith/Evaluator") {}

/**
 * An evaluator of whatever can judge. It tells its observer what the machine waits for, measures the time, and decides
 * whether the document passes.
 *
 * @param model who judges, for `metadata.model_used`
 * @param judge what is said of a document. Its failure is that of the evaluation
 *
 * @example
 * ```ts
 * import { Evaluator, Rubric } from "@zain/loopsmith"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const short = Evaluator.make("length", ({ content }) => {
 *   const score = content.length < 1_000 ? 9 : 3
 *   return Effect.succeed({ score, rubric_scores: Rubric.map(() => score), suggestions: ["Say less."] })
 * })
 * const layer = Layer.succeed(Evaluator.Evaluator, short)
 * ```
 */
export const make = (
  model: string,
  judge: (request: Evaluation.EvaluationRequest) => Effect.Effect<Evaluation.Judgement, LoopSmithError>,
): Evaluator["Service"] =>
  settled({
    evaluate: (request, observe = unobserved) =>
      observe("agentStarted").pipe(
        Effect.andThen(Effect.timed(judge(request))),
        Effect.tap(() => observe("answered")),
        Effect.tap(() => observe("parsed")),
        Effect.map(([took, judgement]) => Evaluation.respond(request, judgement, took, model)),
        span(request),
      ),
  })

/** What a trace says of an evaluation: never the document. */
export const span = ({ iteration, target }: Evaluation.EvaluationRequest) =>
  Effect.withSpan("Evaluator.evaluate", { attributes: { iteration, target } })

/**
 * The same evaluator, which says of each failure what its observer has not heard yet. Without that the failure would be
 * lost to the defect of a machine that waits for it.
 */
export const settled = ({ evaluate }: Evaluator["Service"]): Evaluator["Service"] => ({
  evaluate: (request, observe = unobserved) =>
    Effect.suspend(() => {
      let last: LoopStateEvent | undefined
      let success: Effect.Effect<void> = Effect.void
      const heard: EvaluationObserver = (event, note) => {
        // A machine that has heard of it cannot fail any more, and what evaluates still can.
        if (event === "parsed") {
          success = observe(event, note)
          return Effect.void
        }
        last = event
        return observe(event, note)
      }
      return evaluate(request, heard).pipe(
        Effect.tapError(({ details }) =>
          Effect.forEach(
            unsaid(last),
            (event) => (event === "failed" ? observe(event, clip(details, longestNote)) : observe(event)),
            { discard: true },
          ),
        ),
        Effect.tap(() => success),
      )
    }),
})

/** What leads a machine to its failure, after the last that it heard. */
const unsaid = (last: LoopStateEvent | undefined): ReadonlyArray<LoopStateEvent> => {
  switch (last) {
    case "notRetryable":
      return []
    case "failed":
      return ["notRetryable"]
    case "retryable":
      return ["backedOff", "failed", "notRetryable"]
    default:
      return ["failed", "notRetryable"]
  }
}
