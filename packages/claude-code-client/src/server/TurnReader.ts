/**
 * Converts Claude Code's messages of a turn to events and a result.
 *
 * @see Claude Code 2.1.329, `--output-format=stream-json`
 */

import type { AgentMessage } from "@zain/agent-server/AgentChannel"
import { countOf, recordOf, recordsOf, textOf, textsOf } from "@zain/agent-server/JsonMember"
import type { OutputRoot } from "@zain/agent-server/OutputRoot"
import type { TurnResult } from "@zain/agent-server/ServedAgent"
import * as ToolInput from "@zain/agent-server/ToolInput"
import { clip, maxOutputLength } from "@zain/command/Clip"
import type { McpEventContent } from "@zain/core/McpEvents"
import type { McpStopReason, McpUsage } from "@zain/core/McpResponse"
import { visible } from "@zain/core/TerminalText"
import * as TokenUsage from "@zain/core/TokenUsage"
import * as Duration from "effect/Duration"
import * as MessageEvents from "./MessageEvents.ts"
import { title } from "./ToolTitle.ts"

/** Reads the messages of one turn. */
export interface TurnReader {
  /** The events of a message. */
  readonly read: (message: AgentMessage) => ReadonlyArray<McpEventContent>
  /** See `MessageEvents`. */
  readonly parentOf: MessageEvents.MessageEvents["parentOf"]
  /**
   * The end of a turn, after `read` of the same message. `subtype` may be `success` for a failed or incomplete turn, so
   * `is_error`, `terminal_reason` and `num_turns` decide; the last is 0 when a hook of the user stopped the prompt. An empty
   * answer is valid; after a text and a tool without more text, the text is the answer.
   *
   * @param message a `result`
   * @param needsNoModel whether Claude Code may answer without the model, as for a command or a blank prompt
   */
  readonly result: (message: AgentMessage, needsNoModel: boolean) => TurnResult
}

/** The tool by which Claude Code gives a structured answer. */
const answering = "StructuredOutput"

/** The `subtype` of a result after which Claude Code ends, as no value fitted. */
export const unfit = "error_max_structured_output_retries"

/**
 * Makes a reader for one turn, which stores the names of running tools, the last text, the last value and the tokens.
 *
 * @param output the schema of the answer
 * @param steps the plan of the conversation so far
 */
