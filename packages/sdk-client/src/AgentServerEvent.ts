/**
 * Reads the agent server's notifications of a turn. Read without a schema for speed: there are many.
 */
import type { Answer } from "@zain/core/AgentConnection"
import type { BackgroundWork } from "@zain/core/McpBackground"
import type { McpEventContent } from "@zain/core/McpEvents"
import type { McpStopReason, McpUsage } from "@zain/core/McpResponse"
import { stopReasons } from "@zain/core/StopReason"
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

/** A complete event with its known members only; `undefined` if one is missing or has another type. */
const known = (event: Readonly<Record<string, unknown>>): McpEventContent | undefined => {
  const { _tag, input, isError, method, name, output, params, retrying, text, threadId, title, toolId } = event
  switch (_tag) {
    case "ThreadStarted":
      return isText(threadId) ? { _tag, threadId } : undefined
    case "TextDelta":
    case "Message":
      return typeof text === "string" ? { _tag, text } : undefined
    case "ToolStarted":
      return isText(toolId) && isText(name) && isText(title)
        ? { _tag, toolId, name, title, ...(input === undefined ? {} : { input }) }
        : undefined
    case "ToolFinished":
      return isText(toolId) && isText(name) && typeof isError === "boolean"
        ? { _tag, toolId, name, isError, ...(isText(output) ? { output } : {}) }
        : undefined
    case "BackgroundFinished": {
      const [work] = worksOf([event]) ?? []
      return work === undefined || typeof isError !== "boolean" ? undefined : { _tag, ...work, isError }
    }
    case "Usage": {
      const usage = usageOf(event)
      return usage === undefined ? undefined : { _tag, ...usage }
    }
    case "Heartbeat":
      return { _tag, ...(isText(retrying) ? { retrying } : {}) }
    case "Raw":
      return isText(method) ? { _tag, method, params } : undefined
    default:
      return undefined
  }
}

const isText = (value: unknown): value is string => typeof value === "string"
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
