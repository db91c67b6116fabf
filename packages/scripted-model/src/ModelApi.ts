/**
 * What differs between the two APIs, as one value each: how to read a request and how to write an answer. The functions
 * are pure; `Playback` sends their results.
 */
import type * as Result from "effect/Result"
import type { JsonRecord } from "./JsonBody.ts"
import type { ModelApiName, ModelRequestContent } from "./ModelRequest.ts"

/** How many tokens every answer of the model reports, whatever the texts are. */
export interface ModelUsage {
  /** How many tokens the request is reported to have, also when an agent asks the Messages API to count them. */
  readonly inputTokens: number
  /** How many tokens the answer is reported to have; the OpenAI API also reports the sum with `inputTokens`. */
  readonly outputTokens: number
}

/** A tool call in an answer. String arguments are for a tool without a schema. */
export interface ModelToolCall {
  readonly name: string
  readonly arguments: JsonRecord | string
  readonly callId?: string
}

/**
 * An answer to write.
 *
 * - `index`: of the request. Ids are derived from it, so that the same script gives the same bytes
 * - `text`: the deltas; empty for an answer without text
 * - `phase`: the purpose of the text, for the API that has it
 * - `reasoning`: what the model thinks before
 * - `complete`: `false` stops after the last delta; `"items"` stops after the text and the calls, before the answer's
 *   end
 */
export interface ModelAnswer {
  readonly index: number
  readonly model: string
  readonly usage: ModelUsage
  readonly text: ReadonlyArray<string>
  readonly toolCalls: ReadonlyArray<ModelToolCall>
  readonly phase?: string
  readonly reasoning?: string
  readonly complete: boolean | "items"
}

/** The data of one event of a stream. Its `type` is also the event's name. */
export type ModelEvent = { readonly type: string } & JsonRecord

/**
 * - `read`: reads a body, or returns what is wrong with it
 * - `events`: an answer as a stream
 * - `isDelta`: whether an event contains a piece of the text
 * - `body`: an answer as one JSON document
 * - `keepAlive`: an event without effect that the agent forwards internally, so that it notices a cancelled turn
 * - `error`: the body of an error; `type` follows from the status by default
 * - `requestIdHeader`: the header with the endpoint's id of a request
 */
export interface ModelApi {
  readonly name: ModelApiName
  readonly read: (body: unknown) => Result.Result<ModelRequestContent, string>
  readonly events: (answer: ModelAnswer) => Iterable<ModelEvent>
  readonly isDelta: (event: ModelEvent) => boolean
  readonly body: (answer: ModelAnswer) => JsonRecord
  readonly keepAlive: (answer: ModelAnswer) => ModelEvent
  readonly error: (status: number, message: string, type?: string) => JsonRecord
  readonly requestIdHeader: string
}

/** The id of an answer's nth tool call: the script's, or one derived from the request's index. */
export const callIdOf = (prefix: string, { index, toolCalls }: ModelAnswer, nth: number): string =>
  toolCalls[nth]?.callId ?? `${prefix}_scripted_${index}${nth === 0 ? "" : `_${nth}`}`
