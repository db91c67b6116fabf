/**
 * The events of a loop, and its result.
 */
import * as Schema from "effect/Schema"
import { EvaluationResponse, Score } from "./Evaluation.ts"
import { type LoopState, states } from "./LoopState.ts"

/**
 * Schema of one iteration: an evaluation, the gain over the one before, and the duration of the rewriting after it.
 */
export const Iteration = Schema.Struct({
  /** The number of the iteration, from 1. */
  iteration: Schema.Int,
  /** The judge's evaluation of this iteration's document, as it was before the rewriting. */
  evaluation: EvaluationResponse,
  /** The score minus the score of the previous iteration; absent for the first. */
  gain: Schema.optionalKey(Schema.Finite),
  /**
   * The duration of the rewriting after this evaluation, in milliseconds; absent in the event `Evaluated`, and if no
   * rewriting was completed.
   */
  rewriteTime: Schema.optionalKey(Schema.Finite),
})
/** One evaluation of a document and the rewriting after it; `LoopResult` has all of them. */
export type Iteration = typeof Iteration.Type

/**
 * Schema of the reason why a loop stopped.
 *
 * - `reached-target`: the last score is at least the target
 * - `no-more-gain`: three gains in a row were below 0.5
 * - `out-of-iterations`: `maxIterations` evaluations were made
 * - `cancelled`, `failed`: never in a `Finished` event; a caller passes them to `LoopProgress.result` when it interrupts a
 *   loop, or the loop fails
 */
export const LoopStop = Schema.Literals(["reached-target", "out-of-iterations", "no-more-gain", "cancelled", "failed"])
/** Why a loop stopped, such as `reached-target`; the schema of the same name explains each value. */
export type LoopStop = typeof LoopStop.Type

/** Schema of what a loop returns: the best document, its score, and how the loop came to it. */
export const LoopResult = Schema.Struct({
  /** Why the loop stopped; `LoopStop` explains each value. */
  stop: LoopStop,
  /** Every iteration that was evaluated, in order; at least one. */
  iterations: Schema.NonEmptyArray(Iteration),
  /** The number of the iteration with the highest score, from 1; the later one of equals. */
  best: Schema.Int,
  /** The document with the highest score, which may be the original. */
  content: Schema.String,
  /** The highest score, from 0 to 10. */
  score: Score,
})
/**
 * The best document, its score, every iteration, and why the loop stopped; `LoopProgress.result` makes one of a
 * cancelled loop.
 */
export type LoopResult = typeof LoopResult.Type

/**
 * Schema of an event of a loop.
 *
 * - `IterationStarted`: the judge is about to evaluate the iteration's document
 * - `StateChanged`: the state machine entered a state
 * - `Evaluated`: the iteration's evaluation arrived; the fields are those of `Iteration`
 * - `RewriteStarted`: the writer is about to rewrite the document
 * - `Rewritten`: the new document arrived; the next iteration evaluates it
 * - `Finished`: the last event of a loop that does not fail
 */
export const LoopEvent = Schema.Union([
  Schema.TaggedStruct("IterationStarted", {
    /** The number of the iteration that starts, from 1. */
    iteration: Schema.Int,
  }),
  Schema.TaggedStruct("StateChanged", {
    /** The state that the machine entered; `LoopState.states` explains each. */
    state: Schema.Literals(Object.keys(states) as ReadonlyArray<LoopState>),
    /**
     * Details for people, such as the problem with an attempt; at most 500 bytes from the evaluators of this package.
     */
    note: Schema.optionalKey(Schema.String),
  }),
  Schema.TaggedStruct("Evaluated", Iteration.fields),
  Schema.TaggedStruct("RewriteStarted", {
    /** The number of the iteration whose document is rewritten: that of the last `Evaluated`. */
    iteration: Schema.Int,
  }),
  Schema.TaggedStruct("Rewritten", {
    /** The number of the iteration whose document was rewritten; the next iteration evaluates the new one. */
    iteration: Schema.Int,
    /** The whole new document, as the writer returned it. */
    content: Schema.String,
    /** The duration of the rewriting, in milliseconds. */
    took: Schema.Finite,
  }),
  Schema.TaggedStruct("Finished", {
    /** The best document and every iteration: the value that `ImprovementLoop.run` returns. */
    result: LoopResult,
  }),
])
/** One step of a running loop; `_tag` names its kind. `ImprovementLoop` streams them. */
export type LoopEvent = typeof LoopEvent.Type
