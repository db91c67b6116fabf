/**
 * Converts Claude Code's messages beside its text and its tools to events.
 *
 * @see Claude Code 2.1.332: measured
 */
import * as AccountLimits from "@zain/agent-server/AccountLimits"
import type { AgentMessage } from "@zain/agent-server/AgentChannel"
import * as FileChanges from "@zain/agent-server/FileChanges"
import { countOf, recordOf, recordsOf, textOf, textsOf } from "@zain/agent-server/JsonMember"
import * as PlanSteps from "@zain/agent-server/PlanSteps"
import { clip, maxOutputLength } from "@zain/command/Clip"
import type { McpEventContent } from "@zain/core/McpEvents"
import { visibleLine } from "@zain/core/TerminalText"
import { isWriter } from "./ClaudeCodeEdits.ts"

type Events = ReadonlyArray<McpEventContent>

/** What a message adds, with what earlier ones have said. */
export interface MessageEvents {
  /** The events of a system message or of a rate limit; none for a limit that has not changed. */
  readonly ofSystem: (message: AgentMessage) => Events
  /** The events of what a tool has done, before its end. */
  readonly ofResult: (message: AgentMessage, tool: string) => Events
  /** The limit of the account that rejects requests, as far as it is known. */
  readonly limit: () => AccountLimits.AccountLimit
  /** The sub-agent that a message is of. */
  readonly parentOf: (message: AgentMessage) => string | undefined
}

/** The tools that change the plan. */
const planning = new Set(["TaskCreate", "TaskUpdate"])

/** The steps of a plan by their ids, which outlive a turn. */
export type Steps = Map<string, PlanSteps.PlanStep>

/** Starts without sub-agents. */
export const make = (steps: Steps): MessageEvents => {
  /** The sub-agents, by the calls that began them, and those that work. */
  const agents = new Map<string, string>()
  const working = new Set<string>()

  const began = (message: AgentMessage): Events => {
    const agentId = textOf(message, "task_id")
    if (message["task_type"] !== "local_agent" || agentId === undefined) return []
    agents.set(textOf(message, "tool_use_id") ?? agentId, agentId)
    working.add(agentId)
    return [{ _tag: "SubagentStarted", agentId, title: clip(visibleLine(textOf(message, "description") ?? ""), 200) }]
  }
  const ended = (message: AgentMessage): Events => {
    const agentId = textOf(message, "task_id") ?? ""
    if (!working.delete(agentId)) return []
    return [{ _tag: "SubagentFinished", agentId, isError: message["status"] !== "completed" }]
  }
  const limits = AccountLimits.make()
  let rejecting: AccountLimits.AccountLimit = {}
  const limited = (message: AgentMessage): Events => {
    const info = recordOf(message, "rate_limit_info")
    rejecting =
      info["status"] === "rejected" ? { window: textOf(info, "rateLimitType"), resetsAt: info["resetsAt"] } : {}
    return limits.changed(limitsOf(info))
  }
  const bySubtype: ReadonlyMap<unknown, (message: AgentMessage) => Events> = new Map([
    ["task_started", began],
    ["task_notification", ended],
    ["compact_boundary", compacted],
    ["model_fallback", fallback],
    ["model_refusal_fallback", fallback],
  ])

  /** Tasks are made and changed one by one. */
  const planned = (result: AgentMessage): Events => {
    const task = recordOf(result, "task")
    const [id, text, taskId] = [textOf(task, "id"), textOf(task, "subject"), textOf(result, "taskId")]
    const step = taskId === undefined ? undefined : steps.get(taskId)
    if (id !== undefined && text !== undefined && !steps.has(id) && steps.size < PlanSteps.maxSteps) {
      steps.set(id, PlanSteps.make(text))
    } else if (taskId !== undefined && step !== undefined) {
      const to = textOf(recordOf(result, "statusChange"), "to") ?? ""
      if (to === "deleted") steps.delete(taskId)
      else steps.set(taskId, { ...step, state: PlanSteps.stateOf(to) ?? step.state })
    } else return []
    return [{ _tag: "Plan", steps: [...steps.values()] }]
  }

  return {
    ofSystem: (message) =>
      message["type"] === "rate_limit_event" ? limited(message) : (bySubtype.get(message["subtype"])?.(message) ?? []),
    ofResult: (message, tool) => {
      const result = recordOf(message, "tool_use_result")
      return isWriter(tool) ? changed(result) : planning.has(tool) ? planned(result) : []
    },
    limit: () => rejecting,
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
  return [{ _tag: "FileChanged", path, kind: isNew ? "add" : "update", diff: clip(diff, maxOutputLength) }]
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

const fallback = (message: AgentMessage): Events =>
  AccountLimits.modelChanged(
    textOf(message, "original_model"),
    textOf(message, "fallback_model"),
    textOf(message, "trigger") ?? "Claude Code chose it",
  )

const limitsOf = (info: AgentMessage): ReadonlyArray<AccountLimits.AccountLimit> => {
  const windows = recordOf(info, "unifiedWindows")
  return Object.keys(windows).map((window) => {
    const { resetsAt, utilization } = recordOf(windows, window)
    const used = typeof utilization === "number" ? Math.round(utilization * 10_000) / 100 : undefined
    return { window, used, resetsAt }
  })
}
