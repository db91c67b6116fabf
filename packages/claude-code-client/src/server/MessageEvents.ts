/**
 * Converts Claude Code's messages beside its text and its tools to events.
 *
 * @see Claude Code 2.1.332: measured
 */
import type { AgentMessage } from "@zain/agent-server/AgentChannel"
import * as FileChanges from "@zain/agent-server/FileChanges"
import { countOf, recordOf, recordsOf, textOf, textsOf } from "@zain/agent-server/JsonMember"
import type { McpEventContent } from "@zain/core/McpEvents"
import { visibleLine } from "@zain/core/TerminalText"
import { clip, longestOutput } from "@zain/tool-server/Clip"

type Events = ReadonlyArray<McpEventContent>

/** Limits of the steps of a plan: their number, and the length of each. */
const [mostSteps, longestStep] = [100, 500]

/** What a message adds, with what earlier ones have said. */
export interface MessageEvents {
  /** The events of a system message or of a rate limit. */
  readonly ofSystem: (message: AgentMessage) => Events
  /** The events of what a tool has done, before its end. */
  readonly ofResult: (message: AgentMessage) => Events
  /** The sub-agent that a message is of. */
  readonly parentOf: (message: AgentMessage) => string | undefined
}

type Step = Extract<McpEventContent, { readonly _tag: "Plan" }>["steps"][number]

const states: Readonly<Record<string, Step["state"]>> = {
  pending: "pending",
  in_progress: "in-progress",
  completed: "completed",
}

/** Starts without sub-agents and without a plan. */
export const make = (): MessageEvents => {
  /** The sub-agents that work, by the calls that began them. */
  const agents = new Map<string, string>()
  const steps = new Map<string, Step>()

  const began = (message: AgentMessage): Events => {
    const agentId = textOf(message, "task_id")
    if (message["task_type"] !== "local_agent" || agentId === undefined) return []
    agents.set(textOf(message, "tool_use_id") ?? agentId, agentId)
    return [{ _tag: "SubagentStarted", agentId, title: clip(visibleLine(textOf(message, "description") ?? ""), 200) }]
  }
  const ended = (message: AgentMessage): Events => {
    const agentId = textOf(message, "task_id") ?? ""
    const [call] = [...agents].find(([, id]) => id === agentId) ?? []
    if (call === undefined) return []
    agents.delete(call)
    return [{ _tag: "SubagentFinished", agentId, isError: message["status"] !== "completed" }]
  }
  const bySubtype: Readonly<Record<string, (message: AgentMessage) => Events>> = {
    task_started: began,
    task_notification: ended,
    compact_boundary: compacted,
    model_fallback: fallback,
    model_refusal_fallback: fallback,
  }

  /** Tasks are made and changed one by one. */
  const planned = (result: AgentMessage): Events => {
    const task = recordOf(result, "task")
    const [id, text, taskId] = [textOf(task, "id"), textOf(task, "subject"), textOf(result, "taskId")]
    const step = taskId === undefined ? undefined : steps.get(taskId)
    if (id !== undefined && text !== undefined && steps.size < mostSteps) {
      steps.set(id, { text: clip(visibleLine(text), longestStep), state: "pending" })
    } else if (taskId !== undefined && step !== undefined) {
      const to = textOf(recordOf(result, "statusChange"), "to") ?? ""
      if (to === "deleted") steps.delete(taskId)
      else steps.set(taskId, { ...step, state: states[to] ?? step.state })
    } else return []
    return [{ _tag: "Plan", steps: [...steps.values()] }]
  }

  return {
    ofSystem: (message) =>
      message["type"] === "rate_limit_event"
        ? limits(message)
        : (bySubtype[textOf(message, "subtype") ?? ""]?.(message) ?? []),
    ofResult: (message) => {
      const result = recordOf(message, "tool_use_result")
      return [...changed(result), ...planned(result)]
    },
    parentOf: (message) => {
      const call = textOf(message, "parent_tool_use_id")
      return call === undefined ? undefined : (textOf(message, "agent_id") ?? agents.get(call))
    },
  }
}

const changed = (result: AgentMessage): Events => {
  const path = textOf(result, "filePath")
  if (path === undefined || !Array.isArray(result["structuredPatch"])) return []
  const isNew = result["type"] === "create"
  const diff = isNew ? FileChanges.whole("add", textOf(result, "content") ?? "") : hunks(result)
  return [{ _tag: "FileChanged", path, kind: isNew ? "add" : "update", diff: clip(diff, longestOutput) }]
}

const hunks = (result: AgentMessage): string =>
  recordsOf(result, "structuredPatch")
    .map((hunk) => {
      const place = `-${countOf(hunk, "oldStart")},${countOf(hunk, "oldLines")} +${countOf(hunk, "newStart")},${countOf(hunk, "newLines")}`
      return `@@ ${place} @@\n${textsOf(hunk, "lines")
        .map((line) => `${line}\n`)
        .join("")}`
    })
    .join("")

const compacted = (message: AgentMessage): Events => {
  const about = recordOf(message, "compact_metadata")
  const [before, after] = [countOf(about, "pre_tokens"), countOf(about, "post_tokens")]
  return [{ _tag: "Compacted", ...(before > 0 ? { before } : {}), ...(after > 0 ? { after } : {}) }]
}

const fallback = (message: AgentMessage): Events => {
  const [from, to] = [textOf(message, "original_model"), textOf(message, "fallback_model")]
  if (to === undefined) return []
  const why = textOf(message, "trigger") ?? "Claude Code chose it"
  return [{ _tag: "ModelChanged", ...(from === undefined ? {} : { from }), to, why }]
}

const limits = (message: AgentMessage): Events => {
  const windows = recordOf(recordOf(message, "rate_limit_info"), "unifiedWindows")
  return Object.keys(windows)
    .slice(0, 10)
    .flatMap((window): Events => {
      const { resetsAt, utilization } = recordOf(windows, window)
      if (typeof utilization !== "number") return []
      const reset = typeof resetsAt === "number" ? { resetsAt: resetsAt * 1000 } : {}
      return [{ _tag: "RateLimit", window, used: Math.round(utilization * 10_000) / 100, ...reset }]
    })
}
