/**
 * What a client hears of a call while it is under way.
 *
 * @see Model Context Protocol 2025-11-25, progress
 */
import type { McpApprovalDecision, McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpEventContent } from "@zain/core/McpEvents"
import * as CallNotices from "@zain/tool-server/CallNotices"
import type { CallExtra } from "@zain/tool-server/ToolServer"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/**
 * - `started`: the thread can be gone on with, by the name that the client has for it
 * - `event`: what the agent does
 * - `asked`, `decided`: the agent's question to the client, and its answer
 * - `beat`: says something whenever nothing else was said for a while
 * - `end`: nothing is said any more; waits until what was said is on its way
 */
export interface TurnNotifications {
  readonly started: (threadId: string) => void
  readonly event: (event: McpEventContent) => void
  readonly asked: (request: McpApprovalRequest) => void
  readonly decided: (decision: McpApprovalDecision) => void
  readonly beat: Effect.Effect<never>
  readonly end: Effect.Effect<void>
}

/**
 * - `wantsEvents`: whether the client asked for the full events at `initialize`
 * - `heartbeat`: the longest silence
 */
export interface Options {
  readonly wantsEvents: boolean
  readonly heartbeat: Duration.Duration
}

/** The report of one call. */
export const make = (
  { requestId, ...extra }: Pick<CallExtra, "_meta" | "requestId" | "sendNotification">,
  { heartbeat, wantsEvents }: Options,
): Effect.Effect<TurnNotifications> =>
  Effect.map(CallNotices.make(extra, heartbeat), ({ beat, end, progress, progressToken, send }) => {
    const place: Record<string, unknown> = { requestId, ...(progressToken === undefined ? {} : { progressToken }) }
    let hasStreamed = false

    const visible = (message: string | undefined) => {
      if (!wantsEvents && message !== undefined) progress(message)
    }
    const full = (event: McpEventContent) => {
      if (wantsEvents) send("zain/event", { _meta: { ...place }, event })
    }
    const words = (event: McpEventContent): string | undefined => {
      switch (event._tag) {
        case "TextDelta":
          hasStreamed = true
          return event.text
        case "Message": {
          const isNew = !hasStreamed
          hasStreamed = false
          return isNew ? event.text : undefined
        }
        case "Heartbeat":
          return event.retrying === undefined ? undefined : `Retries: ${event.retrying}`
        case "ToolStarted":
          return event.title
        case "ToolFinished":
          return `${event.name} ${event.isError ? "failed" : "finished"}`
        default:
          return undefined
      }
    }

    return {
      started: (threadId) => {
        place["threadId"] = threadId
        full({ _tag: "ThreadStarted", threadId })
        visible(`Thread ${threadId}`)
      },
      event: (event) => {
        full(event)
        visible(words(event))
      },
      asked: ({ message }) => visible(`Asks: ${message}`),
      decided: (decision) => visible(decision._tag === "Decline" ? `Declined: ${decision.reason}` : "Approved"),
      beat:
        progressToken !== undefined
          ? beat(progress)
          : wantsEvents
            ? beat(() => full({ _tag: "Heartbeat" }))
            : Effect.never,
      end,
    }
  })
