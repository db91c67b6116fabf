/**
 * What Codex says during one turn: events for the listener, and the turn's end.
 *
 * @see Codex 0.169 app-server, `ServerNotification`
 */

import type { TurnResult } from "@zain/agent-server/Agent"
import { recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import type { McpEventContent } from "@zain/core/McpEvents"
import type { McpUsage } from "@zain/core/McpResponse"
import { clip } from "@zain/tool-server/Clip"
import { visible } from "@zain/tool-server/TerminalText"
import type { EditsOf } from "./CodexApproval.ts"
import * as CodexChanges from "./CodexChanges.ts"
import * as CodexItems from "./CodexItems.ts"
import * as CodexMessages from "./CodexMessages.ts"
import type { Params } from "./CodexServer.ts"

/**
 * - `event`: see `TurnListener`
 * - `kept`: the thread holds the prompt, whatever becomes of Codex
 * - `begun`: the turn can be interrupted from now on
 * - `trouble`: its model is out of reach, and Codex goes on trying
 * - `relief`: its model has said something
 * - `ended`: the turn is over. No event of it follows
 * - `finished`: something that was left has ended, maybe after the turn
 * - `twice`: a call begins under an id that the turn has seen before
 */
export interface ReaderListener {
  readonly event: (event: McpEventContent) => void
  readonly kept: () => void
  readonly begun: () => void
  readonly trouble: (message: string) => void
  readonly relief: () => void
  readonly ended: (result: TurnResult) => void
  readonly finished: () => void
  readonly twice: (id: string) => void
}

/**
 * - `named`: tells the turn's id, which Codex makes
 * - `notification`: what is said of the thread
 * - `editsOf`: what an item writes that has begun and not ended
 * - `programs`: calls under way that programs of a model make, by their items, and their threads
 * - `commands`, `subTurns`: what the turn began and has not ended: commands by their items, turns of sub-agents by their
 *   ids; and their threads
 */
export interface CodexTurnReader {
  readonly named: (turnId: string) => void
  readonly notification: (method: string, params: Params) => void
  readonly editsOf: EditsOf
  readonly programs: ReadonlyMap<string, string>
  readonly commands: ReadonlyMap<string, string>
  readonly subTurns: ReadonlyMap<string, string>
}

/** What only a model that can be reached makes a turn say. */
const signsOfLife: ReadonlySet<string> = new Set([
  "item/started",
  "item/agentMessage/delta",
  "item/plan/delta",
  "item/reasoning/summaryTextDelta",
  "item/reasoning/textDelta",
  "thread/tokenUsage/updated",
])

/** Items that Codex asks about, by the ids that its model gives to their calls. */
const calls: ReadonlySet<unknown> = new Set(["commandExecution", "fileChange", "mcpToolCall"])

/** How Codex names calls that a program of its model makes, and not the model itself. */
const ofProgram = "exec-"

/** A reader of a turn that has not begun. */
export const make = (listener: ReaderListener): CodexTurnReader => {
  let turnId: string | undefined
  /** Codex may say that a turn has begun, and more, before it answers with the turn's id. */
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

  /** What has begun and what has ended, of the turn and of its sub-agents. */
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
  /** Codex counts the tokens of a thread; those of the turn are what came on top. */
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

  /** An event of the turn itself, where there is one for it; `undefined` for what was told before. */
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
    // A turn that waits for a sub-agent is out of reach with it.
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

/** Codex has written a prompt down when its item is completed, and not when that begins. */
const isPrompt = (params: Params): boolean => recordOf(params, "item")["type"] === "userMessage"

/** What is said on the way, and a question that nobody waits for, is none. */
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

/** Why a turn failed, in Codex's words, and with the model's status where the words leave it out. */
const failure = (error: Params): string => {
  const message = textOf(error, "message") || "Codex says that its turn failed, and not why."
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

/** How much of an attempt is told, in characters. */
const longestAttempt = 500

const attemptOf = (error: Params): string => {
  const said = [textOf(error, "message"), textOf(error, "additionalDetails")].filter((text) => text !== undefined)
  return clip(visible(said.join(": ")), longestAttempt)
}

/** While it tries again, Codex counts its attempts in the message, and says the reason beside it. */
const reasonOf = (error: Params): string =>
  textOf(error, "additionalDetails") || textOf(error, "message") || "it did not say why"
