/** The conversations that parrots have stored. */
import type { PeerObservation } from "@zain/contract-tests"
import type { AgentThreads } from "@zain/core/AgentConnection"
import type { McpError } from "@zain/core/McpError"
import type { McpThread, McpThreadTurn } from "@zain/core/McpThreads"
import { Effect, Semaphore } from "effect"

/** A conversation: its prompts, and the client that holds it, whose sessions take turns. */
export interface Conversation {
  readonly threadId: string
  readonly heard: Array<string>
  readonly turns: Array<McpThreadTurn>
  readonly order: Semaphore.Semaphore
  readonly sessions: Set<object>
  client: object | undefined
  title: string | undefined
  isArchived: boolean
  /** How many turns any parrot had taken when this one took its last. */
  changed: number
}

/** The stored conversations, which outlive every client. */
export interface Nest {
  readonly record: PeerObservation.PeerRecord
  readonly conversations: Map<string, Conversation>
  /** How many turns the parrots have taken. */
  taken: number
}

interface Refusals {
  readonly forgotten: McpError
  readonly taken: McpError
}

/** @param client the client, which alone may change the conversations of its sessions */
export const make = ({ conversations }: Nest, client: object, { forgotten, taken }: Refusals): AgentThreads => {
  const find = (threadId: string) => {
    const found = conversations.get(threadId)
    return found === undefined || found.turns.length === 0 ? Effect.fail(forgotten) : Effect.succeed(found)
  }
  return {
    list: ({ archived, cursor = "0", cwd, limit }) => {
      const all = [...conversations.values()].filter(
        ({ isArchived, turns }) => turns.length > 0 && isArchived === archived && (cwd ?? perch) === perch,
      )
      const from = Number(cursor)
      const threads = all.toSorted((one, other) => other.changed - one.changed).slice(from, from + limit)
      const next = from + limit < all.length ? { next: String(from + limit) } : {}
      return Effect.succeed({ threads: threads.map(described), ...next })
    },
    read: (threadId, { cursor = "0", limit }) =>
      Effect.map(find(threadId), ({ turns }) => {
        const from = Number(cursor)
        return {
          turns: turns.slice(from, from + limit),
          ...(from + limit < turns.length ? { next: String(from + limit) } : {}),
        }
      }),
    fork: (threadId, turn) =>
      Effect.map(find(threadId), (origin) => {
        const last = origin.turns.findIndex((one) => one.turn === turn)
        const end = turn === undefined ? origin.turns.length : last + 1
        const id = crypto.randomUUID()
        const turns = origin.turns.slice(0, end)
        const heard = turns.map(({ prompt }) => prompt)
        const fresh = { order: Semaphore.makeUnsafe(1), sessions: new Set<object>(), client: undefined }
        conversations.set(id, { ...origin, ...fresh, threadId: id, heard, turns })
        return id
      }),
    change: (threadId, change) =>
      Effect.flatMap(find(threadId), (conversation) => {
        if (conversation.sessions.size > 0 && conversation.client !== client) return Effect.fail(taken)
        if (change.action === "rename") conversation.title = change.title
        else if (change.action === "delete") conversations.delete(threadId)
        else conversation.isArchived = change.action === "archive"
        return Effect.void
      }),
  }
}

const perch = "/perch"

const described = ({ changed, isArchived, threadId, title, turns }: Conversation): McpThread => ({
  ...{ threadId, cwd: perch, updatedAt: changed, isArchived },
  ...(title === undefined ? {} : { title }),
  ...(turns[0] === undefined ? {} : { firstPrompt: turns[0].prompt }),
})
