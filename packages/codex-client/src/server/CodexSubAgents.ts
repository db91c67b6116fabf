/**
 * The parent threads of sub-agents. A turn of a sub-agent names the root turn that it works for; a root turn names itself.
 *
 * @see Codex 0.169 app-server: measured
 */
import { textOf } from "@zain/agent-server/JsonMember"

/** The sub-agents of one Codex. */
export interface CodexSubAgents {
  /** Receives every notification of a thread that may contain a turn. */
  readonly observe: (method: string, threadId: string, turn: Readonly<Record<string, unknown>>) => void
  /** The thread that a sub-agent's thread works for. */
  readonly parentOf: (threadId: string) => string | undefined
  /** The thread is unloaded. */
  readonly forget: (threadId: string) => void
}

/** Limit of sub-agents; the oldest is removed first. */
const mostParents = 4096

export const make = (): CodexSubAgents => {
  const parents = new Map<string, string>()
  /** Running root turns, and their threads. */
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
    observe: (method, threadId, turn) => {
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
