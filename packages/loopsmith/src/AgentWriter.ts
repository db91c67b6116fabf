/**
 * A `Writer` that is an agent behind `McpClient`.
 */
import { McpClient } from "@zain/core/McpClient"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AgentTurn from "./AgentTurn.ts"
import { badAnswer } from "./AttemptFailure.ts"
import * as PromptTemplate from "./PromptTemplate.ts"
import * as Retry from "./Retry.ts"
import { criteria } from "./Rubric.ts"
import * as ScoreText from "./ScoreText.ts"
import { type RewriteRequest, Writer } from "./Writer.ts"
import * as WriterAnswer from "./WriterAnswer.ts"

/** Options of `make` and `layer`. `timeout` defaults to 10 minutes here, because each answer is a whole document. */
export interface Options extends Retry.Limits {
  /**
   * The connection to the agent. Give it no files and no tools: the writer only answers. An `idleTimeout` below `timeout`
   * plus 30 seconds is raised to that; `providerOptions.promptCommands: true` fails each rewriting.
   */
  readonly config: McpConnectionConfig
}

/**
 * Makes a writer that sends an agent the document, its scores and the first suggestions, up to 20,000 characters, in a
 * new session for each attempt, and reads the whole new document from the answer. After an answer that
 * `WriterAnswer.parse` rejects, the next attempt's prompt names the problem.
 *
 * @param options the agent and the limits. Invalid limits are a defect (`RangeError`)
 *
 * @example
 * ```ts
 * import { InMemoryMcpClient } from "@zain/core"
 * import { AgentWriter } from "@zain/loopsmith"
 * import * as Effect from "effect/Effect"
 *
 * const writer = AgentWriter.make({ config: InMemoryMcpClient.config }).pipe(Effect.provide(InMemoryMcpClient.layer()))
 * ```
 */
export const make = Effect.fnUntraced(function* (options: Options) {
  const client = yield* McpClient
  const { attempts, timeout } = yield* Retry.limits(options, "10 minutes")
  const template = yield* PromptTemplate.load({ packaged: "improvement-prompt.txt", needs: ["document_content"] })
  const config = AgentTurn.outlasting(options.config, timeout)

  const rewrite = (request: RewriteRequest) => {
    const attempt = Effect.fnUntraced(function* (problem: string | undefined) {
      const prompt = PromptTemplate.withProblem(promptFor(template, request), problem)
      const { content } = yield* AgentTurn.ask(client, config, prompt)
      return yield* Effect.mapError(Effect.fromResult(WriterAnswer.parse(content, request.content)), badAnswer)
    })
    const { evaluation, target } = request
    return Effect.withSpan(Retry.run(attempt, { attempts, timeout }), "Writer.rewrite", {
      attributes: { iteration: evaluation.metadata.iteration, score: evaluation.score, target },
    })
  }
  return Writer.of({ rewrite })
})

/**
 * Provides the writer of `make` as the service `Writer`. Its prompt template is read when the layer is built.
 *
 * @param options the same as those of `make`
 */
export const layer = (options: Options): Layer.Layer<Writer, never, McpClient> => Layer.effect(Writer, make(options))

const promptFor = (template: string, { content, evaluation, target }: RewriteRequest) =>
  PromptTemplate.render(template, {
    score: ScoreText.score(evaluation.score),
    target: ScoreText.score(target),
    scores: criteria.map((name) => `- ${name}: ${ScoreText.score(evaluation.rubric_scores[name])}`).join("\n"),
    suggestions: listed(evaluation.suggestions),
    document_content: content,
  })

/** The room for suggestions in the prompt, in characters. Codex accepts a prompt of 1,048,576 in all. */
const maxListLength = 20_000

/** The first suggestions, which are the most valuable, up to `maxListLength`. */
const listed = (suggestions: ReadonlyArray<string>): string => {
  if (suggestions.length === 0) return "(none)"
  const lines: Array<string> = []
  let room = maxListLength
  for (const [index, text] of suggestions.entries()) {
    const line = item(text, index)
    room -= line.length + 1
    if (room < 0) break
    lines.push(line)
  }
  const left = suggestions.length - lines.length
  return [...lines, ...(left === 0 ? [] : [`(and ${left} more)`])].join("\n")
}

/** Indented, so that no line of a suggestion equals `<document>` or `</document>`. */
const item = (text: string, index: number) =>
  `${index + 1}. ${text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).join("\n   ")}`
