/**
 * Why there is no evaluation, or no better document.
 */
import * as Schema from "effect/Schema"

/**
 * - `timeout`: the agent took longer than an attempt may
 * - `agent`: the agent could not be reached, was lost, or said that its turn failed
 * - `bad-answer`: the agent answered, and not with what it was asked for
 * - `invalid-request`: what was asked cannot be asked, such as an empty document
 */
export const LoopSmithReason = Schema.Literals(["timeout", "agent", "bad-answer", "invalid-request"])
export type LoopSmithReason = typeof LoopSmithReason.Type

/**
 * The last of the attempts failed, or one after which another is of no use.
 *
 * - `message`: what happened and what to do, at most 1 KiB
 * - `details`: the last cause, as it was said
 * - `retryable`: whether asking again later may help
 * - `attempts`: how many there were
 */
export class LoopSmithError extends Schema.TaggedError<LoopSmithError>("@zain/loopsmith/LoopSmithError")(
  "LoopSmithError",
  {
    reason: LoopSmithReason,
    message: Schema.String,
    details: Schema.String,
    retryable: Schema.Boolean,
    attempts: Schema.Int,
  },
) {}
