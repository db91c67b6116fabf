/**
 * Notifications to a client while its call is running.
 *
 * @see Model Context Protocol 2025-11-25, progress
 */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { clip, maxOutputLength } from "@zain/command/Clip"
import type { McpApprovalDecision, McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpEventContent } from "@zain/core/McpEvents"
import { visibleLine } from "@zain/core/TerminalText"
import * as CallNotices from "@zain/tool-server/CallNotices"
import type { RequestContext } from "@zain/tool-server/Peer"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TurnActivity from "./TurnActivity.ts"

/** The notifications of one call. */
export interface TurnNotifications {
  /** The turn has come to this stage. */
  readonly stage: (stage: TurnActivity.TurnStage) => void
  /** The thread can be continued, by this id. */
  readonly started: (threadId: string) => void
  /** An action of the agent. */
  readonly event: (event: McpEventContent) => void
  /** The agent's request for an approval. */
  readonly asked: (request: McpApprovalRequest) => void
  /** The decision on that request; `undefined` for one that was withdrawn. */
  readonly decided: (decision: McpApprovalDecision | undefined) => void
  /** The turn has this result, and its background work goes on. */
  readonly answered: (result: CallToolResult) => void
  /** Sends a heartbeat whenever nothing was sent for a while, and something is open. */
  readonly beat: Effect.Effect<never>
  /** Sends nothing from now on; succeeds when all notifications have been sent. */
  readonly end: Effect.Effect<void>
}

/** Options of the notifications. */
export interface Options {
  /** Whether the client declared `zain/events` at `initialize`. */
  readonly wantsEvents: boolean
  /** The longest silence. */
  readonly heartbeat: Duration.Duration
  /** How long a silent agent is presumed to wait for its model. */
  readonly modelSilence: Duration.Duration
}

/** Limit of a line about an event, in characters. */
const maxLineLength = 500

const line = (text: string) => clip(visibleLine(text), maxLineLength)

/** Makes the notifications of one call. */
export const make = (
  context: Pick<RequestContext, "_meta" | "notify" | "requestId">,
  { heartbeat, modelSilence, wantsEvents }: Options,
): Effect.Effect<TurnNotifications> =>
  Effect.zipWith(CallNotices.make(context, heartbeat), Clock.Clock, (notices, clock) => {
    const { beat, end, progress, progressToken, send } = notices
    const now = () => clock.currentTimeMillisUnsafe()
    const place: Record<string, unknown> = {
      requestId: context.requestId,
      ...(progressToken === undefined ? {} : { progressToken }),
    }
    let hasStreamed = false
    let activity = TurnActivity.start
    /** When the agent sent its last message. */
    let heard = 0
    const silence = Duration.toMillis(modelSilence)
    const whileOpen = (something: () => void) => () => {
      if (TurnActivity.isOpen(activity, now() - heard < silence)) something()
    }
    const become = (next: TurnActivity.TurnActivity) => {
      activity = next
      heard = now()
    }
    const asking = (more: number) => become({ ...activity, questions: activity.questions + more })

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
        case "FileChanged":
          return line(`${event.kind} ${event.path}${event.movedTo === undefined ? "" : ` to ${event.movedTo}`}`)
        case "Plan":
          return clip(event.steps.map(({ state, text }) => `${state}: ${text}`).join("\n"), maxOutputLength)
        case "SubagentStarted":
          return event.title
        case "ModelChanged":
          return line(`Another model answers: ${event.to} (${event.why})`)
        case "ServerFailed":
          return line(`The MCP server ${event.name} did not start: ${event.message}`)
        case "BackgroundFinished":
          return `${event.title} ${event.isError ? "failed" : "finished"}`
        case "ToolFinished":
          return `${event.name} ${event.isError ? "failed" : "finished"}`
        default:
          return undefined
      }
    }

    return {
      stage: (stage) => become({ ...activity, stage }),
      started: (threadId) => {
        place["threadId"] = threadId
        full({ _tag: "ThreadStarted", threadId })
        visible(`Thread ${threadId}`)
      },
      event: (event) => {
        become(TurnActivity.after(activity, event))
        full(event)
        visible(words(event))
      },
      asked: ({ message }) => {
        asking(1)
        visible(`Asks: ${message}`)
      },
      decided: (decision) => {
        asking(-1)
        if (decision === undefined) return
        if (decision._tag === "Decline") return visible(`Declined: ${decision.reason}`)
        visible(decision._tag === "Answer" ? "Answered" : "Approved")
      },
      answered: (result) => send("zain/answered", { _meta: { ...place }, result }),
      beat:
        progressToken !== undefined
          ? beat(whileOpen(() => progress()))
          : wantsEvents
            ? beat(whileOpen(() => full({ _tag: "Heartbeat" })))
            : Effect.never,
      end,
    }
  })
