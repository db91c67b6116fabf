/**
 * A judge that is an agent, whichever it is.
 *
 * @see seed, basic flow
 */
import * as McpClient from "@zain/core/McpClient"
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

/**
 * - `config`: where the agent is. It only has to think: give it a configuration in which it may touch nothing. An
 *   `idleTimeout` that is shorter than an attempt is lengthened
 * - `model`: the agent's model as the configuration names it, for `metadata.model_used`
 * - `promptPath`: a template in place of the packaged one, read once, when the evaluator is made
 * - `maxAnswerBytes`: a longer answer is a bad one; 20 MiB by default
 * - `attempts`, `timeout`: 3 attempts of 2 minutes by default
 * - `atOnce`: how many attempts there may be at a time; others wait for their turn, and their time begins then. 8 by default
 * - `maxWaiting`: how many evaluations more may wait; the next one fails at once. 64 by default
 */
export interface Options extends Retry.Limits, ConcurrencyLimit.Limits {
  readonly config: McpConnectionConfig
  readonly model?: string | undefined
  readonly promptPath?: string | undefined
  readonly maxAnswerBytes?: number
}

/**
 * An evaluator that asks the agent behind `McpClient` for JSON and believes nothing else. An answer that cannot be used is
 * asked for again, with what was wrong with it.
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

  const evaluate: Evaluator.Evaluator["Service"]["evaluate"] = (request, observe = Evaluator.unobserved) => {
    const attempt = Effect.fnUntraced(function* (problem: string | undefined, nth: number) {
      yield* observe("agentStarted", `attempt ${nth} of ${attempts}`)
      const prompt = PromptTemplate.withProblem(promptFor(template, request), problem)
      const { content, provider } = yield* AgentTurn.ask(client, config, prompt)
      yield* observe("answered")
      const answer = JudgeAnswer.parse(content, { limit: maxAnswerBytes, document: request.content })
      const judgement = yield* Effect.mapError(Effect.fromResult(answer), badAnswer)
      return { judgement, provider }
    })

    return Retry.run(attempt, { attempts, timeout, observe, turn: turns.turn }).pipe(
      // Only here, where the attempt cannot time out any more.
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

/** `make` as the service. */
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
