/**
 * JSON-RPC 2.0 messages, and the parts of MCP's that Zain reads.
 *
 * @see https://www.jsonrpc.org/specification
 */

import * as JsonText from "./JsonText.ts"

/**
 * Pairs an answer with its request. JSON-RPC also permits `null` in requests, MCP does not; `isRequest` does not check
 * it.
 */
export type JsonRpcId = string | number

/** A message without an answer. */
export interface JsonRpcNotification {
  /** The version of JSON-RPC, always `2.0`; `isMessage` rejects a value without it. */
  readonly jsonrpc: "2.0"
  /** What happened, or what the receiver is to do, such as `notifications/progress`. */
  readonly method: string
  /** The arguments; the method defines their shape. */
  readonly params?: unknown
}

/** A message that the receiver answers with `JsonRpcSuccess` or `JsonRpcFailure`. */
export interface JsonRpcRequest extends JsonRpcNotification {
  /** Chosen by the sender, unique among its open requests. */
  readonly id: JsonRpcId
}

/**
 * The answer to a request that succeeded. In MCP a tool that fails is answered with it too, with `isError` in `result`.
 */
export interface JsonRpcSuccess {
  /** The version of JSON-RPC, always `2.0`; `isMessage` rejects a value without it. */
  readonly jsonrpc: "2.0"
  /** The `id` of the request that it answers. */
  readonly id: JsonRpcId
  /** The value; the method of the request defines its shape. */
  readonly result: unknown
}

/** The answer to a request that failed, for example because its method is unknown or its parameters are invalid. */
export interface JsonRpcFailure {
  /** The version of JSON-RPC, always `2.0`; `isMessage` rejects a value without it. */
  readonly jsonrpc: "2.0"
  /** The `id` of the request; `null` if the receiver could not read it. */
  readonly id: JsonRpcId | null
  /** What the peer reports about the failure: a code, a sentence and details. */
  readonly error: {
    /** A JSON-RPC error code, such as -32601 for an unknown method. */
    readonly code: number
    /** One sentence for a person. */
    readonly message: string
    /** Details in a shape that the sender defines. */
    readonly data?: unknown
  }
}

/** A JSON-RPC message: a request, a notification, or the answer to a request, which reports success or failure. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcSuccess | JsonRpcFailure

/**
 * Whether a value is an object: neither `null` nor an array.
 *
 * @param value any value, such as a member of parsed JSON
 */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Whether a value has the `jsonrpc` version and one of `method`, `result` and `error`. The types of the other fields
 * are not checked.
 *
 * @param value parsed JSON
 */
export const isMessage = (value: unknown): value is JsonRpcMessage =>
  isRecord(value) && value["jsonrpc"] === "2.0" && ("method" in value || "result" in value || "error" in value)

/**
 * Parses a text that is a JSON object. Never throws.
 *
 * @param text a text whose first character after white space and a byte order mark is not `{` is not parsed
 * @returns the object; `undefined` for every other text
 */
export const parseObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  if (!text.startsWith("{") && !text.trimStart().startsWith("{")) return undefined
  try {
    const value = JsonText.read(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Parses a JSON-RPC message. Never throws.
 *
 * @param text one JSON object, such as a line of stdio or the body of a response
 * @returns the message; `undefined` for every other text
 */
export const parse = (text: string): JsonRpcMessage | undefined => {
  const value = parseObject(text)
  return isMessage(value) ? value : undefined
}

/** The revisions of MCP that Zain's clients and servers speak, the newest first, which is offered. */
export const revisions: ReadonlyArray<string> = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"]

/**
 * Whether a message must be answered: it has both `method` and `id`.
 *
 * @param message any message, from the client or the server
 */
export const isRequest = (message: JsonRpcMessage): message is JsonRpcRequest => "method" in message && "id" in message

/**
 * Whether a message answers a request, with a result or an error: it has no `method`.
 *
 * @param message any message, from the client or the server
 */
export const isAnswer = (message: JsonRpcMessage): message is JsonRpcSuccess | JsonRpcFailure => !("method" in message)

/**
 * Whether a request calls a tool (`tools/call`).
 *
 * @param request a request that a client sends
 */
export const isCall = ({ method }: JsonRpcRequest): boolean => method === "tools/call"

const cancelled = "notifications/cancelled"

/**
 * Makes the notification that cancels a request (`notifications/cancelled`).
 *
 * @param requestId the `id` of the request; in MCP only the side that sent it may cancel it
 * @param reason why the request is cancelled, for a person or a log
 */
export const cancellation = (requestId: JsonRpcId, reason: string): JsonRpcNotification => ({
  jsonrpc: "2.0",
  method: cancelled,
  params: { requestId, reason },
})

/**
 * Returns the `id` of the request that a message cancels, or `undefined` if it cancels none.
 *
 * @param message any message, from the client or the server
 */
export const cancelledBy = (message: JsonRpcMessage): JsonRpcId | undefined => {
  if (!("method" in message) || message.method !== cancelled || !isRecord(message.params)) return undefined
  const { requestId } = message.params
  return typeof requestId === "string" || typeof requestId === "number" ? requestId : undefined
}

/**
 * Returns the id of the call that a server's message belongs to: MCP's `progressToken`, or the `requestId` that Codex
 * and the agent server put in `_meta`. Only strings count; `undefined` without either.
 *
 * @param message a notification or request of the server, such as `notifications/progress` or `elicitation/create`
 */
export const callOf = ({ params }: JsonRpcNotification | JsonRpcRequest): string | undefined => {
  if (!isRecord(params)) return undefined
  if (typeof params["progressToken"] === "string") return params["progressToken"]
  const meta = params["_meta"]
  return isRecord(meta) && typeof meta["requestId"] === "string" ? meta["requestId"] : undefined
}

/**
 * Whether a message ends the MCP handshake (`notifications/initialized`).
 *
 * @param message one that the client sends
 */
export const endsHandshake = (message: JsonRpcMessage): boolean =>
  "method" in message && message.method === "notifications/initialized"
