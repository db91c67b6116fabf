/**
 * The service that rewrites documents.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EvaluationResponse } from "./Evaluation.ts"
import type { LoopSmithError } from "./LoopSmithError.ts"

/** What a writer works on: a document, the criticism that it should answer, and the score to reach. */
export interface RewriteRequest {
  /** The whole document to rewrite, as the judge evaluated it; in a loop the latest one, which may not be the best. */
  readonly content: string
  /** The judge's evaluation of `content`; its `suggestions` say what to change, most valuable first. */
  readonly evaluation: EvaluationResponse
  /** The score that the new document should reach, from 0 to 10. */
  readonly target: number
}

/** The service that rewrites documents: `AgentWriter`, or one of your own. */
export class Writer extends Context.Service<
  Writer,
  {
    /**
     * Rewrites a document. Interruption cancels the agent's turn.
     *
     * @param request the document, its evaluation, whose suggestions say what to change, and the target
     * @returns the whole new document. Fails with `LoopSmithError`: `timeout`, `agent` or `bad-answer` of the last attempt
     */
    readonly rewrite: (request: RewriteRequest) => Effect.Effect<string, LoopSmithError>
  }
>()("@zain/loopsmith/Writer") {}
