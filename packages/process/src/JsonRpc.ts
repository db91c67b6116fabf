/**
 * JSON-RPC 2.0 messages, as far as we read them.
 */

export type JsonRpcId = string | number

export interface JsonRpcNotification {
  readonly jsonrpc: "2.0"
  readonly method: string
  readonly params?: unknown
}

export interface JsonRpcRequest extends JsonRpcNotification {
  readonly id: JsonRpcId
}

export interface JsonRpcSuccess {
  readonly jsonrpc: "2.0"
  readonly id: JsonRpcId
  readonly result: unknown
}

export interface JsonRpcFailure {
  readonly jsonrpc: "2.0"
  readonly id: JsonRpcId | null
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcSuccess | JsonRpcFailure

/** Whether a value is an object whose members can be looked at. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a parsed line can be a message at all. */
export const isMessage = (value: unknown): value is JsonRpcMessage =>
  isRecord(value) && value["jsonrpc"] === "2.0" && ("method" in value || "result" in value || "error" in value)

/** The object that a text is, if it is one. What does not begin as one is not worth an exception. */
export const parseObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  if (!text.startsWith("{") && !text.trimStart().startsWith("{")) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The message that a text is, if it is one. */
export const parse = (text: string): JsonRpcMessage | undefined => {
  const value = parseObject(text)
  return isMessage(value) ? value : undefined
}

/** For the MCP SDK, which would make a validator for each session: no schema of a peer's is ever compiled. */
export const noValidator = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: "schemas are not run" }),
}

export const isRequest = (message: JsonRpcMessage): message is JsonRpcRequest => "method" in message && "id" in message

export const isAnswer = (message: JsonRpcMessage): message is JsonRpcSuccess | JsonRpcFailure => !("method" in message)

/** Whether a request has the server work. */
export const isCall = ({ method }: JsonRpcRequest): boolean => method === "tools/call"

const cancelled = "notifications/cancelled"

/** Says that nobody waits for a request's answer any more. */
export const cancellation = (requestId: JsonRpcId, reason: string): JsonRpcNotification => ({
  jsonrpc: "2.0",
  method: cancelled,
  params: { requestId, reason },
})

/** The request that a message cancels, if it does. */
export const cancelledBy = (message: JsonRpcMessage): JsonRpcId | undefined => {
  if (!("method" in message) || message.method !== cancelled || !isRecord(message.params)) return undefined
  const { requestId } = message.params
  return typeof requestId === "string" || typeof requestId === "number" ? requestId : undefined
}

/**
 * The call that a server's message belongs to, where it says so: by MCP's progress token, or by the request id that
 * Codex and the agent server put in `_meta`.
 */
export const callOf = ({ params }: JsonRpcNotification | JsonRpcRequest): string | undefined => {
  if (!isRecord(params)) return undefined
  if (typeof params["progressToken"] === "string") return params["progressToken"]
  const meta = params["_meta"]
  return isRecord(meta) && typeof meta["requestId"] === "string" ? meta["requestId"] : undefined
}

/** Whether a message is the end of the handshake. */
export const endsHandshake = (message: JsonRpcMessage): boolean =>
  "method" in message && message.method === "notifications/initialized"
