/**
 * Events of Codex's own MCP server (`codex/event`).
 *
 * @see Codex 0.153.4 `mcp-server`: measured
 */
import type { McpEventContent } from "@zain/core/McpEvents"
import { isRecord, type JsonRpcNotification } from "@zain/process/JsonRpc"
import * as CodexCommand from "./CodexCommand.ts"
import * as CodexUsage from "./CodexUsage.ts"

type Message = Readonly<Record<string, unknown>>
type Reader = (message: Message) => McpEventContent | undefined

/** Limit of a tool's output in an event, in characters. */
const maxOutputLength = 16 * 1_024

/** @returns a reader of notifications; an unknown one becomes `Raw` */
export const makeReader = () => {
  const usageOf = CodexUsage.makeReader()
  return ({ method, params }: JsonRpcNotification): McpEventContent => {
    const raw: McpEventContent = { _tag: "Raw", method, params }
    if (method !== "codex/event" || !isRecord(params)) return raw
    const message = params["msg"]
    if (!isRecord(message) || typeof message["type"] !== "string") return raw
    if (message["type"] === "token_count") {
      const thread = isRecord(params["_meta"]) ? params["_meta"]["threadId"] : undefined
      const usage = usageOf(String(thread), String(params["id"]), message["info"])
      return usage === undefined ? raw : { _tag: "Usage", ...usage }
    }
    return (Object.hasOwn(readers, message["type"]) ? readers[message["type"]]?.(message) : undefined) ?? raw
  }
}

const said =
  (_tag: "Message" | "TextDelta", key: string): Reader =>
  ({ [key]: text }) =>
    typeof text === "string" ? { _tag, text } : undefined

const started = (message: Message, name: string, title: string): McpEventContent | undefined =>
  typeof message["call_id"] === "string" ? { _tag: "ToolStarted", toolId: message["call_id"], name, title } : undefined

const finished = (message: Message, name: string, isError: boolean, output: unknown): McpEventContent | undefined =>
  typeof message["call_id"] === "string"
    ? {
        _tag: "ToolFinished",
        toolId: message["call_id"],
        name,
        isError,
        ...(typeof output === "string" ? { output: output.slice(0, maxOutputLength).toWellFormed() } : {}),
      }
    : undefined

const command = "exec_command"
const patch = "apply_patch"

const mcpTool = ({ invocation }: Message): string =>
  isRecord(invocation) ? `${String(invocation["server"])}.${String(invocation["tool"])}` : "an MCP tool"

/** A serialized Rust `Result`: `Ok` or `Err`. */
const isFailure = (result: unknown): boolean => {
  if (!isRecord(result)) return false
  const { Err, Ok } = result
  return Err !== undefined || (isRecord(Ok) && (Ok["isError"] === true || Ok["is_error"] === true))
}

const readers: Readonly<Record<string, Reader>> = {
  agent_message_content_delta: said("TextDelta", "delta"),
  agent_message: said("Message", "message"),
  exec_command_begin: (message) => started(message, command, CodexCommand.inWords(message["command"]) ?? "a command"),
  exec_command_end: (message) =>
    finished(message, command, message["exit_code"] !== 0, message["aggregated_output"] ?? message["stdout"]),
  patch_apply_begin: (message) =>
    started(message, patch, isRecord(message["changes"]) ? Object.keys(message["changes"]).join(", ") : "files"),
  patch_apply_end: (message) => finished(message, patch, message["success"] !== true, message["stdout"]),
  mcp_tool_call_begin: (message) => started(message, mcpTool(message), mcpTool(message)),
  mcp_tool_call_end: (message) => finished(message, mcpTool(message), isFailure(message["result"]), undefined),
}
