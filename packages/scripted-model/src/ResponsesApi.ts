/**
 * Reads and writes the OpenAI Responses API, `POST /v1/responses`.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
import * as Result from "effect/Result"
import { isRecord, type JsonRecord, records, string, texts } from "./JsonBody.ts"
import { callIdOf, type ModelAnswer, type ModelApi, type ModelEvent } from "./ModelApi.ts"

const read: ModelApi["read"] = (body) => {
  if (!isRecord(body)) return Result.fail("The body must be a JSON object.")
  const { input, model } = body
  if (typeof model !== "string") return Result.fail("Missing required parameter: 'model'.")
  if (typeof input !== "string" && !Array.isArray(input)) return Result.fail("Missing required parameter: 'input'.")
  if (input.length === 0) return Result.fail("Invalid 'input': it must not be empty.")
  const items = typeof input === "string" ? [{ role: "user", content: input }] : records(input)
  const messages = [
    ...texts(body["instructions"]).map((text) => ({ role: "system", text })),
    ...items.flatMap((item) => {
      const role = string(item["role"])
      return role === "" ? [] : texts(item["content"]).map((text) => ({ role, text }))
    }),
  ]
  return Result.succeed({
    model,
    stream: body["stream"] === true,
    messages,
    userMessages: messages.filter(({ role }) => role === "user").map(({ text }) => text),
    tools: [body, ...items].flatMap((item) => toolNames(item["tools"])),
    toolResults: items
      .filter((item) => string(item["type"]).endsWith("_call_output"))
      .map((item) => ({ callId: string(item["call_id"]), text: texts(item["output"]).join("") })),
  })
}

/** The names of tools, for a namespace those of its tools. Requests for some models list tools in `input`. */
const toolNames = (tools: unknown): ReadonlyArray<string> =>
  records(tools).flatMap((tool) => {
    const name = string(tool["name"]) || string(tool["type"])
    return tool["type"] === "namespace" ? toolNames(tool["tools"]).map((inner) => `${name}.${inner}`) : [name]
  })

const response = (answer: ModelAnswer, fields: JsonRecord): JsonRecord => ({
  id: `resp_scripted_${answer.index}`,
  object: "response",
  created_at: 0,
  error: null,
  incomplete_details: null,
  model: answer.model,
  parallel_tool_calls: true,
  tool_choice: "auto",
  tools: [],
  usage: null,
  ...fields,
})

const completed = (answer: ModelAnswer): JsonRecord =>
  response(answer, {
    status: "completed",
    output: [
      ...reasoned(answer),
      ...(answer.text.length === 0 ? [] : [message(answer, "completed")]),
      ...answer.toolCalls.map((_, nth) => toolCall(answer, nth, "completed")),
    ],
    usage: {
      input_tokens: answer.usage.inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: answer.usage.outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: answer.usage.inputTokens + answer.usage.outputTokens,
    },
  })

/** The summary of the model's reasoning, if there is one. */
const reasoned = ({ index, reasoning }: ModelAnswer): ReadonlyArray<JsonRecord> =>
  reasoning === undefined
    ? []
    : [{ id: `rs_scripted_${index}`, type: "reasoning", summary: [{ type: "summary_text", text: reasoning }] }]

const outputText = (text: string): JsonRecord => ({ type: "output_text", text, annotations: [] })

const message = (answer: ModelAnswer, status: "in_progress" | "completed"): JsonRecord => ({
  id: `msg_scripted_${answer.index}`,
  type: "message",
  role: "assistant",
  status,
  content: status === "completed" ? [outputText(answer.text.join(""))] : [],
  ...(answer.phase === undefined ? {} : { phase: answer.phase }),
})

/**
 * A call of a tool with a schema, or of one that takes plain text: two types of item, each with its own field. A dot in
 * the name separates the namespace.
 */
