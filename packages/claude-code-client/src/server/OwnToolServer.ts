/**
 * Tools of a client's own as an MCP server inside this process, with which Claude Code speaks over its control protocol.
 *
 * @see Claude Code 2.1.332: measured. `initialize` with `sdkMcpServers`, then control requests `mcp_message`
 */

import type { Tools } from "@zain/agent-server/ClientTools"
import { type JsonObject, recordOf, textOf } from "@zain/agent-server/JsonMember"
import type { ToolAnswer } from "@zain/core/AgentConnection"
import { ownVersion } from "@zain/process/OwnVersion"

/** The server of a thread's process. */
export interface OwnToolServer {
  /** Its name: no server of a repository or a user has it. */
  readonly name: string
  /** Whether a name of Claude Code's for a tool is that of one of these. */
  readonly owns: (tool: string) => boolean
  /** What a control request says about a call; `undefined` for any other, and for one to another server. */
  readonly callOf: (request: JsonObject) => CallMessage | undefined
  /** The response to another control request; `undefined` for one to another server. */
  readonly respond: (request: JsonObject) => JsonObject | undefined
}

/** What a control request says about a call. Its id is unique in a process. */
export type CallMessage =
  | { readonly _tag: "Call"; readonly id: unknown; readonly name: string; readonly args: unknown }
  | { readonly _tag: "Cancel"; readonly id: unknown }

/**
 * Makes the server.
 *
 * @param threadId a random id, of which the name has a part: a repository cannot name a server of its own the same
 */
export const make = (threadId: string, tools: Tools): OwnToolServer => {
  const name = `zain-${threadId.slice(0, 8)}`
  const owned = new Set(tools.map((tool) => `mcp__${name}__${tool.name}`))
  const isMine = (request: JsonObject) => request["subtype"] === "mcp_message" && request["server_name"] === name
  return {
    name,
    owns: (tool) => owned.has(tool),
    callOf: (request) => (isMine(request) ? callIn(recordOf(request, "message")) : undefined),
    respond: (request) => {
      if (!isMine(request)) return undefined
      const message = recordOf(request, "message")
      switch (message["method"]) {
        case "initialize":
          return ofId(message, {
            protocolVersion: recordOf(message, "params")["protocolVersion"],
            capabilities: { tools: {} },
            serverInfo: { name, version: ownVersion },
          })
        case "tools/list":
          return ofId(message, { tools: tools.map((tool) => ({ ...tool, _meta })) })
        case "ping":
          return ofId(message, {})
        default:
          return message["id"] === undefined
            ? received
            : response({ id: message["id"], error: { code: -32601, message: "Method not found" } })
      }
    },
  }
}

/** Otherwise the model receives only the names of the tools, and a large result as a file. */
const _meta = { "anthropic/alwaysLoad": true, "anthropic/maxResultSizeChars": 256 * 1024 }

const callIn = (message: JsonObject): CallMessage | undefined => {
  const params = recordOf(message, "params")
  if (message["method"] === "notifications/cancelled") return { _tag: "Cancel", id: params["requestId"] }
  if (message["method"] !== "tools/call") return undefined
  return { _tag: "Call", id: message["id"], name: textOf(params, "name") ?? "", args: params["arguments"] ?? {} }
}

/** The response to a call. */
export const result = ({ id }: CallMessage, { isError, text }: ToolAnswer): JsonObject =>
  ofId({ id }, { content: [{ type: "text", text }], isError })

const response = (message: JsonObject): JsonObject => ({ mcp_response: { jsonrpc: "2.0", ...message } })

const ofId = ({ id }: JsonObject, result: JsonObject): JsonObject => response({ id, result })

/** The response to a notification. */
export const received: JsonObject = response({ id: 0, result: {} })
