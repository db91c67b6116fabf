/**
 * The service that scores documents.
 */
import { clip } from "@zain/core/McpError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Evaluation from "./Evaluation.ts"
import type { LoopSmithError } from "./LoopSmithError.ts"
import type { LoopStateEvent } from "./LoopState.ts"

/**
 * Receives the events of an evaluation, in the order in which they happen.
 *
 * @param event an event of the state machine, such as `answered`; `LoopState.events` explains each
 * @param note details for people: the number of the attempt, the problem with it, or the pause before the next one
 */
export type EvaluationObserver = (event: LoopStateEvent, note?: string) => Effect.Effect<void>

/** An observer that ignores every event: the default of `Retry.run` and of the evaluators. */
export const unobserved: EvaluationObserver = () => Effect.void

/**
 * The longest `note` that `Retry.run` and `settled` write about a failure, in bytes. A `note` that your own evaluator
 * emits is not cut, not even through `settled`.
 */
export const maxNoteBytes = 500

/**
 * The service that scores documents: `AgentEvaluator`, `MockEvaluator`, or one of your own by `Evaluator.make`.
 *
 * @see seed, basic flow
 */
export class Evaluator extends Context.Service<
  Evaluator,
  {
    /**
     * Evaluates a document. Interruption cancels the agent's turn and everything started for it.
     *
     * The caller's state machine requires `agentStarted`, `answered` and `parsed` before a success, and `failed` and
     * `notRetryable` before a failure. `Evaluator.make` emits them.
     *
     * @param request the document, its rubric, its target and its iteration, as `Evaluation.request` checked them
     * @param observe receives the events; none are emitted if omitted
     * @returns the evaluation. Fails with `LoopSmithError`: `timeout`, `agent` or `bad-answer` of the last attempt, or
     *   `agent` immediately if too many evaluations wait
     */
    readonly evaluate: (
      request: Evaluation.EvaluationRequest,
      observe?: EvaluationObserver,
    ) => Effect.Effect<Evaluation.EvaluationResponse, LoopSmithError>
  }
>()("@zain/loopsmith/Evaluator") {}

/**
 * Makes an evaluator from a function that scores documents. It emits the events that the state machine requires, measures
 * the time, and sets `pass`.
 *
 * @param model the value of `metadata.model_used`
 * @param judge scores a document. Its failure is the evaluation's failure
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

/**
 * Wraps an evaluation in the span `Evaluator.evaluate`. The document is not an attribute.
 *
 * @param request its `iteration` and `target` are the attributes
 */
export const span = ({ iteration, target }: Evaluation.EvaluationRequest) =>
  Effect.withSpan("Evaluator.evaluate", { attributes: { iteration, target } })

/**
 * Wraps an evaluator, such as one that a user wrote, so that its failure reaches the caller. If it fails without having
 * emitted the `LoopState` events of a failure, `failed` and `notRetryable`, the wrapper emits the missing ones first,
 * and it holds `parsed` back until the evaluation has succeeded. Otherwise the caller's state machine would reject the
 * next event as a defect, and the failure would be lost.
 *
 * @param evaluator the evaluator to wrap; before a success it must emit `agentStarted`, `answered` and `parsed`, before
 *   a failure it may emit no events
 */
export const settled = ({ evaluate }: Evaluator["Service"]): Evaluator["Service"] => ({
  evaluate: (request, observe = unobserved) =>
    Effect.suspend(() => {
      let last: LoopStateEvent | undefined
      let success: Effect.Effect<void> = Effect.void
      const heard: EvaluationObserver = (event, note) => {
        // Held back until success: after `parsed` the machine rejects `failed`, and the evaluation may still fail.
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
            (event) => (event === "failed" ? observe(event, clip(details, maxNoteBytes)) : observe(event)),
            { discard: true },
          ),
        ),
        Effect.tap(() => success),
      )
    }),
})

/** The events from `last` to the machine's failure. */
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
