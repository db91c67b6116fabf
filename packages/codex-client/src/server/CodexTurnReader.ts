/**
 * Reads the messages of Codex during one turn: events for the listener, and the turn's end.
 *
 * @see Codex 0.169 app-server, `ServerNotification`
 */

import type { TurnResult } from "@zain/agent-server/Agent"
import { recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import type { McpEventContent } from "@zain/core/McpEvents"
import type { McpUsage } from "@zain/core/McpResponse"
import { visible } from "@zain/core/TerminalText"
import { clip } from "@zain/tool-server/Clip"
import type { EditsOf } from "./CodexApproval.ts"
import * as CodexChanges from "./CodexChanges.ts"
import * as CodexItems from "./CodexItems.ts"
import * as CodexMessages from "./CodexMessages.ts"
import type { Params } from "./CodexServer.ts"

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
  /** The turn is over. No event of it follows. */
  readonly ended: (result: TurnResult) => void
  /** A command or sub-agent of the turn has ended, maybe after the turn. */
  readonly finished: () => void
  /** A call starts with an id that the turn has used before. */
  readonly twice: (id: string) => void
}

/** The reader of one turn. */
export interface CodexTurnReader {
  /** Sets the turn's id, which Codex makes. */
  readonly named: (turnId: string) => void
  /** Reads a notification of the thread. */
  readonly notification: (method: string, params: Params) => void
  /** The edits of a running item. */
  readonly editsOf: EditsOf
  /** Running calls of the model's programs, by their items, and their threads. */
  readonly programs: ReadonlyMap<string, string>
  /** Running commands of the turn, by their items, and their threads. */
  readonly commands: ReadonlyMap<string, string>
  /** Running turns of sub-agents, by their ids, and their threads. */
  readonly subTurns: ReadonlyMap<string, string>
}

/** Notifications that prove that the model is reachable. */
const signsOfLife: ReadonlySet<string> = new Set([
  "item/started",
  "item/agentMessage/delta",
  "item/plan/delta",
  "item/reasoning/summaryTextDelta",
  "item/reasoning/textDelta",
  "thread/tokenUsage/updated",
])

/** Items that require approvals, whose ids the model chooses. */
const calls: ReadonlySet<unknown> = new Set(["commandExecution", "fileChange", "mcpToolCall"])

/** Prefix of the ids of calls that a program of the model makes. */
const ofProgram = "exec-"

