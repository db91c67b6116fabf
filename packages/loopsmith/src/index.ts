/**
 * LoopSmith: one agent writes, another judges, until the document is good.
 */
export * as Evaluation from "./Evaluation.ts"
export * as Evaluator from "./Evaluator.ts"
export * as LoopSmithError from "./LoopSmithError.ts"
export * as LoopState from "./LoopState.ts"
export * as Rubric from "./Rubric.ts"
export * as Writer from "./Writer.ts"