const toolCall = (answer: ModelAnswer, nth: number, status: "in_progress" | "completed"): JsonRecord => {
  const call = answer.toolCalls[nth]
  const isText = typeof call?.arguments === "string"
  const [, namespace, name = call?.name] = /^([^.]+)\.(.+)$/.exec(call?.name ?? "") ?? []
  const given = isText ? call.arguments : JSON.stringify(call?.arguments)
  return {
    id: `${isText ? "ctc" : "fc"}_scripted_${answer.index}${nth === 0 ? "" : `_${nth}`}`,
    type: isText ? "custom_tool_call" : "function_call",
    call_id: callIdOf("call", answer, nth),
    name,
    ...(namespace === undefined ? {} : { namespace }),
    status,
    [isText ? "input" : "arguments"]: status === "completed" ? given : "",
  }
}

function* parts(answer: ModelAnswer): Generator<ModelEvent> {
  const opened = response(answer, { status: "in_progress", output: [] })
  yield { type: "response.created", response: opened }
  yield { type: "response.in_progress", response: opened }
  const [thought] = reasoned(answer)
  const first = thought === undefined ? 0 : 1
  if (thought !== undefined) {
    const at = { item_id: thought["id"], output_index: 0, summary_index: 0 }
    const part = (text = "") => ({ part: { type: "summary_text", text } })
    yield { type: "response.output_item.added", output_index: 0, item: { ...thought, summary: [] } }
    yield { type: "response.reasoning_summary_part.added", ...at, ...part() }
    yield { type: "response.reasoning_summary_text.delta", ...at, delta: answer.reasoning }
    yield { type: "response.reasoning_summary_text.done", ...at, text: answer.reasoning }
    yield { type: "response.reasoning_summary_part.done", ...at, ...part(answer.reasoning) }
    yield { type: "response.output_item.done", output_index: 0, item: thought }
  }
  if (answer.text.length > 0) {
    const at = { item_id: `msg_scripted_${answer.index}`, output_index: first, content_index: 0 }
    yield { type: "response.output_item.added", output_index: first, item: message(answer, "in_progress") }
    yield { type: "response.content_part.added", ...at, part: outputText("") }
    for (const delta of answer.text) yield { type: "response.output_text.delta", ...at, delta }
    if (!answer.complete) return
    const text = answer.text.join("")
    yield { type: "response.output_text.done", ...at, text }
    yield { type: "response.content_part.done", ...at, part: outputText(text) }
    yield { type: "response.output_item.done", output_index: first, item: message(answer, "completed") }
  }
  if (!answer.complete) return
  for (const nth of answer.toolCalls.keys()) {
    const call = toolCall(answer, nth, "completed")
    const index = first + nth + (answer.text.length > 0 ? 1 : 0)
    const at = { item_id: call["id"], output_index: index }
    yield { type: "response.output_item.added", output_index: index, item: toolCall(answer, nth, "in_progress") }
    if (call["type"] === "custom_tool_call") {
      yield { type: "response.custom_tool_call_input.delta", ...at, delta: call["input"] }
      yield { type: "response.custom_tool_call_input.done", ...at, input: call["input"] }
    } else {
      yield { type: "response.function_call_arguments.delta", ...at, delta: call["arguments"] }
      yield { type: "response.function_call_arguments.done", ...at, arguments: call["arguments"] }
    }
    yield { type: "response.output_item.done", output_index: index, item: call }
  }
  if (answer.complete === "items") return
  yield { type: "response.completed", response: completed(answer) }
}

function* events(answer: ModelAnswer): Generator<ModelEvent> {
  let sequence = 0
  for (const event of parts(answer)) yield { ...event, sequence_number: sequence++ }
}

const errorType = (status: number): string =>
  status === 429 ? "rate_limit_error" : status >= 500 ? "server_error" : "invalid_request_error"

export const responsesApi: ModelApi = {
  name: "responses",
  read,
  events,
  isDelta: ({ type }) => type === "response.output_text.delta",
  body: completed,
  // Codex checks whether its turn was cancelled when it forwards an event. It forwards `response.created` without
  // showing it, and drops `response.in_progress` and comments before the check.
  keepAlive: (answer) => ({
    type: "response.created",
    response: response(answer, { status: "in_progress", output: [] }),
  }),
  error: (status, message, type) => ({
    error: {
      message,
      type: type ?? errorType(status),
      param: null,
      code: status === 401 ? "invalid_api_key" : null,
    },
  }),
  requestIdHeader: "x-request-id",
}
