/**
 * The state of a session's conversation between two turns, as a value.
 */
import type { Answer } from "@zain/core/AgentConnection"

/**
 * - `New`: the next prompt starts a conversation
 * - `Begun`: the next prompt continues it; without a thread id the MCP session identifies it
 * - `Cut`: a turn was cancelled, and it is not known yet whether a thread can continue; `threadId` is the one before that turn
 * - `Failed`, `Unnamed`: the conversation cannot continue, after a turn that failed or an answer without a thread id
 */
export type ThreadState =
  | { readonly _tag: "New" }
  | { readonly _tag: "Begun" | "Cut" | "Failed" | "Unnamed"; readonly threadId: string | undefined }

/** The members of a profile and its session that decide the next state. */
export interface ThreadRules {
  /** True if the MCP session itself carries the conversation. */
  readonly isSession: boolean
  /** True if the next prompt starts a conversation after a first turn that was cancelled before its thread was known. */
  readonly startsAnew: boolean
  readonly cancelKeepsConversation: boolean
  readonly failureKeepsConversation: boolean
  /** Returns the thread to continue after a cancelled turn, if it is known. */
  readonly interrupted: (threadId: string | undefined) => string | undefined
}

/** The state of a session without a turn. */
export const start: ThreadState = { _tag: "New" }

/** The thread that the next call continues. */
export const threadIdOf = (state: ThreadState): string | undefined =>
  state._tag === "New" ? undefined : state.threadId

/** The state after a cancelled turn. */
export const cut = (state: ThreadState, rules: ThreadRules): ThreadState => {
  const before = threadIdOf(state)
  if (rules.isSession) return { _tag: rules.cancelKeepsConversation ? "Begun" : "Cut", threadId: before }
  const threadId = rules.interrupted(before)
  return threadId === undefined ? { _tag: "Cut", threadId: before } : { _tag: "Begun", threadId }
}

/** The state before the next turn: the thread of a cancelled turn may be known by then. */
export const resumed = (state: ThreadState, rules: ThreadRules): ThreadState => {
  if (state._tag !== "Cut") return state
  const now = cut(state, rules)
  const isFirst = now._tag === "Cut" && now.threadId === undefined
  return isFirst && rules.startsAnew && !rules.isSession ? start : now
}

/** The state after an answer. */
export const answered = (state: ThreadState, { isError, threadId: named }: Answer, rules: ThreadRules): ThreadState => {
  const before = threadIdOf(state)
  if (isError && !rules.failureKeepsConversation) {
    return state._tag === "New" ? start : { _tag: "Failed", threadId: before }
  }
  const threadId = named ?? before
  if (rules.isSession || threadId !== undefined) return { _tag: "Begun", threadId }
  return isError ? start : { _tag: "Unnamed", threadId }
}
