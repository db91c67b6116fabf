/**
 * Converts items of a Codex turn to events.
 *
 * @see Codex 0.171 app-server, `ThreadItem`
 */

import { type JsonObject, recordOf, recordsOf, textOf, textsOf } from "@zain/agent-server/JsonMember"
import * as ToolInput from "@zain/agent-server/ToolInput"
import { clip, maxOutputLength } from "@zain/command/Clip"
import type { McpEventContent } from "@zain/core/McpEvents"
import * as CodexChanges from "./CodexChanges.ts"
import { unwrapped } from "./CodexText.ts"

/** A kind of item that is a tool call. */
interface Kind {
  /** Default: the kind itself. */
  readonly name?: (item: JsonObject) => string | undefined
  readonly title: (item: JsonObject) => string
  readonly input: (item: JsonObject) => unknown
  /** Default: whether the item's status is `failed` or `declined`. */
  readonly isError?: (item: JsonObject) => boolean
  /** Default: none. */
  readonly output?: (item: JsonObject) => string | undefined
}

const isUnfinished = (item: JsonObject) => item["status"] === "failed" || item["status"] === "declined"
const commandLine = (item: JsonObject) => unwrapped(textOf(item, "command") ?? "")
const members =
  (...keys: ReadonlyArray<string>) =>
  (item: JsonObject) =>
    Object.fromEntries(keys.flatMap((key) => (item[key] === undefined || item[key] === null ? [] : [[key, item[key]]])))

const kinds: Readonly<Record<string, Kind>> = {
  commandExecution: {
    title: commandLine,
    input: (item) => ({ ...members("cwd")(item), command: commandLine(item) }),
    isError: (item) => (typeof item["exitCode"] === "number" ? item["exitCode"] !== 0 : isUnfinished(item)),
    output: (item) => textOf(item, "aggregatedOutput"),
  },
  fileChange: {
    title: (item) => CodexChanges.pathsOf(CodexChanges.ofItem(item)).join(", "),
    input: members("changes"),
    output: (item) =>
      recordsOf(item, "changes")
        .map((change) => `${textOf(change, "path")}\n${textOf(change, "diff") ?? ""}`)
        .join("\n"),
  },
  mcpToolCall: {
    name: (item) => `${textOf(item, "server")}.${textOf(item, "tool")}`,
    title: (item) => `${textOf(item, "server")}.${textOf(item, "tool")}`,
    input: (item) => item["arguments"],
    isError: (item) => isUnfinished(item) || textOf(recordOf(item, "error"), "message") !== undefined,
    output: (item) =>
      textOf(recordOf(item, "error"), "message") ?? textsIn(recordsOf(recordOf(item, "result"), "content")),
  },
  dynamicToolCall: {
    name: (item) => textOf(item, "tool"),
    title: (item) => [textOf(item, "namespace"), textOf(item, "tool")].filter((part) => part !== undefined).join("."),
    input: (item) => item["arguments"],
    isError: (item) => isUnfinished(item) || item["success"] === false,
    output: (item) => textsIn(recordsOf(item, "contentItems")),
  },
  collabAgentToolCall: {
    name: (item) => textOf(item, "tool"),
    title: (item) => [textOf(item, "tool"), textOf(item, "prompt")].filter((part) => part !== undefined).join(": "),
    input: members("prompt", "model", "receiverThreadIds"),
  },
  webSearch: { title: (item) => textOf(item, "query") || "web search", input: members("query", "action") },
  imageView: { title: (item) => textOf(item, "path") ?? "image", input: members("path") },
  imageGeneration: { title: (item) => textOf(item, "revisedPrompt") ?? "image", input: members("revisedPrompt") },
}

/** The kinds of items that have events. */
export const read: ReadonlyArray<string> = [...Object.keys(kinds), "agentMessage", "contextCompaction", "reasoning"]

/** The tool call of an item, if it is one. */
const useOf = (item: JsonObject) => {
  const [type, toolId] = [textOf(item, "type") ?? "", textOf(item, "id")]
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (kind === undefined || toolId === undefined) return undefined
  return { kind, toolId, name: kind.name?.(item) ?? type }
}

/** One line that says what an item does. */
export const titleOf = (item: JsonObject): string => useOf(item)?.kind.title(item) ?? ""

/** Whether an item failed. */
export const isError = (item: JsonObject): boolean => (useOf(item)?.kind.isError ?? isUnfinished)(item)

/** The event of an item that begins, if it is a tool call. */
export const started = (item: JsonObject): McpEventContent | undefined => {
  const use = useOf(item)
  if (use === undefined) return undefined
  const { kind, name, toolId } = use
  const input = kind.input(item)
  return {
    _tag: "ToolStarted",
    toolId,
    name,
    title: kind.title(item),
    ...(input === undefined ? {} : { input: ToolInput.shortened(input) }),
  }
}

/** The events of an item that ended, before its `finished`: the files that it changed, or what the model has thought. */
export const outcome = (item: JsonObject): ReadonlyArray<McpEventContent> => {
  if (item["type"] === "contextCompaction") return [{ _tag: "Compacted" }]
  if (item["type"] === "reasoning") {
    const text = textsOf(item, "summary").join("\n\n")
    return text === "" ? [] : [{ _tag: "Reasoning", text: clip(text, maxOutputLength) }]
  }
  return item["type"] === "fileChange" && item["status"] === "completed" ? CodexChanges.events(item) : []
}

/** The event of an item that ended: of a message or a tool call. */
export const finished = (item: JsonObject): McpEventContent | undefined => {
  if (item["type"] === "agentMessage") return { _tag: "Message", text: textOf(item, "text") ?? "" }
  const use = useOf(item)
  if (use === undefined) return undefined
  const { kind, name, toolId } = use
  const output = kind.output?.(item)
  return {
    _tag: "ToolFinished",
    toolId,
    name,
    isError: (kind.isError ?? isUnfinished)(item),
    ...(output === undefined ? {} : { output: clip(output, maxOutputLength) }),
  }
}

const textsIn = (contents: ReadonlyArray<JsonObject>): string | undefined => {
  const texts = contents.flatMap((content) => textOf(content, "text") ?? [])
  return texts.length === 0 ? undefined : texts.join("\n")
}
