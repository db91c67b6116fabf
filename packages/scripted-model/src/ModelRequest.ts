/**
 * What an agent asked its model, in one form for both APIs.
 */
import type { IncomingHttpHeaders } from "node:http"

/** The API that a request came by. */
export type ModelApiName = "responses" | "messages"

/** One text part of one message. System prompts and instructions have the role `system`. */
export interface ModelMessage {
  readonly role: string
  readonly text: string
}

/** What a tool gave back to the model. */
export interface ModelToolResult {
  readonly callId: string
  readonly text: string
}

/**
 * One request for a model's answer.
 *
 * - `index`: the order of arrival, from 0
 * - `messages`: every text part, in order; a message of several parts gives several entries
 * - `userMessages`: the texts of those whose role is `user`, so a prompt is found by equality even where the agent sends
 *   reminders along with it
 * - `tools`: the names of the tools that the model was offered
 * - `toolResults`: every result in the conversation so far, in order
 * - `headers`: lower-case names; the values of those that carry credentials are `<redacted>`
 * - `body`: the parsed JSON, for whatever is not told above
 */
export interface ModelRequest {
  readonly index: number
  readonly api: ModelApiName
  readonly model: string
  readonly stream: boolean
  readonly messages: ReadonlyArray<ModelMessage>
  readonly userMessages: ReadonlyArray<string>
  readonly tools: ReadonlyArray<string>
  readonly toolResults: ReadonlyArray<ModelToolResult>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** The part of a request that is read from its body. */
export type ModelRequestContent = Omit<ModelRequest, "index" | "api" | "headers" | "body">

const credentials = new Set(["authorization", "proxy-authorization", "x-api-key", "api-key", "cookie"])

/** Headers as they are recorded: credentials are replaced, so that a log of requests is safe to print. */
export const redactHeaders = (headers: IncomingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, credentials.has(name) ? "<redacted>" : String(value)]],
    ),
  )
