/**
 * Which threads are of sub-agents, and for which threads they work. A turn of a sub-agent names the turn that it works for,
 * and that one names itself.
 *
 * @see Codex 0.169 app-server: measured
 */
import { textOf } from "@zain/agent-server/JsonMember"

/**
 * - `told`: receives every notification of a thread that may hold a turn
 * - `parentOf`: the thread that a thread works for
 * - `forget`: the thread is unloaded
 */
export interface CodexSubAgents {
  readonly told: (method: string, threadId: string, turn: Readonly<Record<string, unknown>>) => void
  readonly parentOf: (threadId: string) => string | undefined
  readonly forget: (threadId: string) => void
}

/** More sub-agents than this are forgotten. */
const mostParents = 4096

/** None. */
export const make = (): CodexSubAgents => {
  const parents = new Map<string, string>()
  /** Turns under way that no other turn has begun, and their threads. */
  const roots = new Map<string, string>()

  const adopt = (id: string, parent: string) => {
    parents.set(id, parent)
    const [oldest] = parents.keys()
    if (parents.size > mostParents && oldest !== undefined) parents.delete(oldest)
  }
  return {
    parentOf: (threadId) => parents.get(threadId),
    forget: (threadId) => {
      parents.delete(threadId)
      for (const [id, thread] of roots) if (thread === threadId) roots.delete(id)
    },
    told: (method, threadId, turn) => {
      const [id, root] = [textOf(turn, "id"), textOf(turn, "rootTurnId")]
      if (id === undefined || root === undefined) return
      if (method === "turn/completed") roots.delete(id)
      if (method !== "turn/started") return
      const parent = roots.get(root)
      if (id === root) roots.set(id, threadId)
      else if (parent !== undefined && parent !== threadId) adopt(threadId, parent)
    },
  }
}