export const make = (listener: ReaderListener): CodexTurnReader => {
  let turnId: string | undefined
  /** Notifications that arrive before the response with the turn's id. */
  let early: Array<readonly [method: string, params: Params]> = []
  let isOver = false
  let content: string | undefined
  let usage: McpUsage | undefined
  let before: Tokens | undefined
  const changes = CodexChanges.make()
  const messages = CodexMessages.make()
  const begun = new Set<string>()
  const programs = new Map<string, string>()
  const commands = new Map<string, string>()
  const subTurns = new Map<string, string>()

  /** Records the start and the end of calls and sub-agents. */
  const account = (method: string, params: Params, isOwn: boolean) => {
    const item = recordOf(params, "item")
    const id = textOf(item, "id") ?? textOf(recordOf(params, "turn"), "id")
    const threadId = textOf(params, "threadId")
    if (id === undefined || threadId === undefined) return
    if (method === "item/started" && calls.has(item["type"])) {
      const call = [threadId, textOf(params, "turnId"), id].join(" ")
      if (begun.has(call)) listener.twice(id)
      begun.add(call)
      if (id.startsWith(ofProgram)) programs.set(id, threadId)
    }
    if (method === "item/started" && item["type"] === "fileChange") changes.begun(threadId, item)
    if (method === "item/started" && item["type"] === "commandExecution") commands.set(id, threadId)
    if (method === "turn/started" && !isOwn) subTurns.set(id, threadId)
    if (method === "item/completed") changes.ended(threadId, id)
    if (method === "item/completed" && programs.delete(id)) listener.finished()
    if (method === "item/completed" && commands.delete(id)) listener.finished()
    if (method === "turn/completed" && subTurns.delete(id)) listener.finished()
  }
  const said = (item: Params) => {
    if (item["type"] === "agentMessage" && isAnswer(item)) content = textOf(item, "text") ?? ""
  }
  /** The tokens of the turn: the increase of the thread's count. */
  const counted = (tokenUsage: Params): McpEventContent => {
    const total = tokensOf(recordOf(tokenUsage, "total"))
    const last = tokensOf(recordOf(tokenUsage, "last"))
    before ??= { input: total.input - last.input, output: total.output - last.output }
    usage = {
      inputTokens: Math.max(0, total.input - before.input),
      outputTokens: Math.max(0, total.output - before.output),
    }
    return { _tag: "Usage", ...usage }
  }

  /** The event of a notification of the turn itself; `undefined` for a repetition. */
  const eventOf = (method: string, params: Params): McpEventContent | undefined => {
    const raw: McpEventContent = { _tag: "Raw", method, params }
    const item = recordOf(params, "item")
    switch (method) {
      case "item/agentMessage/delta": {
        const text = messages.delta(textOf(params, "itemId") ?? "", textOf(params, "delta") ?? "")
        return text === "" ? undefined : { _tag: "TextDelta", text }
      }
      case "item/started":
        return CodexItems.started(item) ?? raw
      case "item/completed": {
        const isMessage = item["type"] === "agentMessage"
        const isNew = !isMessage || messages.completed(textOf(item, "id") ?? "", textOf(item, "text") ?? "")
        return isNew ? (CodexItems.finished(item) ?? raw) : undefined
      }
      case "thread/tokenUsage/updated":
        messages.counted()
        return counted(recordOf(params, "tokenUsage"))
      case "error":
        messages.cut()
        return raw
      default:
        return raw
    }
  }

  const end = (turn: Params) => {
    isOver = true
    for (const item of recordsOf(turn, "items")) if (content === undefined) said(item)
    listener.ended({ ...outcome(turn, content ?? ""), ...(usage === undefined ? {} : { usage }) })
  }

  const take = (method: string, params: Params) => {
    const of = textOf(recordOf(params, "turn"), "id") ?? textOf(params, "turnId")
    const isOwn = of === turnId
    account(method, params, isOwn)
    if (isOver) return
    if (isOwn && method === "item/completed") said(recordOf(params, "item"))
    if (isOwn && (signsOfLife.has(method) ? !isPrompt(params) : method === "item/completed")) listener.kept()
    const event: McpEventContent | undefined = isOwn ? eventOf(method, params) : { _tag: "Raw", method, params }
    if (event !== undefined) listener.event(event)
    // A model that a sub-agent reaches is reachable.
    if (signsOfLife.has(method)) listener.relief()
    if (method === "error" && params["willRetry"] === true) {
      const error = recordOf(params, "error")
      listener.trouble(reasonOf(error))
      listener.event({ _tag: "Heartbeat", retrying: attemptOf(error) })
    }
    if (!isOwn) return
    if (method === "turn/started") listener.begun()
    if (method === "turn/completed") end(recordOf(params, "turn"))
  }

  return {
    named: (id) => {
      turnId = id
      for (const [method, params] of early) take(method, params)
      early = []
    },
    notification: (method, params) => {
      if (turnId === undefined) early.push([method, params])
      else take(method, params)
    },
    editsOf: changes.of,
    programs,
    commands,
    subTurns,
  }
}

/** Codex has stored a prompt when its item is completed, not when it starts. */
const isPrompt = (params: Params): boolean => recordOf(params, "item")["type"] === "userMessage"

/** Commentary and asynchronous questions are not the answer. */
const isAnswer = ({ delivery, phase }: Params): boolean => phase !== "commentary" && delivery !== "async"

interface Tokens {
  readonly input: number
  readonly output: number
}

const tokensOf = (record: Params): Tokens => ({
  input: countOf(record["inputTokens"]),
  output: countOf(record["outputTokens"]),
})

const countOf = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : 0)

const outcome = (turn: Params, content: string): TurnResult => {
  if (turn["status"] === "completed") return { content, isError: false }
  if (turn["status"] === "interrupted") return { content: "The turn was interrupted.", isError: true }
  return { content: failure(recordOf(turn, "error")), isError: true }
}

/** Why a turn failed: Codex's message, with the HTTP status if the message lacks it. */
const failure = (error: Params): string => {
  const message = textOf(error, "message") || "Codex reported a failed turn without a reason."
  const [status] = Object.values(recordOf(error, "codexErrorInfo")).flatMap((info) => statusOf(info))
  const details = textOf(error, "additionalDetails")
  return [
    message,
    ...(details === undefined || message.includes(details) ? [] : [details]),
    ...(status === undefined || message.includes(String(status)) ? [] : [`(HTTP ${status})`]),
  ].join(" ")
}

const statusOf = (info: unknown): ReadonlyArray<number> => {
  const status = recordOf({ info }, "info")["httpStatusCode"]
  return typeof status === "number" ? [status] : []
}

/** Limit of the description of a retry, in characters. */
const longestAttempt = 500

const attemptOf = (error: Params): string => {
  const said = [textOf(error, "message"), textOf(error, "additionalDetails")].filter((text) => text !== undefined)
  return clip(visible(said.join(": ")), longestAttempt)
}

/** While Codex retries, `message` counts the attempts, and `additionalDetails` has the reason. */
const reasonOf = (error: Params): string =>
  textOf(error, "additionalDetails") || textOf(error, "message") || "no reason given"