export const make = (output?: OutputRoot, steps: MessageEvents.Steps = new Map()): TurnReader => {
  let given: unknown
  /** The calls that are answers, not the use of a tool. */
  const answers = new Set<string>()
  const names = new Map<string, string>()
  let lastText = ""
  let used: McpUsage | undefined
  let cost: number | undefined
  /** The model of the last request, and the tokens of that and of its answer. */
  let model = ""
  let asked = 0
  let filled = 0

  const beside = MessageEvents.make(steps)
  const toolOf = (message: AgentMessage) =>
    blocksOf(message).flatMap((block) => names.get(textOf(block, "tool_use_id") ?? "") ?? [])[0] ?? ""

  const assistant = (message: AgentMessage) =>
    blocksOf(message).flatMap((block): ReadonlyArray<McpEventContent> => {
      const id = textOf(block, "id")
      const thought = textOf(block, "thinking") ?? ""
      if (thought !== "") return [{ _tag: "Reasoning", text: clip(thought, maxOutputLength) }]
      const text = textOf(block, "text")
      if (block["type"] === "tool_use" && id !== undefined) {
        const name = textOf(block, "name") ?? "tool"
        const input = recordOf(block, "input")
        if (output !== undefined && name === answering && isMain(message)) {
          given = input
          answers.add(id)
          return [{ _tag: "Message", text: jsonOf(output.inner(input)) }]
        }
        names.set(id, name)
        return [{ _tag: "ToolStarted", toolId: id, name, title: title(name, input), input: ToolInput.shortened(input) }]
      }
      if (block["type"] !== "text" || text === undefined || !isMain(message)) return []
      lastText = text
      return [{ _tag: "Message", text }]
    })

  const toolResults = (message: AgentMessage) =>
    blocksOf(message).flatMap((block): ReadonlyArray<McpEventContent> => {
      const toolId = textOf(block, "tool_use_id")
      if (block["type"] !== "tool_result" || toolId === undefined || answers.delete(toolId)) return []
      const name = names.get(toolId) ?? "tool"
      names.delete(toolId)
      const output = clip(textOf(block, "content") ?? textsIn(block), maxOutputLength)
      return [{ _tag: "ToolFinished", toolId, name, isError: block["is_error"] === true, output }]
    })

  /** Counts the tokens of the last request of the agent itself. */
  const fill = (message: AgentMessage) => {
    const event = recordOf(message, "event")
    if (event["type"] === "message_start") {
      const started = recordOf(event, "message")
      const usage = recordOf(started, "usage")
      const parts = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]
      asked = parts.reduce((all, part) => all + countOf(usage, part), 0)
      model = textOf(started, "model") ?? model
      filled = asked
    }
    // The count is of the whole answer so far.
    if (event["type"] === "message_delta") filled = asked + countOf(recordOf(event, "usage"), "output_tokens")
  }

  const read: TurnReader["read"] = (message) => {
    const type = textOf(message, "type")
    if (type === "stream_event" && isMain(message)) fill(message)
    if (type === "result") {
      const more = usageOf(message)
      used = used === undefined || more === undefined ? (more ?? used) : TokenUsage.sum(used, more)
      const spent = costOf(message)
      if (spent !== undefined) cost = (cost ?? 0) + spent
      return used === undefined ? [] : [{ _tag: "Usage", ...used }]
    }
    if (message["subtype"] === "api_retry") return [{ _tag: "Heartbeat", retrying: attempt(message) }]
    const events = eventsOf(type, message)
    const parent = beside.parentOf(message)
    const all = events.length > 0 || type === "rate_limit_event" ? events : [rawOf(message)]
    return parent === undefined ? all : all.map((event) => ({ ...event, parent }))
  }
  const eventsOf = (type: string | undefined, message: AgentMessage): ReadonlyArray<McpEventContent> => {
    switch (type) {
      case "stream_event":
        return delta(message)
      case "assistant":
        return assistant(message)
      case "user":
        return [...beside.ofResult(message, toolOf(message)), ...toolResults(message)]
      default:
        return beside.ofSystem(message)
    }
  }
  return {
    read,
    parentOf: beside.parentOf,
    result: (message, needsNoModel) => {
      const ended = end(message, needsNoModel, lastText)
      const result = output === undefined ? ended : structured(ended, output, message, given)
      const size = sizeOf(recordOf(message, "modelUsage"), model)
      const stopReason = stopReasonOf(message, result)
      return {
        ...result,
        ...(result.isError && message["api_error_status"] === 429 ? { limit: beside.limit() } : {}),
        ...(used === undefined ? {} : { usage: used }),
        ...(cost === undefined ? {} : { cost }),
        ...(filled === 0 || size === 0 ? {} : { context: { used: filled, size } }),
        ...(stopReason === undefined ? {} : { stopReason }),
      }
    },
  }
}

const rawOf = (message: AgentMessage): McpEventContent => ({
  _tag: "Raw",
  method: `claude/${textOf(message, "type") ?? "message"}`,
  params: message,
})

/** Limit of the description of a retry, in characters. */
const maxAttemptLength = 300

const attempt = (message: AgentMessage): string => {
  const number = (key: string) => (typeof message[key] === "number" ? message[key] : undefined)
  const [max, delay, status] = [number("max_retries"), number("retry_delay_ms"), number("error_status")]
  const words = [
    `attempt ${number("attempt") ?? "again"}`,
    ...(max === undefined ? [] : [` of ${max}`]),
    ...(delay === undefined ? [] : [` in ${Duration.format(Duration.seconds(Math.max(1, Math.round(delay / 1000))))}`]),
    `: ${textOf(message, "error") ?? "unknown"}`,
    ...(status === undefined ? [] : [` (HTTP status ${status})`]),
  ]
  return clip(visible(words.join("")), maxAttemptLength)
}

/** The blocks of a message, or of an entry of a transcript. */
export const blocksOf = (message: AgentMessage) => recordsOf(recordOf(message, "message"), "content")

/** Whether a message is of the agent itself, not of a sub-agent. */
const isMain = (message: AgentMessage): boolean => typeof message["parent_tool_use_id"] !== "string"

const delta = (message: AgentMessage): ReadonlyArray<McpEventContent> => {
  const piece = recordOf(recordOf(message, "event"), "delta")
  const text = textOf(piece, "text")
  return piece["type"] === "text_delta" && text !== undefined && isMain(message) ? [{ _tag: "TextDelta", text }] : []
}

const textsIn = (block: AgentMessage): string =>
  recordsOf(block, "content")
    .map((part) => textOf(part, "text") ?? `[${textOf(part, "type") ?? "data"}]`)
    .join("\n")

