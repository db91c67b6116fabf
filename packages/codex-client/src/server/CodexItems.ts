/**
 * Items of a Codex turn, as events.
 *
 * @see Codex 0.169 app-server, `ThreadItem`
 */

import { recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import * as ToolInput from "@zain/agent-server/ToolInput"
import type { McpEventContent } from "@zain/core/McpEvents"
import { clip, longestOutput } from "@zain/tool-server/Clip"
import * as CodexChanges from "./CodexChanges.ts"
import { unwrapped } from "./CodexText.ts"

type Item = Readonly<Record<string, unknown>>

/** What is different about a kind of item that is the use of a tool. */
interface Kind {
  readonly name: (item: Item) => string
  readonly title: (item: Item) => string
  readonly input: (item: Item) => unknown
  readonly isError: (item: Item) => boolean
  readonly output: (item: Item) => string | undefined
}

const named = (name: string) => () => name
const isUnfinished = (item: Item) => item["status"] === "failed" || item["status"] === "declined"
const nothing = () => undefined
const commandLine = (item: Item) => unwrapped(textOf(item, "command") ?? "")
const members =
  (...keys: ReadonlyArray<string>) =>
  (item: Item) =>
    Object.fromEntries(keys.flatMap((key) => (item[key] === undefined || item[key] === null ? [] : [[key, item[key]]])))

const kinds: Readonly<Record<string, Kind>> = {
  commandExecution: {
    name: named("commandExecution"),
    title: commandLine,
    input: (item) => ({ ...members("cwd")(item), command: commandLine(item) }),
    isError: (item) => (typeof item["exitCode"] === "number" ? item["exitCode"] !== 0 : isUnfinished(item)),
    output: (item) => textOf(item, "aggregatedOutput"),
  },
  fileChange: {
    name: named("fileChange"),
    title: (item) => CodexChanges.pathsOf(CodexChanges.ofItem(item)).join(", "),
    input: members("changes"),
    isError: isUnfinished,
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
    name: (item) => textOf(item, "tool") ?? "dynamicToolCall",
    title: (item) => [textOf(item, "namespace"), textOf(item, "tool")].filter((part) => part !== undefined).join("."),
    input: (item) => item["arguments"],
    isError: (item) => isUnfinished(item) || item["success"] === false,
    output: (item) => textsIn(recordsOf(item, "contentItems")),
  },
  collabAgentToolCall: {
    name: (item) => textOf(item, "tool") ?? "collabAgentToolCall",
    title: (item) => [textOf(item, "tool"), textOf(item, "prompt")].filter((part) => part !== undefined).join(": "),
    input: members("prompt", "model", "receiverThreadIds"),
    isError: isUnfinished,
    output: nothing,
  },
  webSearch: {
    name: named("webSearch"),
    title: (item) => textOf(item, "query") || "web search",
    input: members("query", "action"),
    isError: isUnfinished,
    output: nothing,
  },
  imageView: {
    name: named("imageView"),
    title: (item) => textOf(item, "path") ?? "image",
    input: members("path"),
    isError: isUnfinished,
    output: nothing,
  },
  imageGeneration: {
    name: named("imageGeneration"),
    title: (item) => textOf(item, "revisedPrompt") ?? "image",
    input: members("revisedPrompt"),
    isError: isUnfinished,
    output: nothing,
  },
}

const kindOf = (item: Item): Kind | undefined => {
  const type = textOf(item, "type") ?? ""
  return Object.hasOwn(kinds, type) ? kinds[type] : undefined
}

/** The event of an item that begins, if it is the use of a tool. */
export const started = (item: Item): McpEventContent | undefined => {
  const kind = kindOf(item)
  const toolId = textOf(item, "id")
  if (kind === undefined || toolId === undefined) return undefined
  const input = kind.input(item)
  return {
    _tag: "ToolStarted",
    toolId,
    name: kind.name(item),
    title: kind.title(item),
    ...(input === undefined ? {} : { input: ToolInput.told(input) }),
  }
}

/** The event of an item that is over: a message, or the use of a tool. */
export const finished = (item: Item): McpEventContent | undefined => {
  if (item["type"] === "agentMessage") return { _tag: "Message", text: textOf(item, "text") ?? "" }
  const kind = kindOf(item)
  const toolId = textOf(item, "id")
  if (kind === undefined || toolId === undefined) return undefined
  const output = kind.output(item)
  return {
    _tag: "ToolFinished",
    toolId,
    name: kind.name(item),
    isError: kind.isError(item),
    ...(output === undefined ? {} : { output: clip(output, longestOutput) }),
  }
}

const textsIn = (contents: ReadonlyArray<Item>): string | undefined => {
  const texts = contents.flatMap((content) => textOf(content, "text") ?? [])
  return texts.length === 0 ? undefined : texts.join("\n")
}
