/**
 * The error of evaluators, writers and loops.
 */
import * as Schema from "effect/Schema"

/**
 * Schema of the kind of failure.
 *
 * - `timeout`: the agent did not answer within the time of one attempt
 * - `agent`: the agent could not be reached, was lost, reported a failed turn, or is busy
 * - `bad-answer`: the agent answered without a valid evaluation or document
 * - `invalid-request`: the request cannot be served, for example an empty document
 */
export const LoopSmithReason = Schema.Literals(["timeout", "agent", "bad-answer", "invalid-request"])
/** Why an evaluation or a rewriting failed; the schema of the same name explains each value. */
export type LoopSmithReason = typeof LoopSmithReason.Type

/**
 * An evaluation or a rewriting failed: every attempt, or one that another attempt cannot mend, or the request before
 * any attempt.
 */
export class LoopSmithError extends Schema.TaggedError<LoopSmithError>("@zain/loopsmith/LoopSmithError")(
  "LoopSmithError",
  {
    /**
     * The kind of failure of the last attempt; if none started, `invalid-request`, or `agent` because the judge is
     * busy.
     */
    reason: LoopSmithReason,
    /** What failed and what to do, at most 1 KiB; for `invalid-request` the problem alone. */
    message: Schema.String,
    /**
     * The cause of the last attempt's failure, as the agent or the client reported it, at most 4 KiB; if none started,
     * why not.
     */
    details: Schema.String,
    /** Whether the same request may succeed later. */
    retryable: Schema.Boolean,
    /** How many attempts were made; 0 if none started. */
    attempts: Schema.Int,
  },
) {}
