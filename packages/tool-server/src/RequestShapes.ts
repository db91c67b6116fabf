/**
 * Whether the parameters of a request are what its method takes. The SDK would answer what its schemas say as a fault of
 * the server's, in their words.
 *
 * @see Model Context Protocol 2025-11-25, tools, error handling
 */
import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  type JSONRPCMessage,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js"
import { clip, longestEcho } from "./Clip.ts"
import type * as JsonRpcMessage from "./JsonRpcMessage.ts"

/** Of the SDK's schemas, what is asked here. */
interface Shape {
  readonly safeParse: (value: unknown) => {
    readonly error?: { readonly issues: ReadonlyArray<{ readonly path: ReadonlyArray<PropertyKey> }> } | undefined
  }
}

/** What we answer; other methods are unknown. */
const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["initialize", InitializeRequestSchema],
  ["tools/list", ListToolsRequestSchema],
  ["tools/call", CallToolRequestSchema],
])

/** Why a request cannot be answered: one sentence that names the first parameter that is wrong. */
export const problem = (message: JSONRPCMessage): JsonRpcMessage.Problem | undefined => {
  if (!("method" in message && "id" in message)) return undefined
  const path = shapes.get(message.method)?.safeParse(message).error?.issues[0]?.path
  if (path === undefined) return undefined
  const name = clip(path.map(String).join("."), longestEcho)
  return {
    code: ErrorCode.InvalidParams,
    message: `\`${name}\` is missing, or not what ${message.method} takes.`,
    id: message.id,
  }
}
