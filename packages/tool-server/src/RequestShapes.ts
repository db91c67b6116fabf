/**
 * Validates the parameters of requests.
 *
 * @see Model Context Protocol 2025-11-25, lifecycle, and tools, error handling; docs/internals/promises.md, 15
 */
import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js"
import { clip, maxEchoLength } from "@zain/command/Clip"
import { isRecord } from "@zain/process/JsonRpc"
import * as Result from "effect/Result"
import type * as JsonRpcMessage from "./JsonRpcMessage.ts"
import { codes } from "./ProtocolError.ts"

type Params = Readonly<Record<string, unknown>>

/** How many keys the parameters, and each object directly in them, may have. */
const maxKeys = 1_000

/** Returns the path of the first invalid parameter. */
type Shape = (params: Params) => string | undefined

const isText = (value: unknown): boolean => typeof value === "string"
const isAbsent = (value: unknown): boolean => value === undefined

const wrongMeta: Shape = ({ _meta }) => {
  if (_meta === undefined) return undefined
  if (!isRecord(_meta)) return "params._meta"
  const { progressToken } = _meta
  const isToken = isAbsent(progressToken) || isText(progressToken) || Number.isSafeInteger(progressToken)
  return isToken ? undefined : "params._meta.progressToken"
}

const isRequired =
  (name: string): Shape =>
  (params) =>
    isText(params[name]) ? undefined : `params.${name}`
const listed: Shape = ({ cursor }) => (isAbsent(cursor) || isText(cursor) ? undefined : "params.cursor")
const withArguments =
  (isArgument: (value: unknown) => boolean): Shape =>
  (params) => {
    const { arguments: args, name } = params
    if (!isText(name)) return "params.name"
    if (isAbsent(args)) return undefined
    return isRecord(args) && Object.values(args).every(isArgument) ? undefined : "params.arguments"
  }
const introduced: Shape = ({ capabilities, clientInfo, protocolVersion }) => {
  if (!isText(protocolVersion)) return "params.protocolVersion"
  if (!isRecord(capabilities)) return "params.capabilities"
  const capability = declared.find((name) => !isAbsent(capabilities[name]) && !isRecord(capabilities[name]))
  if (capability !== undefined) return `params.capabilities.${capability}`
  const { experimental = {} } = capabilities
  const own = Object.entries(experimental as object).find(([, value]) => !isRecord(value))
  if (own !== undefined) return `params.capabilities.experimental.${clip(own[0], maxEchoLength)}`
  if (!isRecord(clientInfo)) return "params.clientInfo"
  const wrong = ["name", "version"].find((name) => !isText(clientInfo[name]))
  return wrong === undefined ? undefined : `params.clientInfo.${wrong}`
}
/** The capabilities that a client may declare; others are ignored. */
const declared = ["elicitation", "experimental", "roots", "sampling", "tasks"]
/** The levels of the log, the least first. */
export const severities: ReadonlyArray<unknown> = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
]

const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["initialize", introduced],
  ["tools/list", listed],
  ["tools/call", withArguments(() => true)],
  ["resources/list", listed],
  ["resources/templates/list", listed],
  ["resources/read", isRequired("uri")],
  ["resources/subscribe", isRequired("uri")],
  ["resources/unsubscribe", isRequired("uri")],
  ["prompts/list", listed],
  ["prompts/get", withArguments(isText)],
  ["logging/setLevel", ({ level }) => (severities.includes(level) ? undefined : "params.level")],
  [
    "completion/complete",
    ({ argument, ref }) => {
      const isReference = isRecord(ref) && (isText(ref["uri"]) || isText(ref["name"])) && isText(ref["type"])
      if (!isReference) return "params.ref"
      return isRecord(argument) && isText(argument["name"]) && isText(argument["value"]) ? undefined : "params.argument"
    },
  ],
])

const isOver = (value: unknown): boolean => {
  if (!isRecord(value)) return false
  let keys = 0
  for (const _ in value) if (++keys > maxKeys) return true
  return false
}

/** Returns the path of the first object with too many keys. */
const crowd: Shape = (params) => {
  if (isOver(params)) return "params"
  const name = Object.keys(params).find((key) => isOver(params[key]))
  return name === undefined ? undefined : `params.${clip(name, maxEchoLength)}`
}

/** The problem of a request: one sentence that names the first invalid parameter. */
const problem = (
  { id, method, params = {} }: JSONRPCRequest,
  served: ReadonlySet<string>,
): JsonRpcMessage.Problem | undefined => {
  const refuse = (message: string) => ({ code: codes.invalidParams, message, id })
  const crowded = crowd(params)
  if (crowded !== undefined) return refuse(`\`${crowded}\` has more than ${maxKeys} keys.`)
  const shape = method === "initialize" || served.has(method) ? shapes.get(method) : undefined
  const wrong = wrongMeta(params) ?? shape?.(params)
  return wrong === undefined
    ? undefined
    : refuse(`\`${wrong}\` is missing, or not what ${clip(method, maxEchoLength)} takes.`)
}

/** Removes task parameters, which a server without tasks must ignore: the SDK's transports reject invalid ones. */
const untasked = (request: JSONRPCRequest): JSONRPCRequest => {
  const { params } = request
  const { [task]: related, ..._meta } = params?._meta ?? {}
  return related === undefined ? request : { ...request, params: { ...params, _meta } }
}
const task = "io.modelcontextprotocol/related-task"

/**
 * Validates a message. A notification cannot be answered: invalid parameters are removed from it.
 *
 * @param served the supported methods; any other is unknown, whatever its parameters
 * @returns the message, or the problem of the request
 */
export const judge = (
  message: JSONRPCMessage,
  served: ReadonlySet<string>,
): Result.Result<JSONRPCMessage, JsonRpcMessage.Problem> => {
  if (!("method" in message)) return Result.succeed(message)
  if ("id" in message) {
    const wrong = problem(message, served)
    return wrong === undefined ? Result.succeed(untasked(message)) : Result.fail(wrong)
  }
  const { jsonrpc, method, params = {} } = message
  const isWrong = crowd(params) !== undefined || wrongMeta(params) !== undefined
  return Result.succeed(isWrong ? { jsonrpc, method } : message)
}
