/**
 * The two tools: their arguments and their results.
 *
 * @see seed, EvaluationRequest and EvaluationResponse
 */
import type { Tool } from "@modelcontextprotocol/sdk/types.js"
import { clip, maxEchoLength } from "@zain/command/Clip"
import * as ToolArguments from "@zain/tool-server/ToolArguments"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Evaluation from "../Evaluation.ts"
import * as Rubric from "../Rubric.ts"
import * as JudgeGuidance from "./JudgeGuidance.ts"

/**
 * A call of either tool, after its arguments were read.
 *
 * - `request`: the request to the evaluator, without `iteration`
 * - `counts`: whether the evaluation is counted as an iteration
 * - `answer`: builds the result
 */
export interface Asked {
  readonly request: Omit<Evaluation.EvaluationRequest, "iteration">
  readonly counts: boolean
  readonly answer: (response: Evaluation.EvaluationResponse) => Readonly<Record<string, unknown>>
}

/**
 * - `list`: the tools in `tools/list`
 * - `read`: reads a call's arguments. Fails with a sentence that names the problem
 */
export interface Tools {
  readonly list: ReadonlyArray<Tool>
  readonly read: (name: string, args: unknown) => Result.Result<Asked, string>
}

const document = { content: Schema.String, rubric: Schema.optionalKey(Rubric.RubricInput) }
const Evaluate = Schema.Struct({ ...document, target_score: Schema.optionalKey(Evaluation.Score) })
const Suggest = Schema.Struct({ ...document, previous_score: Schema.optionalKey(Evaluation.Score) })
const Advice = Schema.Struct({
  suggestions: Evaluation.Suggestions,
  score: Evaluation.Score,
  gain: Schema.optionalKey(Schema.Finite),
})

/** Not idempotent: a judge may score the same document differently the next time. */
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: true }

/** The tools of a server. */
export const make = (goal: JudgeGuidance.Goal): Tools => {
  const { evaluate, suggest } = JudgeGuidance
  const described = JudgeGuidance.described(goal)
  const evaluation = ToolArguments.make<typeof Evaluate.Type>(Evaluate, described.evaluate)
  const advice = ToolArguments.make<typeof Suggest.Type>(Suggest, described.suggest)

  const readEvaluate = (args: unknown): Result.Result<Asked, string> =>
    Result.gen(function* () {
      const { content, rubric, target_score = goal.targetScore } = yield* evaluation.read(args)
      const request = yield* judged(content, rubric, target_score)
      return { request, counts: true, answer: (response) => ({ ...response }) }
    })

  const readSuggest = (args: unknown): Result.Result<Asked, string> =>
    Result.gen(function* () {
      const { content, previous_score, rubric } = yield* advice.read(args)
      const request = yield* judged(content, rubric, goal.targetScore)
      const gain = (score: number) =>
        previous_score === undefined ? {} : { gain: Evaluation.gain(score, previous_score) }
      return { request, counts: false, answer: ({ score, suggestions }) => ({ suggestions, score, ...gain(score) }) }
    })

  return {
    list: [
      {
        name: evaluate,
        title: "Evaluate a document",
        description: JudgeGuidance.ofEvaluate(goal),
        inputSchema: evaluation.schema as Tool["inputSchema"],
        outputSchema: output(Evaluation.EvaluationResponse, described.evaluation),
        annotations: { title: "Evaluate a document", ...annotations },
      },
      {
        name: suggest,
        title: "Suggest improvements",
        description: JudgeGuidance.ofSuggest,
        inputSchema: advice.schema as Tool["inputSchema"],
        outputSchema: output(Advice, described.advice),
        annotations: { title: "Suggest improvements", ...annotations },
      },
    ],
    read: (name, args) => {
      if (name === evaluate) return readEvaluate(args)
      if (name === suggest) return readSuggest(args)
      const asked = JSON.stringify(clip(name, maxEchoLength))
      return Result.fail(`Unknown tool ${asked}; the tools are ${evaluate} and ${suggest}.`)
    },
  }
}

/** The request to the evaluator. Fails with a sentence that begins with the wrong argument. */
const judged = (content: string, rubric: unknown, target: number): Result.Result<Asked["request"], string> => {
  const problem = Evaluation.documentProblem(content)
  const advice = content.length > Evaluation.maxDocumentLength ? " Evaluate it in parts." : ""
  if (problem !== undefined) return Result.fail(`\`content\`: ${problem}${advice}`)
  return Rubric.make(rubric).pipe(
    Result.map((weights) => ({ content, rubric: weights, target })),
    Result.mapError((sentence) => `\`rubric\`: ${sentence}`),
  )
}

/** The output schema of a result. */
const output = <A>(codec: Schema.Codec<A, unknown>, described: Readonly<Record<string, ToolArguments.JsonSchema>>) =>
  ToolArguments.make(codec, described).schema as NonNullable<Tool["outputSchema"]>
