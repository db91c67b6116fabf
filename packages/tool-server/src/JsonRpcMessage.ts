/**
 * One message of a client's, as its text: bounded, parsed, and judged, whatever brought it.
 *
 * @see JSON-RPC 2.0, sections 4 and 5.1; Model Context Protocol 2025-11-25, base protocol; promises 24 and 27
 */
import { ErrorCode, type JSONRPCMessage, type RequestId } from "@modelcontextprotocol/sdk/types.js"
import * as JsonBounds from "@zain/process/JsonBounds"
import { isRecord } from "@zain/process/JsonRpc"
import * as Result from "effect/Result"

/** `maxNameBytes`: of what a client names a request or its progress by, which is repeated in every message about them. */
export interface Bounds extends JsonBounds.JsonBounds {
  readonly maxNameBytes: number
}

/** What a client sends, unless a server says otherwise. */
export const defaults: Bounds = { maxDepth: 64, maxElements: 100_000, maxNameBytes: 1_024 }

/**
 * Why a text is no message.
 *
 * - `code`: -32700 for what is no JSON, -32600 for any other
 * - `message`: one sentence
 * - `id`: of the request that it might have been, or `null`
 */
export interface Problem {
  readonly code: number
  readonly message: string
  readonly id: RequestId | null
}

/** A message of a batch, or why it is none. */
export type Entry = Result.Result<JSONRPCMessage, Problem>

export type Batch = ReadonlyArray<Entry>

/** What is answered to a text that is no message, or to a request that is not taken. */
export const refusal = ({ code, id, message }: Problem) => ({ jsonrpc: "2.0", id, error: { code, message } }) as const

/** The client sent no request, whatever else it is. */
export const invalid = (message: string, id: RequestId | null = null): Problem => ({
  code: ErrorCode.InvalidRequest,
  message,
  id,
})

/** The text is no JSON, or not even text. */
export const notJson: Problem = { code: ErrorCode.ParseError, message: "The message is no JSON.", id: null }

const noBatch = invalid("Batches are not part of MCP. Send each message by itself.")

/** How many messages a batch may have. */
const mostInBatch = 100

/**
 * @param text of one message, or of a batch
 * @param bounds of what is parsed at all, and of the names in it
 * @param takesBatches whether the session takes batches
 */
export const parse = (
  text: string,
  bounds: Bounds = defaults,
  takesBatches = false,
): Result.Result<JSONRPCMessage | Batch, Problem> =>
  Result.flatMap(parseJson(text, bounds), (value): Result.Result<JSONRPCMessage | Batch, Problem> => {
    if (!Array.isArray(value)) return judge(value, bounds)
    if (!takesBatches) return Result.fail(noBatch)
    return value.length > 0 && value.length <= mostInBatch
      ? Result.succeed(value.map((entry) => judge(entry, bounds)))
      : Result.fail(invalid(`A batch has 1 to ${mostInBatch} messages, and this one has ${value.length}.`))
  })

/** Any JSON within the bounds. */
export const parseJson = (text: string, bounds: JsonBounds.JsonBounds): Result.Result<unknown, Problem> => {
  const excess = JsonBounds.check(text, bounds)
  if (excess === "depth") {
    return Result.fail(invalid(`A message may be ${bounds.maxDepth} levels deep, and this one is deeper.`))
  }
  if (excess === "elements") {
    return Result.fail(invalid(`A message may hold ${bounds.maxElements} values, and this one holds more.`))
  }
  return Result.try({ try: (): unknown => JSON.parse(text), catch: () => notJson })
}

const judge = (value: unknown, bounds: Bounds): Entry => {
  const problem = isMessage(value) ? longName(value, bounds) : noMessage(value, bounds)
  return problem === undefined ? Result.succeed(value as JSONRPCMessage) : Result.fail(problem)
}

const noMessage = (value: unknown, bounds: Bounds): Problem => {
  const id = idOf(value)
  return invalid("This is no JSON-RPC 2.0 message.", isLong(id, bounds) ? null : id)
}

/** Why a request is not taken whose names are too long. An id that is would be too long for the answer as well. */
const longName = (message: JSONRPCMessage, bounds: Bounds): Problem | undefined => {
  if (!("method" in message && "id" in message)) return undefined
  const { id, params } = message
  const takes = `takes at most ${bounds.maxNameBytes} bytes, and has more.`
  if (isLong(id, bounds)) return invalid(`\`id\` ${takes}`)
  const meta: unknown = params?._meta
  if (!isRecord(meta) || !isLong(meta["progressToken"], bounds)) return undefined
  return { code: ErrorCode.InvalidParams, message: `\`params._meta.progressToken\` ${takes}`, id }
}

const isLong = (name: unknown, { maxNameBytes }: Bounds): boolean =>
  typeof name === "string" && (name.length > maxNameBytes || Buffer.byteLength(name) > maxNameBytes)

/**
 * By hand: the SDK's schema copies the parameters, however many a client sends. What is in them is for those to judge who
 * know the method.
 */
const isMessage = (value: unknown): value is JSONRPCMessage => {
  if (!isRecord(value) || value["jsonrpc"] !== "2.0") return false
  const members = Object.keys(value)
  const has = (...names: ReadonlyArray<string>) => members.every((name) => name === "jsonrpc" || names.includes(name))
  const { error, id, method, params, result } = value
  if (method !== undefined) {
    const isAsked = !("id" in value) || isId(id)
    return (
      typeof method === "string" &&
      isAsked &&
      (params === undefined || isRecord(params)) &&
      has("id", "method", "params")
    )
  }
  if (result !== undefined) return isRecord(result) && isId(id) && has("id", "result")
  if (!isRecord(error) || !(id === undefined || isId(id))) return false
  return Number.isSafeInteger(error["code"]) && typeof error["message"] === "string" && has("id", "error")
}

const isId = (id: unknown): id is RequestId => typeof id === "string" || Number.isSafeInteger(id)

/** Of what may have been meant as a request: an answer's id is one of ours, and may be that of a call of the client's too. */
const idOf = (value: unknown): RequestId | null => {
  if (!isRecord(value) || "result" in value || "error" in value) return null
  return isId(value["id"]) ? value["id"] : null
}
