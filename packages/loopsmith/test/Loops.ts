/**
 * Scripted judges and writers, and events in brief.
 */
import type { EvaluationRequest, EvaluationResponse } from "@zain/loopsmith/Evaluation"
import * as Evaluator from "@zain/loopsmith/Evaluator"
import type { LoopEvent } from "@zain/loopsmith/LoopEvent"
import { LoopSmithError } from "@zain/loopsmith/LoopSmithError"
import { type RewriteRequest, Writer } from "@zain/loopsmith/Writer"
import { Effect, Layer } from "effect"

export const response = (score: number, more: Partial<EvaluationResponse> = {}): EvaluationResponse => ({
  score,
  rubric_scores: { completeness: score, accuracy: score, clarity: score, usability: score },
  pass: score >= 8,
  suggestions: [`Better than ${score}.`],
  metadata: { iteration: 1, evaluation_time: 5, model_used: "mock" },
  ...more,
})

export const failure = (details: string) =>
  new LoopSmithError({ reason: "agent", message: details, details, retryable: false, attempts: 1 })

/** A judge that gives these scores in order. */
export const judge = (scores: ReadonlyArray<number | LoopSmithError>, asked: Array<EvaluationRequest> = []) =>
  Layer.sync(Evaluator.Evaluator, () => {
    let next = 0
    return Evaluator.make("mock", (request) =>
      Effect.suspend(() => {
        asked.push(request)
        const score = scores[next++] ?? failure("the script is over")
        return typeof score === "number" ? Effect.succeed(response(score)) : Effect.fail(score)
      }),
    )
  })

/** A writer that appends `+` each time, and fails at request number `failsAt`. */
export const writer = (failsAt?: number, asked: Array<RewriteRequest> = []) =>
  Layer.succeed(Writer, {
    rewrite: (request) =>
      Effect.suspend(() => {
        asked.push(request)
        return asked.length === failsAt
          ? Effect.fail(failure("the writer is out of ink"))
          : Effect.succeed(`${request.content}+`)
      }),
  })

/** An event in a word or two. */
export const inBrief = (event: LoopEvent): string => {
  switch (event._tag) {
    case "StateChanged":
      return event.state
    case "Evaluated":
      return `${event.iteration}: ${event.evaluation.score}`
    case "Rewritten":
      return `${event.iteration}: ${event.content}`
    case "Finished":
      return event.result.stop
    default:
      return `${event._tag} ${event.iteration}`
  }
}
