/**
 * Parses and validates the text of a client's message within bounds, for every transport.
 *
 * @see JSON-RPC 2.0, sections 4 and 5.1; Model Context Protocol 2025-11-25, base protocol; docs/internals/promises.md, 24 and 27
 */
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js"
import * as JsonBounds from "@zain/process/JsonBounds"
import { isRecord } from "@zain/process/JsonRpc"
import * as JsonText from "@zain/process/JsonText"
import * as Result from "effect/Result"
import { codes } from "./ProtocolError.ts"

/** The bounds of a message. */
export interface Bounds extends JsonBounds.JsonBounds {
  /** The longest request id or progress token, in bytes: they are repeated in every message about the request. */
  readonly maxNameBytes: number
}

/** The default bounds. */
export const defaults: Bounds = { maxDepth: 64, maxElements: 100_000, maxNameBytes: 1_024 }

/** Why a text is not a valid message. */
export interface Problem {
  /** The JSON-RPC code: -32700 for invalid JSON, -32600 or -32602 otherwise. */
  readonly code: number
  /** One sentence for the client. */
  readonly message: string
  /** The id of the invalid request; `null` if it has none. */
  readonly id: RequestId | null
}

/** A message of a batch, or why it is none. */
export type Entry = Result.Result<JSONRPCMessage, Problem>

/** The entries of a batch, in order. */
export type Batch = ReadonlyArray<Entry>

/** Makes the JSON-RPC error for a problem. */
export const refusal = ({ code, id, message }: Problem) => ({ jsonrpc: "2.0", id, error: { code, message } }) as const

/** Makes the problem of an invalid request (-32600). */
export const invalid = (message: string, id: RequestId | null = null): Problem => ({
  code: codes.invalidRequest,
  message,
  id,
})

/** The problem of bytes that are not JSON or not UTF-8. */
export const notJson: Problem = { code: codes.parseError, message: "The message is not valid JSON.", id: null }

const noBatch = invalid("Batches are not part of MCP. Send each message by itself.")

/** How many messages a batch may have. */
const maxInBatch = 100

/**
 * Parses one message or a batch.
 *
 * @param bounds the bounds of the JSON, and of the names in it
 * @param takesBatches whether the session accepts batches
 */
export const parse = (
  text: string,
  bounds: Bounds = defaults,
  takesBatches = false,
): Result.Result<JSONRPCMessage | Batch, Problem> =>
  Result.flatMap(parseJson(text, bounds), (value): Result.Result<JSONRPCMessage | Batch, Problem> => {
    if (!Array.isArray(value)) return judge(value, bounds)
    if (!takesBatches) return Result.fail(noBatch)
    return value.length > 0 && value.length <= maxInBatch
      ? Result.succeed(value.map((entry) => judge(entry, bounds)))
      : Result.fail(invalid(`A batch must have 1 to ${maxInBatch} messages; this one has ${value.length}.`))
  })

/** Parses any JSON within the bounds. */
export const parseJson = (text: string, bounds: JsonBounds.JsonBounds): Result.Result<unknown, Problem> => {
  const excess = JsonBounds.check(text, bounds)
  if (excess === "depth") {
    return Result.fail(invalid(`The message is nested more than ${bounds.maxDepth} levels deep.`))
  }
  if (excess === "elements") {
    return Result.fail(invalid(`The message has more than ${bounds.maxElements} values.`))
  }
  return Result.try({ try: () => JsonText.read(text), catch: () => notJson })
}

const judge = (value: unknown, bounds: Bounds): Entry => {
  const problem = isMessage(value) ? longName(value, bounds) : noMessage(value, bounds)
  return problem === undefined ? Result.succeed(value as JSONRPCMessage) : Result.fail(problem)
}

const noMessage = (value: unknown, bounds: Bounds): Problem => {
  const id = idOf(value)
  return invalid("The message is not a JSON-RPC 2.0 message.", isLong(id, bounds) ? null : id)
}

/** The problem of a request with a name that is too long. A long id is omitted from the answer. */
const longName = (message: JSONRPCMessage, bounds: Bounds): Problem | undefined => {
  if (!("method" in message && "id" in message)) return undefined
  const { id, params } = message
  const takes = `exceeds ${bounds.maxNameBytes} bytes.`
  if (isLong(id, bounds)) return invalid(`\`id\` ${takes}`)
  const meta: unknown = params?._meta
  if (!isRecord(meta) || !isLong(meta["progressToken"], bounds)) return undefined
  return { code: codes.invalidParams, message: `\`params._meta.progressToken\` ${takes}`, id }
}

const isLong = (name: unknown, { maxNameBytes }: Bounds): boolean =>
  typeof name === "string" && (name.length > maxNameBytes || Buffer.byteLength(name) > maxNameBytes)

/** Checked without the SDK's schema, which copies the parameters. The parameters themselves are validated by method. */
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

/** The id of an invalid request. The id of an answer is one of the server's, and must not be used in an error. */
const idOf = (value: unknown): RequestId | null => {
  if (!isRecord(value) || "result" in value || "error" in value) return null
  return isId(value["id"]) ? value["id"] : null
}
