/**
 * What differs between the two APIs, as one value each: how a request is read and how an answer is written. All of it is
 * pure; `Playback` sends what these make.
 */
import type * as Result from "effect/Result"
import type { JsonRecord } from "./JsonBody.ts"
import type { ModelApiName, ModelRequestContent } from "./ModelRequest.ts"

/** The token counts that every answer reports. */
export interface ModelUsage {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** A tool that the agent is asked to run. Arguments that are a text are for a tool without a schema. */
export interface ModelToolCall {
  readonly name: string
  readonly arguments: JsonRecord | string
  readonly callId?: string
}

/**
 * What is to be written.
 *
 * - `index`: the request's, from which ids are made: the same script gives the same bytes
 * - `text`: the deltas; none means no text at all
 * - `phase`: what the text is for, where the API can say it
 * - `complete`: `false` stops after the last delta, in the middle of the answer, and `"items"` when the text and the calls are
 *   whole, before the answer's end
 */
export interface ModelAnswer {
  readonly index: number
  readonly model: string
  readonly usage: ModelUsage
  readonly text: ReadonlyArray<string>
  readonly toolCalls: ReadonlyArray<ModelToolCall>
  readonly phase?: string
  readonly complete: boolean | "items"
}

/** One event of a stream: its data, whose `type` is also the event's name. */
export type ModelEvent = { readonly type: string } & JsonRecord

/**
 * - `read`: a body, or what is wrong with it
 * - `events`: an answer as a stream
 * - `isDelta`: whether an event of a stream carries a piece of the text
 * - `body`: an answer as one JSON document
 * - `keepAlive`: an event that means nothing, but is forwarded inside the agent, so that a dead turn is noticed
 * - `error`: an error's body; `type` is chosen by status unless given
 * - `requestIdHeader`: the header that carries the endpoint's own id of a request
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

/** The id of an answer's nth tool call, unless the script gave one. */
export const callIdOf = (prefix: string, { index, toolCalls }: ModelAnswer, nth: number): string =>
  toolCalls[nth]?.callId ?? `${prefix}_scripted_${index}${nth === 0 ? "" : `_${nth}`}`
