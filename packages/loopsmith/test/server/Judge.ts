/**
 * A judge whose replies the test gives.
 */
import { Deferred, Effect } from "effect"
import type * as Evaluation from "../../src/Evaluation.ts"
import { type Evaluator, unobserved } from "../../src/Evaluator.ts"
import { LoopSmithError } from "../../src/LoopSmithError.ts"
import * as Rubric from "../../src/Rubric.ts"

/** An evaluation that waits for its reply. */
export interface Waiting {
  readonly request: Evaluation.EvaluationRequest
  readonly give: (score: number) => void
  readonly fail: (error: LoopSmithError) => void
}

export const suggestions = ["Say more.", "日本語で 😀"]

/** `asked` has every evaluation so far, `interrupted` the documents of the interrupted ones. */
export const make = () => {
  const asked: Array<Waiting> = []
  const interrupted: Array<string> = []
  const evaluate: Evaluator["Service"]["evaluate"] = (request, observe = unobserved) =>
    Effect.gen(function* () {
      const said = yield* Deferred.make<number, LoopSmithError>()
      asked.push({
        request,
        give: (score) => Deferred.doneUnsafe(said, Effect.succeed(score)),
        fail: (error) => Deferred.doneUnsafe(said, Effect.fail(error)),
      })
      yield* observe("agentStarted", "attempt 1 of 1")
      const score = yield* Effect.tapError(Deferred.await(said), ({ details }) =>
        Effect.andThen(observe("failed", details), observe("notRetryable")),
      )
      yield* observe("answered")
      yield* observe("parsed")
      return response(request, score)
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => interrupted.push(request.content))))
  return { evaluator: { evaluate }, asked, interrupted }
}

export type Judge = ReturnType<typeof make>

/** A response with the same score for every criterion. */
export const response = (request: Evaluation.EvaluationRequest, score: number): Evaluation.EvaluationResponse => ({
  score,
  rubric_scores: Rubric.map(() => score),
  pass: score >= request.target,
  suggestions,
  metadata: { iteration: request.iteration, evaluation_time: 12, model_used: "by hand" },
})

export const error = (fields: Partial<LoopSmithError> = {}): LoopSmithError =>
  new LoopSmithError({
    reason: "agent",
    message: "The last of 3 attempts failed.",
    details: "the model is away",
    retryable: true,
    attempts: 3,
    ...fields,
  })
