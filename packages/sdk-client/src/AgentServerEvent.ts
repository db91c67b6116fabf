/**
 * Reads the agent server's notifications of a turn. Read without a schema for speed: there are many.
 */
import type { Answer } from "@zain/core/AgentConnection"
import type { FailedTurnCause } from "@zain/core/FailedTurn"
import type { BackgroundWork } from "@zain/core/McpBackground"
import { clip } from "@zain/core/McpError"
import type { McpEventContent } from "@zain/core/McpEvents"
import type { McpStopReason, McpUsage } from "@zain/core/McpResponse"
import { stopReasons } from "@zain/core/StopReason"
import { visibleLine } from "@zain/core/TerminalText"
import * as TokenUsage from "@zain/core/TokenUsage"
import { isRecord, type JsonRpcNotification } from "@zain/process/JsonRpc"

const eventMethod = "zain/event"

/** The event of a notification. An unreadable one becomes `Raw`; `notifications/progress` is the server's heartbeat. */
export const read = ({ method, params }: JsonRpcNotification): McpEventContent => {
  if (method === "notifications/progress") return { _tag: "Heartbeat" }
  const event = method === eventMethod && isRecord(params) ? params["event"] : undefined
  return (isRecord(event) ? known(event) : undefined) ?? { _tag: "Raw", method, params }
}

/** The id of the thread that a notification belongs to. */
export const threadOf = ({ method, params }: JsonRpcNotification): string | undefined => {
  if (method !== eventMethod || !isRecord(params) || !isRecord(params["_meta"])) return undefined
  const { threadId } = params["_meta"]
  return typeof threadId === "string" ? threadId : undefined
}

/** The valid token counts of `value`; `undefined` if there is none. */
export const usageOf = (value: unknown): McpUsage | undefined => (isRecord(value) ? TokenUsage.read(value) : undefined)

/** What the metadata of a result reports of the end of its turn. Members of another type are ignored. */
export const endOf = (meta: Readonly<Record<string, unknown>>): Partial<Answer> => {
  const { "zain/context": context, "zain/cost": cost, "zain/stop-reason": stopReason } = meta
  const { size, used } = isRecord(context) ? context : {}
  return {
    ...(isCount(used) && isCount(size) && size > 0 ? { context: { used, size } } : {}),
    ...(typeof cost === "number" && Number.isFinite(cost) ? { cost } : {}),
    ...(isStopReason(stopReason) ? { stopReason } : {}),
  }
}

/** The longest wait for a reset that is read, in milliseconds: 400 days. */
const maxWaitMillis = 400 * 24 * 3_600_000

/** The longest name of a limit, in bytes. */
const maxWindowBytes = 100

/** The cause of a failed turn that the metadata of its result reports. */
export const causeOf = ({ "zain/cause": cause }: Readonly<Record<string, unknown>>): FailedTurnCause | undefined => {
  if (!isRecord(cause) || cause["_tag"] !== "RateLimited") return undefined
  const { retryAfter, window } = cause
  return {
    _tag: "RateLimited",
    ...(isNumber(retryAfter) && retryAfter >= 0 && retryAfter <= maxWaitMillis ? { retryAfter } : {}),
    ...(isText(window) ? { window: clip(visibleLine(window), maxWindowBytes) } : {}),
  }
}

const isStopReason = (value: unknown): value is McpStopReason => stopReasons.some((one) => one === value)

/** The background work that `value` lists; `undefined` if it is not a list of such work, or an empty one. */
export const worksOf = (value: unknown): ReadonlyArray<BackgroundWork> | undefined => {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const works = value.flatMap((work): ReadonlyArray<BackgroundWork> => {
    const { kind, title, workId } = isRecord(work) ? work : {}
    return isText(workId) && isText(title) && (kind === "command" || kind === "sub-agent")
      ? [{ workId, kind, title }]
      : []
  })
  return works.length === value.length ? works : undefined
}

/** The answer of a turn whose background work goes on. */
export const answered = ({ method, params }: JsonRpcNotification): unknown =>
  method === "zain/answered" && isRecord(params) ? params["result"] : undefined

/** Whether a value has the type of a member. */
type Is = (value: unknown) => boolean

const isText = (value: unknown): value is string => typeof value === "string"
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const isFlag: Is = (value) => typeof value === "boolean"
const isNumber = (value: unknown): value is number => Number.isFinite(value)
const isAny: Is = () => true
const isOneOf =
  (...words: ReadonlyArray<string>): Is =>
  (value) =>
    words.some((word) => word === value)
const isStep: Is = (value) =>
  isRecord(value) && isText(value["text"]) && isOneOf("pending", "in-progress", "completed")(value["state"])

/** The members of an event: those that it must have, and those that are left out when they have another type. */
interface Members {
  readonly needs?: Readonly<Record<string, Is>>
  readonly may?: Readonly<Record<string, Is>>
}

/** The events that an agent server sends with these members; `Usage` and `BackgroundFinished` are read apart. */
const members: { readonly [Tag in McpEventContent["_tag"]]?: Members } = {
  ThreadStarted: { needs: { threadId: isText } },
  Message: { needs: { text: isText } },
  ToolStarted: { needs: { toolId: isText, name: isText, title: isText }, may: { input: isAny } },
  ToolFinished: { needs: { toolId: isText, name: isText, isError: isFlag }, may: { output: isText } },
  CommandOutput: { needs: { toolId: isText, text: isText } },
  FileChanged: {
    needs: { path: isText, kind: isOneOf("add", "update", "delete", "move"), diff: isText },
    may: { movedTo: isText },
  },
  Reasoning: { needs: { text: isText } },
  Plan: { needs: { steps: (value) => Array.isArray(value) && value.every(isStep) } },
  SubagentStarted: { needs: { agentId: isText, title: isText } },
  SubagentFinished: { needs: { agentId: isText, isError: isFlag } },
  Compacted: { may: { before: isCount, after: isCount } },
  ModelChanged: { needs: { to: isText, why: isText }, may: { from: isText } },
  RateLimit: { needs: { window: isText, used: isNumber }, may: { resetsAt: isNumber } },
  ServerFailed: { needs: { name: isText, message: isText } },
  Heartbeat: { may: { retrying: isText } },
  Raw: { needs: { method: isText }, may: { params: isAny } },
}

/** A complete event with its known members only; `undefined` if one is missing or has another type. */
const known = (event: Readonly<Record<string, unknown>>): McpEventContent | undefined => {
  const { _tag, isError, parent, text } = event
  // Nearly every event is one.
  if (_tag === "TextDelta" && isText(text)) return { _tag, text }
  if (_tag === "BackgroundFinished") {
    const [work] = worksOf([event]) ?? []
    return work === undefined || typeof isError !== "boolean" ? undefined : { _tag, ...work, isError }
  }
  if (_tag === "Usage") {
    const usage = usageOf(event)
    return usage === undefined ? undefined : { _tag, ...usage }
  }
  const kind = isText(_tag) && Object.hasOwn(members, _tag) ? members[_tag as keyof typeof members] : undefined
  if (kind === undefined) return undefined
  const read: Record<string, unknown> = { _tag }
  for (const name in kind.needs) {
    if (kind.needs[name]?.(event[name]) !== true) return undefined
    read[name] = event[name]
  }
  for (const name in kind.may) {
    if (event[name] !== undefined && kind.may[name]?.(event[name]) === true) read[name] = event[name]
  }
  if (isText(parent)) read["parent"] = parent
  return read as McpEventContent
}
