/**
 * The OpenAI Responses API, `POST /v1/responses`.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
import * as Result from "effect/Result"
import { isRecord, type JsonRecord, records, string, texts } from "./JsonBody.ts"
import type { ModelAnswer, ModelApi, ModelEvent } from "./ModelApi.ts"

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
    tools: records(body["tools"]).map((tool) => string(tool["name"]) || string(tool["type"])),
    toolResults: items
      .filter((item) => string(item["type"]).endsWith("_call_output"))
      .map((item) => ({ callId: string(item["call_id"]), text: texts(item["output"]).join("") })),
  })
}

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
      ...(answer.text.length === 0 ? [] : [message(answer, "completed")]),
      ...(answer.toolCall === undefined ? [] : [functionCall(answer, answer.toolCall, "completed")]),
    ],
    usage: {
      input_tokens: answer.usage.inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: answer.usage.outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: answer.usage.inputTokens + answer.usage.outputTokens,
    },
  })

const outputText = (text: string): JsonRecord => ({ type: "output_text", text, annotations: [] })

const message = (answer: ModelAnswer, status: "in_progress" | "completed"): JsonRecord => ({
  id: `msg_scripted_${answer.index}`,
  type: "message",
  role: "assistant",
  status,
  content: status === "completed" ? [outputText(answer.text.join(""))] : [],
})

const functionCall = (
  answer: ModelAnswer,
  call: NonNullable<ModelAnswer["toolCall"]>,
  status: "in_progress" | "completed",
): JsonRecord => ({
  id: `fc_scripted_${answer.index}`,
  type: "function_call",
  call_id: call.callId ?? `call_scripted_${answer.index}`,
  name: call.name,
  status,
  arguments: status === "completed" ? JSON.stringify(call.arguments) : "",
})

function* parts(answer: ModelAnswer): Generator<ModelEvent> {
  const opened = response(answer, { status: "in_progress", output: [] })
  yield { type: "response.created", response: opened }
  yield { type: "response.in_progress", response: opened }
  if (answer.text.length > 0) {
    const at = { item_id: `msg_scripted_${answer.index}`, output_index: 0, content_index: 0 }
    yield { type: "response.output_item.added", output_index: 0, item: message(answer, "in_progress") }
    yield { type: "response.content_part.added", ...at, part: outputText("") }
    for (const delta of answer.text) yield { type: "response.output_text.delta", ...at, delta }
    if (!answer.complete) return
    const text = answer.text.join("")
    yield { type: "response.output_text.done", ...at, text }
    yield { type: "response.content_part.done", ...at, part: outputText(text) }
    yield { type: "response.output_item.done", output_index: 0, item: message(answer, "completed") }
  }
  if (!answer.complete) return
  if (answer.toolCall !== undefined) {
    const call = functionCall(answer, answer.toolCall, "completed")
    const index = answer.text.length > 0 ? 1 : 0
    const at = { item_id: call["id"], output_index: index }
    const added = functionCall(answer, answer.toolCall, "in_progress")
    yield { type: "response.output_item.added", output_index: index, item: added }
    yield { type: "response.function_call_arguments.delta", ...at, delta: call["arguments"] }
    yield { type: "response.function_call_arguments.done", ...at, arguments: call["arguments"] }
    yield { type: "response.output_item.done", output_index: index, item: call }
  }
  yield { type: "response.completed", response: completed(answer) }
}

function* events(answer: ModelAnswer): Generator<ModelEvent> {
  let sequence = 0
  for (const event of parts(answer)) yield { ...event, sequence_number: sequence++ }
}

const errorType = (status: number): string =>
  status === 429 ? "rate_limit_error" : status >= 500 ? "server_error" : "invalid_request_error"

/** How the Responses API is read and written. */
export const openAiResponses: ModelApi = {
  name: "openai-responses",
  read,
  events,
  body: completed,
  // Codex looks whether its turn was cancelled when it passes an event on. It passes `response.created` on, and shows it to
  // nobody; it drops `response.in_progress` and comments on the spot.
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
