/**
 * What happens in a loop, in the order in which it happens; and what came of it.
 */
import * as Schema from "effect/Schema"
import { EvaluationResponse, Score } from "./Evaluation.ts"
import { type LoopState, states } from "./LoopState.ts"

/**
 * One evaluation, and what was made of it.
 *
 * - `iteration`: counts from 1
 * - `gain`: the score less that of the iteration before, where there is one
 * - `rewriteTime`: how long the rewriting after it took, in milliseconds; missing where there was none
 */
export const Iteration = Schema.Struct({
  iteration: Schema.Int,
  evaluation: EvaluationResponse,
  gain: Schema.optionalKey(Schema.Finite),
  rewriteTime: Schema.optionalKey(Schema.Finite),
})
export type Iteration = typeof Iteration.Type

/**
 * - `reached-target`: the last score is at least the target
 * - `out-of-iterations`: there were as many evaluations as were allowed
 * - `no-more-gain`: three gains in a row were under 0.5
 * - `cancelled`, `failed`: said by whoever ends a loop, or sees it fail, of what there was until then
 */
export const LoopStop = Schema.Literals(["reached-target", "out-of-iterations", "no-more-gain", "cancelled", "failed"])
export type LoopStop = typeof LoopStop.Type

/**
 * - `best`: which iteration had the highest score; the later one of equals
 * - `content`: the document that this iteration evaluated
 * - `score`: what it got
 */
export const LoopResult = Schema.Struct({
  stop: LoopStop,
  iterations: Schema.NonEmptyArray(Iteration),
  best: Schema.Int,
  content: Schema.String,
  score: Score,
})
export type LoopResult = typeof LoopResult.Type

/**
 * - `IterationStarted`: the document of this iteration is about to be evaluated
 * - `StateChanged`: the state machine moved; `note` says more for people, where there is more to say
 * - `Evaluated`: what the judge says of the document of this iteration
 * - `RewriteStarted`: the writer is about to be asked for a better one
 * - `Rewritten`: the document that the next iteration evaluates; `took` is in milliseconds
 * - `Finished`: always the last, of a loop that did not fail
 */
export const LoopEvent = Schema.Union([
  Schema.TaggedStruct("IterationStarted", { iteration: Schema.Int }),
  Schema.TaggedStruct("StateChanged", {
    state: Schema.Literals(Object.keys(states) as ReadonlyArray<LoopState>),
    note: Schema.optionalKey(Schema.String),
  }),
  Schema.TaggedStruct("Evaluated", Iteration.fields),
  Schema.TaggedStruct("RewriteStarted", { iteration: Schema.Int }),
  Schema.TaggedStruct("Rewritten", { iteration: Schema.Int, content: Schema.String, took: Schema.Finite }),
  Schema.TaggedStruct("Finished", { result: LoopResult }),
])
export type LoopEvent = typeof LoopEvent.Type
