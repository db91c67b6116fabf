/**
 * Reads the messages of Codex about one turn and its work: events for the listener, and the result.
 *
 * @see Codex 0.169 app-server, `ServerNotification`
 */

import * as AccountLimits from "@zain/agent-server/AccountLimits"
import { type JsonObject, recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import type { TurnResult } from "@zain/agent-server/ServedAgent"
import { clip } from "@zain/command/Clip"
import type { McpEventContent } from "@zain/core/McpEvents"
import { visible } from "@zain/core/TerminalText"
import type { EditsOf } from "./CodexApproval.ts"
import * as CodexChanges from "./CodexChanges.ts"
import * as CodexEvents from "./CodexEvents.ts"
import * as CodexItems from "./CodexItems.ts"
import * as CodexMessages from "./CodexMessages.ts"
import * as CodexProcesses from "./CodexProcesses.ts"
import * as CodexTokens from "./CodexTokens.ts"
import * as CodexWork from "./CodexWork.ts"

/** Receives a turn. */
export interface ReaderListener {
  /** See `TurnListener`. */
  readonly event: (event: McpEventContent) => void
  /** The thread has stored the prompt. */
  readonly kept: () => void
  /** The turn can be interrupted from now on. */
  readonly begun: () => void
  /** The model is unreachable, and Codex retries. */
  readonly trouble: (message: string) => void
  /** The model has answered. */
  readonly relief: () => void
  /** The work has changed. */
  readonly changed: () => void
  /** A turn of a thread has ended, and no other one of it is running. */
  readonly idle: (threadId: string) => void
  /** A call starts with an id that the turn has used before. */
  readonly twice: (id: string) => void
}

/** The reader of one turn. */
export interface CodexTurnReader {
  /** Expects these sub-agents, which never began, no longer. */
  readonly withoutAgents: (gone: ReadonlyArray<string>) => void
  /** Codex has forgotten these commands, whose ends it did not report. */
  readonly withoutCommands: (gone: ReadonlyArray<CodexWork.Call>) => void
  /** Codex has ended, and with it the work that was kept. */
  readonly lost: () => void
  /** Codex has accepted the turn. */
  readonly accepted: (turnId: string) => void
  /** Reads a notification of the turn's thread or of its sub-agents. */
  readonly notification: (method: string, params: JsonObject) => void
  /** The edits of a running item. */
  readonly editsOf: EditsOf
  /** The work of the turn. */
  readonly work: () => CodexWork.CodexWork
  /** Looks which ended commands of threads without a running turn have processes; those are work until they have none. */
  readonly look: () => void
  /** Codex did not start the next turn for the thread's goal. */
  readonly withoutGoal: () => void
  /** Emits `BackgroundFinished` for work that ends from now on. */
  readonly keep: () => void
  /** The result, once the agent has answered. */
  readonly result: () => TurnResult
}

/** Notifications that have events here. `CodexEvents` has others. */
export const read = [
  "item/agentMessage/delta",
  "item/started",
  "item/completed",
  "thread/tokenUsage/updated",
  "error",
  CodexEvents.rateLimits,
] as const

/** Notifications that prove that the model is reachable. */
const signsOfLife: ReadonlySet<string> = new Set([
  "item/started",
  "item/agentMessage/delta",
  "item/plan/delta",
  "item/reasoning/summaryTextDelta",
  "item/reasoning/textDelta",
  "thread/tokenUsage/updated",
])

export const make = (ownThread: string, listener: ReaderListener): CodexTurnReader => {
  let work = CodexWork.start(ownThread)
  let isKeeping = false
  let last: JsonObject = {}
  let content: string | undefined
  let aside: string | undefined
  /** All calls so far: it only grows, and would be copied as a part of the work. */
  const used = new Set<string>()
  /** The sub-agents that work. */
  const running = new Set<string>()
  const limits = AccountLimits.make()
  /** Ended commands that may have processes. */
  const ended = new Set<CodexWork.Call>()
  const changes = CodexChanges.make()
  const messages = CodexMessages.make()
  const usage = CodexTokens.make(ownThread)

  const become = (next: CodexWork.CodexWork) => {
    if (next === work) return
    const before = work
    work = next
    for (const threadId of new Set(before.turns.values())) {
      if (!CodexWork.isIdle(before, threadId) && CodexWork.isIdle(work, threadId)) listener.idle(threadId)
    }
    const isIdle = CodexWork.ageOf(work, ownThread) > 0 && CodexWork.isIdle(work, ownThread)
    if (!before.hasGoal && work.hasGoal && isIdle) listener.idle(ownThread)
    listener.changed()
  }
  /** The work after a look at the processes of ended commands. */
  const looked = (next: CodexWork.CodexWork): CodexWork.CodexWork => {
    const idle = [...ended].filter(({ threadId }) => CodexWork.isIdle(next, threadId))
    const alive = new Set(CodexProcesses.alive(idle))
    for (const one of idle) if (!alive.has(one)) ended.delete(one)
    return idle.reduce((before, one) => CodexWork.looked(before, one, alive.has(one)), next)
  }
  /** @param isError whether work that has ended failed */
  const move = (next: CodexWork.CodexWork, isError: boolean) => {
    const before = isKeeping ? CodexWork.left(work) : []
    become(next)
    if (!isKeeping) return
    const after = new Set(CodexWork.left(work).map(({ workId }) => workId))
    for (const one of before)
      if (!after.has(one.workId)) listener.event({ _tag: "BackgroundFinished", ...one, isError })
  }
  /** Records the start and the end of work. */
  const account = (method: string, params: JsonObject) => {
    const item = recordOf(params, "item")
    const next = CodexWork.after(work, method, params)
    const call = CodexWork.callOf(method, params)
    const isTwice = call !== undefined && used.has(call)
    if (call !== undefined) used.add(call)
    const threadId = textOf(params, "threadId") ?? ownThread
    if (isTwice) listener.twice(textOf(item, "id") ?? "")
    if (method === "item/started" && item["type"] === "fileChange") changes.begun(threadId, item)
    if (method === "item/completed") changes.ended(threadId, textOf(item, "id") ?? "")
    const isError =
      method === "turn/completed" ? recordOf(params, "turn")["status"] !== "completed" : CodexItems.isError(item)
    if (next.calls !== work.calls) {
      const going = new Set(CodexWork.commandsOf(next))
      for (const one of CodexWork.commandsOf(work)) if (!going.has(one)) ended.add(one)
    }
    move(method === "item/completed" || method === "turn/completed" ? looked(next) : next, isError)
  }
  /** Commentary is the answer only of a turn without another message. */
  const said = (item: JsonObject) => {
    const text = textOf(item, "text") ?? ""
    if (item["type"] !== "agentMessage" || item["delivery"] === "async" || text === "") return
    if (item["phase"] === "commentary") aside = text
    else content = text
  }
  const counted = (params: JsonObject): McpEventContent => ({ _tag: "Usage", ...usage.counted(params) })

  /** The events of a notification; `undefined` for one that is emitted as it is. Messages of a sub-agent are not the agent's. */
  const eventsOf = (method: string, params: JsonObject, isOwn: boolean): ReadonlyArray<McpEventContent> | undefined => {
    const item = recordOf(params, "item")
    const isMessage = item["type"] === "agentMessage"
    switch (method) {
      case "item/agentMessage/delta": {
        if (!isOwn) return undefined
        const text = messages.delta(textOf(params, "itemId") ?? "", textOf(params, "delta") ?? "")
        return text === "" ? [] : [{ _tag: "TextDelta", text }]
      }
      case "item/started":
        return list(CodexItems.started(item))
      case "item/completed": {
        if (isMessage && !isOwn) return undefined
        if (isMessage && !messages.completed(textOf(item, "id") ?? "", textOf(item, "text") ?? "")) return []
        const [outcome, finished] = [CodexItems.outcome(item), list(CodexItems.finished(item))]
        return outcome.length === 0 ? finished : [...outcome, ...(finished ?? [])]
      }
      case "thread/tokenUsage/updated":
        if (isOwn) messages.counted()
        return [counted(params)]
      case "error":
        if (isOwn) messages.cut()
        return undefined
      case CodexEvents.rateLimits:
        return limits.changed(CodexEvents.limitsOf(params))
      default: {
        const events = CodexEvents.byMethod.get(method)?.(params) ?? []
        return events.length === 0 ? undefined : events
      }
    }
  }

  /** Reports sub-agents that begin, or begin again, and those that end. */
  const agentsOf = (method: string, params: JsonObject, before: CodexWork.CodexWork) => {
    const at = textOf(params, "threadId") ?? ownThread
    const begin = (agentId: string, parent: object) => {
      if (running.has(agentId)) return
      running.add(agentId)
      listener.event({ _tag: "SubagentStarted", agentId, title: work.agents.get(agentId) ?? "", ...parent })
    }
    const parent = at === ownThread ? {} : { parent: at }
    if (work.agents !== before.agents) {
      for (const agentId of work.agents.keys()) if (!before.agents.has(agentId)) begin(agentId, parent)
    }
    if (!work.agents.has(at)) return
    if (method === "turn/started") begin(at, {})
    if (method === "turn/completed") finish([at], recordOf(params, "turn")["status"] !== "completed")
  }
  const finish = (agents: Iterable<string>, isError: boolean) => {
    for (const agentId of agents) {
      if (running.delete(agentId)) listener.event({ _tag: "SubagentFinished", agentId, isError })
    }
  }

  const notification: CodexTurnReader["notification"] = (method, params) => {
    const turnId = textOf(params, "turnId")
    const isOwn = (textOf(params, "threadId") ?? ownThread) === ownThread
    // A loaded thread reports the tokens of its last turn.
    if (turnId !== undefined && !work.known.has(turnId)) return listener.event({ _tag: "Raw", method, params })
    if (isOwn && method === "item/completed") said(recordOf(params, "item"))
    if (isOwn && (signsOfLife.has(method) ? !isPrompt(params) : method === "item/completed")) listener.kept()
    const parent = textOf(params, "threadId") ?? ""
    for (const event of eventsOf(method, params, isOwn) ?? [{ _tag: "Raw" as const, method, params }]) {
      listener.event(isOwn || event._tag === "Usage" ? event : { ...event, parent })
    }
    // A model that a sub-agent reaches is reachable.
    if (signsOfLife.has(method)) listener.relief()
    if (method === "error" && params["willRetry"] === true) {
      const error = recordOf(params, "error")
      listener.trouble(reasonOf(error))
      listener.event({ _tag: "Heartbeat", retrying: attemptOf(error) })
    }
    if (isOwn && method === "turn/started") listener.begun()
    if (isOwn && method === "turn/completed") {
      last = recordOf(params, "turn")
      if (content === undefined) for (const item of recordsOf(last, "items")) said(item)
    }
    const before = work
    account(method, params)
    agentsOf(method, params, before)
  }

  return {
    withoutAgents: (gone) => {
      become(CodexWork.withoutAgents(work, gone))
      finish(gone, true)
    },
    withoutCommands: (gone) => {
      for (const { id, threadId } of gone) {
        notification("item/completed", { threadId, item: { type: "commandExecution", id, status: "failed" } })
      }
    },
    lost: () => {
      finish([...running], true)
      if (isKeeping) {
        for (const one of CodexWork.left(work)) listener.event({ _tag: "BackgroundFinished", ...one, isError: true })
      }
      isKeeping = false
    },
    accepted: (turnId) => become(CodexWork.accepted(work, turnId)),
    notification,
    editsOf: changes.of,
    look: () => move(looked(work), false),
    work: () => work,
    withoutGoal: () => become(CodexWork.withoutGoal(work)),
    keep: () => {
      isKeeping = true
    },
    result: () => {
      const [total, context] = [usage.total(), usage.context()]
      return {
        ...outcome(last, content ?? aside ?? ""),
        ...(isLimited(last) ? { limit: limits.usedUp() ?? {} } : {}),
        ...(total === undefined ? {} : { usage: total }),
        ...(context === undefined ? {} : { context }),
      }
    },
  }
}

const list = (event: McpEventContent | undefined) => (event === undefined ? undefined : [event])

/** Codex has stored a prompt when its item is completed, not when it starts. */
const isPrompt = (params: JsonObject): boolean => recordOf(params, "item")["type"] === "userMessage"

const outcome = (turn: JsonObject, content: string): TurnResult => {
  if (turn["status"] === "completed") {
    return { content, isError: false, stopReason: content === "" ? "no-text" : "completed" }
  }
  if (turn["status"] === "interrupted") {
    return { content: "The turn was interrupted.", isError: true, stopReason: "interrupted" }
  }
  const why = failure(recordOf(turn, "error"))
  // Codex has no other name for it.
  const isCut = why.includes("reason: max_output_tokens")
  return { content: why, isError: true, ...(isCut ? { stopReason: "max-tokens" } : {}) }
}

/** Whether a limit of the account has ended a turn. */
const isLimited = (turn: JsonObject): boolean => {
  const { codexErrorInfo: info } = recordOf(turn, "error")
  const isNamed = info === "usageLimitExceeded" || info === "rateLimitExceeded"
  return turn["status"] === "failed" && (isNamed || statusesOf(info).includes(429))
}

/** Why a turn failed: Codex's message, with the HTTP status if the message lacks it. */
const failure = (error: JsonObject): string => {
  const message = textOf(error, "message") || "Codex reported a failed turn without a reason."
  const [status] = statusesOf(error["codexErrorInfo"])
  const details = textOf(error, "additionalDetails")
  return [
    message,
    ...(details === undefined || message.includes(details) ? [] : [details]),
    ...(status === undefined || message.includes(String(status)) ? [] : [`(HTTP ${status})`]),
  ].join(" ")
}

/** The HTTP statuses in `codexErrorInfo`. */
const statusesOf = (info: unknown): ReadonlyArray<number> =>
  Object.values(recordOf({ info }, "info")).flatMap((one) => {
    const status = recordOf({ one }, "one")["httpStatusCode"]
    return typeof status === "number" ? [status] : []
  })

/** Limit of the description of a retry, in characters. */
const maxAttemptLength = 500

const attemptOf = (error: JsonObject): string => {
  const said = [textOf(error, "message"), textOf(error, "additionalDetails")].filter((text) => text !== undefined)
  return clip(visible(said.join(": ")), maxAttemptLength)
}

/** While Codex retries, `message` counts the attempts, and `additionalDetails` has the reason. */
const reasonOf = (error: JsonObject): string =>
  textOf(error, "additionalDetails") || textOf(error, "message") || "no reason given"
