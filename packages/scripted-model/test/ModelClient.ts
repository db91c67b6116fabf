import * as Effect from "effect/Effect"
import type { ModelApiName } from "../src/ModelRequest.ts"

export const apis: ReadonlyArray<ModelApiName> = ["responses", "messages"]

export const path = (api: ModelApiName) => (api === "responses" ? "/v1/responses" : "/v1/messages?beta=true")

export const prompt = (api: ModelApiName, text: string, fields: object = {}) => ({
  model: "m",
  ...(api === "responses"
    ? { input: [{ type: "message", role: "user", content: [{ type: "input_text", text }] }] }
    : { max_tokens: 10, messages: [{ role: "user", content: [{ type: "text", text }] }] }),
  ...fields,
})

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly raw: string
}

export const post = (url: string, body: unknown, headers?: Record<string, string>) =>
  Effect.tryPromise(async (signal): Promise<Reply> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      signal,
    })
    return { status: response.status, headers: response.headers, raw: await response.text() }
  })

export const ask = (url: string, api: ModelApiName, text: string, stream = false) =>
  post(url + path(api), prompt(api, text, { stream }))

// biome-ignore lint/suspicious/noExplicitAny: a test looks into JSON of any shape
export const json = (reply: Reply): any => JSON.parse(reply.raw)

export const events = (reply: Reply) =>
  reply.raw
    .split("\n\n")
    .filter((block) => block.startsWith("event: "))
    .map((block) => {
      const [name, data] = block.split("\n")
      const event = JSON.parse((data ?? "").slice("data: ".length))
      if (`event: ${event.type}` !== name) throw new Error(`${name} carries ${event.type}`)
      return event
    })

// biome-ignore lint/suspicious/noExplicitAny: as above
const openAiCall = ({ arguments: args, call_id: id, input, name, type }: any) =>
  type === "function_call" ? { id, name, arguments: JSON.parse(args) } : { id, name, input }

/** A reply as an agent parses it: the text, its deltas, and the tool calls. */
export const understood = (api: ModelApiName, reply: Reply, stream: boolean) => {
  if (api === "responses") {
    const all = stream ? events(reply) : []
    const response = stream ? all.findLast((event) => event.type === "response.completed").response : json(reply)
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const calls = response.output.filter((item: any) => item.type.endsWith("_call")).map(openAiCall)
    return {
      // biome-ignore lint/suspicious/noExplicitAny: as above
      text: response.output.flatMap((item: any) => (item.content ?? []).map((part: any) => part.text)).join(""),
      deltas: all.filter((event) => event.type === "response.output_text.delta").map((event) => event.delta as string),
      calls,
      call: calls[0],
      stop: response.status,
      tokens: [response.usage.input_tokens, response.usage.output_tokens],
    }
  }
  if (!stream) {
    const message = json(reply)
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const uses = message.content.filter((block: any) => block.type === "tool_use")
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const calls = uses.map(({ id, input, name }: any) => ({ id, name, arguments: input }))
    return {
      // biome-ignore lint/suspicious/noExplicitAny: as above
      text: message.content.map((block: any) => block.text ?? "").join(""),
      deltas: [],
      calls,
      call: calls[0],
      stop: message.stop_reason,
      tokens: [message.usage.input_tokens, message.usage.output_tokens],
    }
  }
  const all = events(reply)
  const deltas = all.flatMap((event) => (event.delta?.type === "text_delta" ? [event.delta.text as string] : []))
  const calls = all
    .filter((event) => event.content_block?.type === "tool_use")
    .map(({ content_block: { id, name }, index }) => {
      const input = all.find((event) => event.index === index && event.delta?.type === "input_json_delta")
      return { id, name, arguments: JSON.parse(input.delta.partial_json) }
    })
  const end = all.find((event) => event.type === "message_delta")
  return {
    text: deltas.join(""),
    deltas,
    calls,
    call: calls[0],
    stop: end.delta.stop_reason,
    tokens: [
      all.find((event) => event.type === "message_start").message.usage.input_tokens,
      end.usage.output_tokens,
    ] as ReadonlyArray<number>,
  }
}
