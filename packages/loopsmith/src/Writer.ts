/**
 * Whoever makes documents better.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EvaluationResponse } from "./Evaluation.ts"
import type { LoopSmithError } from "./LoopSmithError.ts"

/** A document, and what was said of it. */
export interface RewriteRequest {
  readonly content: string
  readonly evaluation: EvaluationResponse
  readonly target: number
}

/** `rewrite`: the whole document, better. Interrupting it ends the agent's turn. */
export class Writer extends Context.Service<
  Writer,
  { readonly rewrite: (request: RewriteRequest) => Effect.Effect<string, LoopSmithError> }
>()("@zain/loopsmith/Writer") {}
