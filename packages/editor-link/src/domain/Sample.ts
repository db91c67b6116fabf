/**
 * Questions to the model of the MCP client.
 */
import type * as Effect from "effect/Effect"

/** `system`: instructions for the model; `prompt`: the user's text. */
export interface Question {
  readonly system: string
  readonly prompt: string
  /** How long this question and the next ones may take together, in milliseconds. Default: as long as the call. */
  readonly timeoutMs?: number | undefined
}

/**
 * A failed request to the client's model.
 *
 * - `refused`: the client or its user declined
 * - `failed`: the client answered with another error
 * - `malformed`: its answer has no text
 * - `too-large`: the text is over the limit
 * - `timeout`: there was no answer in time
 */
export interface SampleFailure {
  readonly reason: "refused" | "failed" | "malformed" | "too-large" | "timeout"
  readonly message: string
}

/** @returns the model's text, which is untrusted */
export type Sample = (question: Question) => Effect.Effect<string, SampleFailure>
