/**
 * What an agent's turn on a runner says to its caller and asks it: events, approvals, and calls of the caller's tools.
 */
import { randomUUID } from "node:crypto"
import { Replies } from "@zain/cluster-client/Replies"
import type { Item, Session } from "@zain/cluster-client/SessionEntity"
import * as SessionEntity from "@zain/cluster-client/SessionEntity"
import type { Turn } from "@zain/core/AgentConnection"
import * as McpApproval from "@zain/core/McpApproval"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Claim, HeldSession } from "./HeldSession.ts"
import type { TurnItems } from "./TurnItems.ts"

/** How often a sign of life crosses at most, in milliseconds. */
const maxBeatMillis = 1000

/** What the agent uses in one turn. `over` waits for the end of the work that goes on after its answer. */
export type CallerLink = (
  mine: Claim,
  session: Session,
  items: TurnItems,
) => { readonly turn: Turn; readonly over: Effect.Effect<void> }

/** Makes the link of a session that the runner holds. */
export const make = Effect.fnUntraced(function* (held: HeldSession) {
  const clock = yield* Clock.Clock
  const replies = yield* Replies

  /** What the agent uses while it works; `kept` counts work that goes on after the answer, and `over` reports its end. */
  const link: CallerLink = (mine, session, items) => {
    const { limits } = Redacted.value(session.configuration)
    const pause = Math.min(maxBeatMillis, limits.idleTimeout / 4)
    const over = Deferred.makeUnsafe<void>()
    /** Sends a question, and waits for the caller's reply. */
    const ask = (question: (id: string) => Item) =>
      Effect.suspend(() => {
        const id = randomUUID()
        return Effect.onInterrupt(
          replies.ask(session.owner, id, () => items.add(question(id))),
          () => Effect.sync(() => items.add({ _tag: "Withdrawn", id })),
        )
      })
    let [beatAt, kept] = [Number.NEGATIVE_INFINITY, 0]
    const turn: Turn = {
      beat: () => {
        const now = clock.currentTimeMillisUnsafe()
        if (now - beatAt < pause) return
        beatAt = now
        items.add({ _tag: "Beat" })
      },
      emit: (event) => {
        if (event._tag === "ThreadStarted") held.named(mine, event.threadId)
        items.emit("input" in event || "params" in event ? SessionEntity.jsonOf(event) : event)
      },
      approve: (request) =>
        Effect.map(
          ask((id) => ({ _tag: "Ask", id, request: SessionEntity.jsonOf(request) })),
          (reply) => (reply._tag === "ToolAnswer" ? McpApproval.decline() : McpApproval.reply(reply)),
        ),
      callTool: (name, args) =>
        Effect.map(
          ask((id) => ({ _tag: "Call", id, name, args: SessionEntity.jsonOf(args) })),
          (reply) => (reply._tag === "ToolAnswer" ? reply : { text: "The turn is over.", isError: true }),
        ),
      observed: () => true,
      keep: () => {
        kept++
        items.add({ _tag: "Keep" })
      },
      over: () => {
        items.add({ _tag: "Over" })
        if (--kept === 0) Deferred.doneUnsafe(over, Effect.void)
      },
      trace: session.trace && {
        context: session.trace,
        called: (tool, requestId) => items.add({ _tag: "Called", tool, requestId }),
        refused: (code) => items.add({ _tag: "Refused", code }),
      },
    }
    return { turn, over: Effect.suspend(() => (kept > 0 ? Deferred.await(over) : Effect.void)) }
  }

  return link
})
