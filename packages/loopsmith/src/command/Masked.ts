/**
 * Masks secrets in suggestions for clients, screens and reports. The loop itself keeps them unmasked: a mask in a
 * suggestion would end up in the document.
 */

import type { Mask } from "@zain/command/Secrets"
import * as Effect from "effect/Effect"
import { type EvaluationResponse, maxSuggestionLength } from "../Evaluation.ts"
import type { Evaluator } from "../Evaluator.ts"
import type { Iteration, LoopEvent, LoopResult } from "../LoopEvent.ts"

/** For a client. */
export const evaluator = ({ evaluate }: Evaluator["Service"], mask: Mask): Evaluator["Service"] => ({
  evaluate: (request, observe) => Effect.map(evaluate(request, observe), (said) => response(said, mask)),
})

/** For a screen. */
export const event = (event: LoopEvent, mask: Mask): LoopEvent => {
  if (event._tag === "Evaluated") return { ...event, ...iteration(event, mask) }
  return event._tag === "Finished" ? { ...event, result: result(event.result, mask) } : event
}

/** For a report. */
export const result = (result: LoopResult, mask: Mask): LoopResult => {
  const [first, ...others] = result.iterations
  return { ...result, iterations: [iteration(first, mask), ...others.map((one) => iteration(one, mask))] }
}

const iteration = (iteration: Iteration, mask: Mask): Iteration => ({
  ...iteration,
  evaluation: response(iteration.evaluation, mask),
})

/** Cut after masking, because a mask may be longer than the secret. */
const response = (response: EvaluationResponse, mask: Mask): EvaluationResponse => ({
  ...response,
  suggestions: response.suggestions.map((one) => mask(one).slice(0, maxSuggestionLength).toWellFormed()),
})
