/**
 * Whether the parameters of a request are what its method takes. The SDK would answer what its schemas say as a fault of
 * the server's, in their words, and some of it not at all; and it copies every object over and over.
 *
 * @see Model Context Protocol 2025-11-25, tools, error handling, and tasks; promise 15
 */
import {
  ErrorCode,
  InitializeRequestSchema,
  type JSONRPCMessage,
  type JSONRPCRequest,
  LoggingLevelSchema,
  RELATED_TASK_META_KEY,
} from "@modelcontextprotocol/sdk/types.js"
import { isRecord } from "@zain/process/JsonRpc"
import * as Result from "effect/Result"
import { clip, longestEcho } from "./Clip.ts"
import type * as JsonRpcMessage from "./JsonRpcMessage.ts"

type Params = Readonly<Record<string, unknown>>

/** How many keys the parameters may have, and each object directly in them. */
const mostKeys = 1_000

/** The first parameter that is wrong, by its path. */
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
const levels: ReadonlyArray<unknown> = LoggingLevelSchema.options

/** By our own hand: the SDK's schemas copy what they read. */
const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["tools/list", listed],
  ["tools/call", withArguments(() => true)],
  ["resources/list", listed],
  ["resources/templates/list", listed],
  ["resources/read", isRequired("uri")],
  ["resources/subscribe", isRequired("uri")],
  ["resources/unsubscribe", isRequired("uri")],
  ["prompts/list", listed],
  ["prompts/get", withArguments(isText)],
  ["logging/setLevel", ({ level }) => (levels.includes(level) ? undefined : "params.level")],
  [
    "completion/complete",
    ({ argument, ref }) => {
      const isReference = isRecord(ref) && (isText(ref["uri"]) || isText(ref["name"])) && isText(ref["type"])
      if (!isReference) return "params.ref"
      return isRecord(argument) && isText(argument["name"]) && isText(argument["value"]) ? undefined : "params.argument"
    },
  ],
])

/** Once a session, and deep: this one is the SDK's to know. */
const initialize: Shape = (params) => {
  const issue = InitializeRequestSchema.safeParse({ method: "initialize", params }).error?.issues[0]
  return issue && clip(issue.path.map(String).join("."), longestEcho)
}

const isOver = (value: unknown): boolean => {
  if (!isRecord(value)) return false
  let keys = 0
  for (const _ in value) if (++keys > mostKeys) return true
  return false
}

/** Where a message has more keys than it may have. */
const crowd: Shape = (params) => {
  if (isOver(params)) return "params"
  const name = Object.keys(params).find((key) => isOver(params[key]))
  return name === undefined ? undefined : `params.${clip(name, longestEcho)}`
}

/** Why a request cannot be answered: one sentence that names the first parameter that is wrong. */
const problem = (
  { id, method, params = {} }: JSONRPCRequest,
  served: ReadonlySet<string>,
): JsonRpcMessage.Problem | undefined => {
  const refuse = (message: string) => ({ code: ErrorCode.InvalidParams, message, id })
  const crowded = crowd(params)
  if (crowded !== undefined) return refuse(`\`${crowded}\` may have ${mostKeys} keys, and has more.`)
  const shape = method === "initialize" ? initialize : served.has(method) ? shapes.get(method) : undefined
  const wrong = wrongMeta(params) ?? shape?.(params)
  return wrong === undefined
    ? undefined
    : refuse(`\`${wrong}\` is missing, or not what ${clip(method, longestEcho)} takes.`)
}

/** Without what asks for a task, or belongs to one: we have none, and whoever has none ignores the wish. */
const untasked = (request: JSONRPCRequest): JSONRPCRequest => {
  const { params } = request
  if (params === undefined) return request
  const { task: _, ...others } = params as typeof params & { readonly task?: unknown }
  const { [RELATED_TASK_META_KEY]: related, ..._meta } = params._meta ?? {}
  return { ...request, params: related === undefined ? others : { ...others, _meta } }
}

/**
 * A message as the SDK may see it, or why its request is not taken. Nobody is told of a notification: one with wrong
 * parameters has none.
 *
 * @param served the methods that are answered; others are unknown, whatever their parameters are
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
