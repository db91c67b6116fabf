/**
 * The requests of agents, in one form for both APIs.
 */
import type { IncomingHttpHeaders } from "node:http"

/** The API of a request: OpenAI's Responses API or Anthropic's Messages API. */
export type ModelApiName = "responses" | "messages"

/** One part of a message that is a text; a message may have several. */
export interface ModelMessage {
  /** The role as sent, such as `user` or `assistant`; `system` for system prompts and instructions. */
  readonly role: string
  /** The text of the part, unchanged. */
  readonly text: string
}

/** The result of a tool call that an agent sends to its model. */
export interface ModelToolResult {
  /** The id of the call, as in the model's answer. */
  readonly callId: string
  /** The result's text parts, joined. */
  readonly text: string
}

/** A request of an agent for an answer, in one form for both APIs. */
export interface ModelRequest {
  /** The order of arrival, from 0. */
  readonly index: number
  /** The API that the agent used: Codex uses `responses`, Claude Code `messages`. */
  readonly api: ModelApiName
  /** The value of `model` in the request, as the agent sent it. The answers of `turns` do not depend on it. */
  readonly model: string
  /** Whether the agent requested a stream of events rather than one JSON document. */
  readonly stream: boolean
  /** Every text part in order; a message of several parts has several entries. */
  readonly messages: ReadonlyArray<ModelMessage>
  /** The texts of the messages with role `user`: a prompt is an entry of its own even if the agent adds reminders. */
  readonly userMessages: ReadonlyArray<string>
  /** The names of the offered tools; a tool of a namespace is `namespace.tool`. */
  readonly tools: ReadonlyArray<string>
  /** Every result in the conversation so far, in order. */
  readonly toolResults: ReadonlyArray<ModelToolResult>
  /** The HTTP headers by lower-case name; credentials are `<redacted>`. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON, for everything without a field of its own. */
  readonly body: unknown
}

/** The part of a request that is read from its body. */
export type ModelRequestContent = Omit<ModelRequest, "index" | "api" | "headers" | "body">

const credentials = new Set(["authorization", "proxy-authorization", "x-api-key", "api-key", "cookie"])

/**
 * Returns headers with `<redacted>` in place of credentials, so that a log of requests is safe to print.
 *
 * @param headers the headers of a request, as Node received them; credentials are `authorization`,
 *   `proxy-authorization`, `x-api-key`, `api-key` and `cookie`
 */
export const redactHeaders = (headers: IncomingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, credentials.has(name) ? "<redacted>" : String(value)]],
    ),
  )