/** The `terminal_reason` of a complete turn. A turn without the model has none. */
const whole: ReadonlySet<unknown> = new Set(["completed", "stop_hook_prevented", undefined])

const end = (message: AgentMessage, needsNoModel: boolean, lastText: string): TurnResult => {
  const isSkipped = message["num_turns"] === 0 && !needsNoModel
  const isCut = !whole.has(message["terminal_reason"])
  const isError = message["is_error"] === true || isSkipped || isCut
  const text = textOf(message, "result") ?? ""
  const why = isSkipped ? skipped : reason(message)
  const said =
    message["is_error"] !== true && isCut ? [why, text].filter((one) => one !== "").join("\n\n") : text || why
  return { content: isError ? said : text || lastText, isError }
}

/**
 * The end of a turn with a schema. A value that Claude Code has found unfit is given all the same: its reader checks it, and asks
 * again.
 *
 * @param given the last value that the model gave
 */
const structured = (ended: TurnResult, output: OutputRoot, message: AgentMessage, given: unknown): TurnResult => {
  const isUnfit = message["subtype"] === unfit
  if (ended.isError && !isUnfit) return ended
  const value = output.inner(message["structured_output"] ?? given)
  const content = isUnfit || ended.content === "" ? jsonOf(value) : ended.content
  return { content, isError: false, ...(value === undefined ? {} : { structured: value }) }
}

/** A value as JSON; empty for one that is nested too deep for it. */
const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? ""
  } catch {
    return ""
  }
}

const skipped = "Claude Code did not send the prompt to its model."

const reason = (message: AgentMessage): string => {
  const errors = textsOf(message, "errors").filter((error) => !error.startsWith("[ede_diagnostic]"))
  if (errors.length > 0) return errors.join("\n")
  const ended = textOf(message, "terminal_reason") ?? textOf(message, "subtype") ?? "unknown"
  return ended.startsWith("aborted") ? "The turn was interrupted." : `The turn failed: ${ended}.`
}

/** What the models did since the result before, with sub-agents and calls that ended after it; an older version does not report it. */
const sinceOf = (message: AgentMessage) => {
  const models = recordOf(message, "model_usage_since_last_result")
  return Object.keys(models).map((model) => recordOf(models, model))
}

/** The tokens since the result before; an older version reports only those of its own turn. */
const usageOf = (message: AgentMessage): McpUsage | undefined => {
  const since = sinceOf(message)
  if (since.length > 0) return since.map(tokens).reduce(TokenUsage.sum)
  const usage = recordOf(message, "usage")
  const { cache_creation_input_tokens: cacheCreationInputTokens, cache_read_input_tokens: cacheReadInputTokens } = usage
  const { input_tokens: inputTokens, output_tokens: outputTokens } = usage
  if (typeof inputTokens !== "number" && typeof outputTokens !== "number") return undefined
  return tokens({ inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens })
}

const tokens = (counts: AgentMessage): McpUsage => {
  const [written, cached] = [countOf(counts, "cacheCreationInputTokens"), countOf(counts, "cacheReadInputTokens")]
  const read = TokenUsage.read({
    inputTokens: countOf(counts, "inputTokens") + written + cached,
    outputTokens: countOf(counts, "outputTokens"),
    cachedInputTokens: cached,
    cacheWriteInputTokens: written,
    reasoningTokens: countOf(counts, "thinkingTokens"),
  })
  return read ?? {}
}

/** Also after a resume, when `total_cost_usd` has the cost of the turns before. */
const costOf = (message: AgentMessage): number | undefined => {
  const costs = sinceOf(message).map(({ costUSD }) => costUSD)
  return costs.length > 0 && costs.every((cost) => typeof cost === "number")
    ? costs.reduce<number>((all, cost) => all + (cost as number), 0)
    : undefined
}

/** The context of a model, whose name may have a suffix in the table of all. */
const sizeOf = (models: AgentMessage, model: string): number => {
  const names = Object.keys(models)
  const name = names.find((one) => one === model) ?? names.find((one) => one.startsWith(model)) ?? ""
  return countOf(recordOf(models, name), "contextWindow")
}

const stopReasonOf = (message: AgentMessage, { content, isError }: TurnResult): McpStopReason | undefined => {
  if (message["subtype"] === "error_max_turns") return "max-turns"
  if (message["stop_reason"] === "refusal") return "refused"
  if (message["stop_reason"] === "max_tokens") return "max-tokens"
  if (textOf(message, "terminal_reason")?.startsWith("aborted")) return "interrupted"
  if (isError) return undefined
  return content === "" ? "no-text" : "completed"
}
