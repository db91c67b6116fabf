/**
 * Whoever scores documents.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EvaluationRequest, EvaluationResponse } from "./Evaluation.ts"
import type { LoopSmithError } from "./LoopSmithError.ts"
import type { LoopStateEvent } from "./LoopState.ts"

/**
 * Hears what becomes of an evaluation, in the order in which it happens.
 *
 * @param note says more, for people: which attempt it is, what was wrong with it, when the next one is
 */
export type EvaluationObserver = (event: LoopStateEvent, note?: string) => Effect.Effect<void>

/**
 * `evaluate`: the evaluation of a document. Interrupting it ends the agent's turn, and everything that was started for it.
 *
 * Whoever asks has a state machine that waits for what the observer hears. So an implementation tells `agentStarted`,
 * `answered` and `parsed` before it succeeds, and `agentStarted`, `failed` and `notRetryable` before it fails.
 *
 * @see seed, basic flow
 */
export class Evaluator extends Context.Service<
  Evaluator,
  {
    readonly evaluate: (
      request: EvaluationRequest,
      observe?: EvaluationObserver,
    ) => Effect.Effect<EvaluationResponse, LoopSmithError>
  }
>()("@zain/loopsmith/Evaluator") {}
