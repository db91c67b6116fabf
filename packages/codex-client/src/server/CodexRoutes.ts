/**
 * Which turn receives a message of Codex: the one that began the work that the message is about. A thread may have several,
 * because work of a turn may go on during later ones.
 *
 * @see Codex 0.171 app-server: measured. A turn of a sub-agent names the root turn that it works for; a root turn names itself
 */
import { type JsonObject, recordOf, textOf, textsOf } from "@zain/agent-server/JsonMember"
import type { ToolAnswer } from "@zain/core/AgentConnection"
import type * as Effect from "effect/Effect"
import * as CodexApproval from "./CodexApproval.ts"

/** The listener of a turn and of all that it begins. Its members return immediately, except for `end`. */
export interface Route {
  /** Receives a notification of Codex. */
  readonly notification: (method: string, params: JsonObject) => void
  /** Receives a request for an approval, which must be answered with `reply` once. */
  readonly question: (question: CodexApproval.Question, reply: (result: unknown) => void) => void
  /** Receives a call of a tool of the client's own, which must be answered with `reply` once. */
  readonly tool: (params: JsonObject, reply: (answer: ToolAnswer) => void) => void
  /** The edits of a running item. */
  readonly editsOf: CodexApproval.EditsOf
  /** Whether a running command is known to be the turn's. */
  readonly hasCommand: (threadId: string, itemId: string) => boolean
  /** Ends the turn and all its work, and waits for their end. */
  readonly end: Effect.Effect<void>
}

/** The routes of one Codex. */
export interface CodexRoutes {
  /** Adds the newest turn of a thread; returns a function that removes it. */
  readonly place: (threadId: string, route: Route) => () => void
  /** The turn that receives a message. Each message must be passed once, in order. */
  readonly of: (method: string, params: JsonObject) => Route | undefined
  /** The turns of a thread. */
  readonly on: (threadId: string) => ReadonlyArray<Route>
  /** All turns. */
  readonly all: () => ReadonlyArray<Route>
}

/** The thread of a message. */
export const threadOf = (params: JsonObject): string | undefined =>
  CodexApproval.threadOf(params) ?? textOf(recordOf(params, "thread"), "id")

export const make = (): CodexRoutes => {
  const placed = new Map<string, ReadonlyArray<Route>>()
  /** Routes of turns, and of the threads of sub-agents. */
  const [ofTurns, ofAgents] = [new Map<string, Route>(), new Map<string, Route>()]

  const newest = (threadId: string) => placed.get(threadId)?.at(-1)
  const adopt = (threadId: string | undefined, route: Route) => {
    if (threadId !== undefined && !placed.has(threadId)) ofAgents.set(threadId, route)
  }
  const forget = (map: Map<string, Route>, route: Route) => {
    for (const [id, one] of map) if (one === route) map.delete(id)
  }
  return {
    place: (threadId, route) => {
      placed.set(threadId, [...(placed.get(threadId) ?? []), route])
      ofAgents.delete(threadId)
      return () => {
        const rest = (placed.get(threadId) ?? []).filter((one) => one !== route)
        if (rest.length > 0) placed.set(threadId, rest)
        else placed.delete(threadId)
        forget(ofTurns, route)
        forget(ofAgents, route)
      }
    },
    of: (method, params) => {
      const [threadId = "", turn, item] = [threadOf(params), recordOf(params, "turn"), recordOf(params, "item")]
      const turnId = textOf(turn, "id") ?? textOf(params, "turnId") ?? ""
      if (method === "turn/started") {
        const route = newest(threadId) ?? ofTurns.get(textOf(turn, "rootTurnId") ?? "") ?? ofAgents.get(threadId)
        if (route !== undefined) {
          ofTurns.set(turnId, route)
          adopt(threadId, route)
        }
      }
      const to = ofTurns.get(turnId) ?? newest(threadId) ?? ofAgents.get(threadId)
      if (to !== undefined) {
        for (const agent of textsOf(item, "receiverThreadIds")) adopt(agent, to)
        adopt(textOf(item, "agentThreadId"), to)
      }
      return to
    },
    on: (threadId) => placed.get(threadId) ?? [],
    all: () => [...placed.values()].flat(),
  }
}
