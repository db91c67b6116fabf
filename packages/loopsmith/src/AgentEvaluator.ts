/**
 * An `Evaluator` whose judge is an agent behind `McpClient`.
 *
 * @see seed, basic flow
 */
import * as McpClient from "@zain/core/McpClient"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AgentTurn from "./AgentTurn.ts"
import { badAnswer } from "./AttemptFailure.ts"
import * as ConcurrencyLimit from "./ConcurrencyLimit.ts"
import * as Evaluation from "./Evaluation.ts"
import * as Evaluator from "./Evaluator.ts"
import * as JudgeAnswer from "./JudgeAnswer.ts"
import * as PromptTemplate from "./PromptTemplate.ts"
import * as Retry from "./Retry.ts"
import * as Rubric from "./Rubric.ts"

/** Options of `make` and `layer`: the agent, and the limits of its attempts and answers; only `config` is required. */
export interface Options extends Retry.Limits, ConcurrencyLimit.Limits {
  /**
   * The connection to the agent. Give it no files and no tools: the judge only answers. An `idleTimeout` below `timeout`
   * plus 30 seconds is raised to that; `providerOptions.promptCommands: true` fails each evaluation.
   */
  readonly config: McpConnectionConfig
  /** The agent's model, reported in `metadata.model_used` as `provider/model`. It does not select the model. */
  readonly model?: string | undefined
  /** The path of a prompt template that replaces the packaged one; `make` reads it once, as `PromptTemplate.load` does. */
  readonly promptPath?: string | undefined
  /** The longest answer, in bytes of UTF-8; a longer one fails its attempt with `bad-answer`. Default: 20 MiB. */
  readonly maxAnswerBytes?: number
}

/**
 * Makes an evaluator that asks an agent for an evaluation, in a new session for each attempt: by a schema where the agent has
 * means of its own for structured answers, otherwise in its text. After an answer that `JudgeAnswer.parse` rejects, the next attempt's prompt names the problem.
 *
 * @param options the agent and the limits. Invalid limits are a defect (`RangeError`)
 *
 * @example
 * ```ts
 * import { InMemoryMcpClient } from "@zain/core"
 * import { AgentEvaluator, Evaluation, Evaluator } from "@zain/loopsmith"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const { evaluate } = yield* Evaluator.Evaluator
 *   return yield* evaluate(yield* Effect.fromResult(Evaluation.request({ content: "# Title" })))
 * }).pipe(
 *   Effect.provide(AgentEvaluator.layer({ config: InMemoryMcpClient.config })),
 *   Effect.provide(InMemoryMcpClient.layer()),
 * )
 * ```
 */
export const make = Effect.fnUntraced(function* (options: Options) {
  const client = yield* McpClient.McpClient
  const { attempts, timeout } = yield* Retry.limits(options)
  const turns = yield* ConcurrencyLimit.make(options)
  const template = yield* PromptTemplate.load({ path: options.promptPath, packaged, needs: ["document_content"] })
  const { maxAnswerBytes, model } = options
  const config = AgentTurn.outlasting(options.config, timeout)
  const { supports } = client as Partial<McpClientAdapter>
  const output = supports?.structured === true ? JudgeAnswer.Judged : undefined

  const evaluate: Evaluator.Evaluator["Service"]["evaluate"] = (request, observe = Evaluator.unobserved) => {
    const attempt = Effect.fnUntraced(function* (problem: string | undefined, nth: number) {
      yield* observe("agentStarted", `attempt ${nth} of ${attempts}`)
      const prompt = PromptTemplate.withProblem(promptFor(template, request), problem)
      const { content, provider, structured } = yield* AgentTurn.ask(client, config, prompt, output)
      yield* observe("answered")
      // A value may be a quotation, too.
      const said = structured === undefined ? content : JSON.stringify(structured)
      const answer = JudgeAnswer.parse(said, { limit: maxAnswerBytes, document: request.content })
      const judgement = yield* Effect.mapError(Effect.fromResult(answer), badAnswer)
      return { judgement, provider }
    })

    return Retry.run(attempt, { attempts, timeout, observe, turn: turns.turn }).pipe(
      // After `Retry.run`: before it, the attempt could still time out after `parsed`.
      Effect.tap(() => observe("parsed")),
      Effect.timed,
      Effect.map(([took, { judgement, provider }]) =>
        Evaluation.respond(request, judgement, took, model === undefined ? provider : `${provider}/${model}`),
      ),
      turns.admitted,
      Evaluator.span(request),
    )
  }

  return Evaluator.settled({ evaluate })
})

/**
 * Provides the evaluator of `make` as the service `Evaluator`. `atOnce` and `maxWaiting` hold for all evaluations of
 * one layer together.
 *
 * @param options the same as those of `make`; invalid limits are a defect (`RangeError`) when the layer is built
 */
export const layer = (options: Options): Layer.Layer<Evaluator.Evaluator, never, McpClient.McpClient> =>
  Layer.effect(Evaluator.Evaluator, make(options))

const packaged = "evaluation-prompt.txt"

const promptFor = (template: string, { content, rubric }: Evaluation.EvaluationRequest): string => {
  const weights = Rubric.percent(rubric)
  return PromptTemplate.render(template, {
    completeness_weight: String(weights.completeness),
    accuracy_weight: String(weights.accuracy),
    clarity_weight: String(weights.clarity),
    usability_weight: String(weights.usability),
    document_content: content,
  })
}
