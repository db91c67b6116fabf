/**
 * Reads and writes the Anthropic Messages API, `POST /v1/messages`.
 *
 * @see https://docs.anthropic.com/en/api/messages-streaming
 */
import * as Result from "effect/Result"
import { isRecord, type JsonRecord, records, string, texts } from "./JsonBody.ts"
import { callIdOf, type ModelAnswer, type ModelApi, type ModelEvent } from "./ModelApi.ts"

const read: ModelApi["read"] = (body) => {
  if (!isRecord(body)) return Result.fail("The body must be a JSON object.")
  const { messages: given, model } = body
  if (typeof model !== "string") return Result.fail("model: Field required")
  if (!Array.isArray(given)) return Result.fail("messages: Field required")
  if (given.length === 0) return Result.fail("messages: at least one message is required")
  const items = records(given)
  const messages = [
    ...texts(body["system"]).map((text) => ({ role: "system", text })),
    ...items.flatMap((item) => texts(item["content"]).map((text) => ({ role: string(item["role"]), text }))),
  ]
  return Result.succeed({
    model,
    stream: body["stream"] === true,
    messages,
    userMessages: messages.filter(({ role }) => role === "user").map(({ text }) => text),
    tools: records(body["tools"]).map((tool) => string(tool["name"]) || string(tool["type"])),
    toolResults: items
      .flatMap((item) => records(item["content"]))
      .filter((block) => block["type"] === "tool_result")
      .map((block) => ({ callId: string(block["tool_use_id"]), text: texts(block["content"]).join("") })),
  })
}

const message = (answer: ModelAnswer, fields: JsonRecord): JsonRecord => ({
  id: `msg_scripted_${answer.index}`,
  type: "message",
  role: "assistant",
  model: answer.model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  ...fields,
})

const usage = (answer: ModelAnswer, outputTokens: number): JsonRecord => ({
  input_tokens: answer.usage.inputTokens,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: outputTokens,
})

const toolUses = (answer: ModelAnswer) =>
  answer.toolCalls.map(({ arguments: input, name }, nth) => {
    if (typeof input === "string") throw new Error(`${name}: the Messages API has no tools that take plain text.`)
    return { type: "tool_use", id: callIdOf("toolu", answer, nth), name, input }
  })

/** The signature of every thinking block. */
const signature = "c2NyaXB0ZWQ="

const thoughts = ({ reasoning }: ModelAnswer) =>
  reasoning === undefined ? [] : [{ type: "thinking", thinking: reasoning, signature }]

const stopReason = (answer: ModelAnswer) => (answer.toolCalls.length === 0 ? "end_turn" : "tool_use")

function* events(answer: ModelAnswer): Generator<ModelEvent> {
  yield { type: "message_start", message: message(answer, { usage: usage(answer, 0) }) }
  yield { type: "ping" }
  let index = 0
  for (const { thinking } of thoughts(answer)) {
    const part = (delta: JsonRecord) => ({ type: "content_block_delta", index, delta })
    yield { type: "content_block_start", index, content_block: { type: "thinking", thinking: "", signature: "" } }
    yield part({ type: "thinking_delta", thinking })
    yield part({ type: "signature_delta", signature })
    yield { type: "content_block_stop", index: index++ }
  }
  if (answer.text.length > 0) {
    yield { type: "content_block_start", index, content_block: { type: "text", text: "" } }
    for (const text of answer.text) yield { type: "content_block_delta", index, delta: { type: "text_delta", text } }
    if (!answer.complete) return
    yield { type: "content_block_stop", index: index++ }
  }
  if (!answer.complete) return
  for (const toolUse of toolUses(answer)) {
    const partial_json = JSON.stringify(toolUse.input)
    yield { type: "content_block_start", index, content_block: { ...toolUse, input: {} } }
    yield { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } }
    yield { type: "content_block_stop", index: index++ }
  }
  if (answer.complete === "items") return
  yield {
    type: "message_delta",
    delta: { stop_reason: stopReason(answer), stop_sequence: null },
    usage: { output_tokens: answer.usage.outputTokens },
  }
  yield { type: "message_stop" }
}

const errorTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
}

export const messagesApi: ModelApi = {
  name: "messages",
  read,
  events,
  isDelta: ({ delta }) => isRecord(delta) && delta["type"] === "text_delta",
  body: (answer) =>
    message(answer, {
      content: [
        ...thoughts(answer),
        ...(answer.text.length === 0 ? [] : [{ type: "text", text: answer.text.join("") }]),
        ...toolUses(answer),
      ],
      stop_reason: stopReason(answer),
      usage: usage(answer, answer.usage.outputTokens),
    }),
  keepAlive: () => ({ type: "ping" }),
  error: (status, message, type) => ({
    type: "error",
    error: {
      type: type ?? errorTypes[status] ?? (status >= 500 ? "api_error" : "invalid_request_error"),
      message,
    },
  }),
  requestIdHeader: "request-id",
}
