/**
 * A turn whose answer is a value of a schema: checked here for every agent, and asked for once more if it does not fit.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { AgentConnection, AgentRequest, Answer, Turn } from "./AgentConnection.ts"
import { amended, type McpError } from "./McpError.ts"
import * as OutputSchema from "./OutputSchema.ts"
import * as TokenUsage from "./TokenUsage.ts"

/**
 * Runs the turn. An answer that fits has `structured`; one that still does not fit has `isError` and the cause
 * `Unstructured`.
 *
 * @param request the request, without its schema
 * @param isOwn whether the agent receives the schema by its own means; otherwise the prompt contains it
 */
export const run = (
  connection: AgentConnection,
  request: AgentRequest,
  schema: OutputSchema.OutputSchema,
  isOwn: boolean,
  turn: Turn,
): Effect.Effect<Answer, McpError> => {
  const { json } = schema
  const ask = ({ content, ...rest }: AgentRequest) =>
    isOwn && json !== undefined
      ? connection.execute({ ...rest, content, output: json }, turn)
      : connection.execute({ ...rest, content: `${content}\n\n${frame(json)}` }, turn)
  return Effect.gen(function* () {
    const { structured, ...first } = yield* ask(request)
    if (first.isError) return first
    const read = yield* fitting(first.content, structured, schema)
    if (Result.isSuccess(read)) return { ...first, structured: read.success }
    const { providerOptions } = request
    const beside = providerOptions === undefined ? {} : { providerOptions }
    const again = ask({
      ...beside,
      content: `Your answer does not fit its schema: ${read.failure.join("; ")}. Answer again.`,
    })
    const { structured: other, ...second } = yield* Effect.mapError(again, (error) =>
      amended(error, { delivery: "unknown" }),
    )
    const answer = { ...second, ...joined(first, second) }
    if (second.isError) return answer
    const reread = yield* fitting(second.content, other, schema)
    return Result.isSuccess(reread)
      ? { ...answer, structured: reread.success }
      : { ...answer, isError: true, cause: { _tag: "Unstructured" as const, problems: reread.failure } }
  })
}

const frame = (json: OutputSchema.OutputSchema["json"]): string =>
  `Answer with one JSON value, and nothing else.${json === undefined ? "" : ` It must fit this JSON Schema: ${JSON.stringify(json)}`}`

/** @param structured the value that the agent gave, if it gave one */
const fitting = (content: string, structured: unknown, { check }: OutputSchema.OutputSchema) => {
  const value = structured === undefined ? jsonIn(content) : Result.succeed(structured)
  return Result.isFailure(value)
    ? Effect.succeed(value)
    : Effect.map(check(value.success), Result.mapError(OutputSchema.bounded))
}

/** The value in a text: all of it, the last fenced block, or from the first brace to the last. */
const jsonIn = (text: string): Result.Result<unknown, ReadonlyArray<string>> => {
  const fences = text.split(/^```\w*$/m)
  const places = [text, fences.at(-2) ?? "", text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)]
  for (const place of places) {
    try {
      return Result.succeed(JSON.parse(place))
    } catch {
      // The next place may have it.
    }
  }
  return Result.fail(["it is not valid JSON"])
}

/** What both answers of a turn have together. */
const joined = (one: Answer, other: Answer): Partial<Answer> => ({
  ...(one.usage === undefined && other.usage === undefined
    ? {}
    : { usage: TokenUsage.sum(one.usage ?? {}, other.usage ?? {}) }),
  ...(one.cost === undefined || other.cost === undefined ? {} : { cost: one.cost + other.cost }),
  ...lists("ended", one, other),
  ...lists("pending", one, other),
})

const lists = (name: "ended" | "pending", one: Answer, other: Answer): Partial<Answer> => {
  const all = [...(one[name] ?? []), ...(other[name] ?? [])]
  return all.length === 0 ? {} : { [name]: all }
}
