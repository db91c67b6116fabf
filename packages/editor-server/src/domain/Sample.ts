/**
 * Questions to the model of the MCP client.
 */
import type * as Effect from "effect/Effect"

/** `system`: what it is to write; `prompt`: about what. */
export interface Question {
  readonly system: string
  readonly prompt: string
}

/**
 * - `refused`: the client, or its user, did not want it
 * - `failed`: the client answered with another error
 * - `malformed`: its answer has no text
 * - `too-large`: the text is over the limit
 * - `timeout`: there was no answer in time
 */
export interface SampleFailure {
  readonly reason: "refused" | "failed" | "malformed" | "too-large" | "timeout"
  readonly message: string
}

/** @returns what the model wrote, which is text of unknown content */
export type Sample = (question: Question) => Effect.Effect<string, SampleFailure>
