/**
 * Where the conversation of a session stands between two turns, as a value.
 */
import type { Answer } from "@zain/core/AgentConnection"

/**
 * - `New`: the next prompt starts a conversation
 * - `Begun`: the next prompt continues it; a server without thread ids knows it by the session
 * - `Cut`: a turn was cut short, and the conversation that it left behind is not known yet
 * - `Failed`: there is none to continue
 */
export type ThreadState =
  | { readonly _tag: "New" }
  | { readonly _tag: "Begun" | "Cut" | "Failed"; readonly threadId: string | undefined }

/**
 * What of a profile and its session decides.
 *
 * - `isSession`: the MCP session itself carries the conversation
 * - `startsAnew`: the next prompt starts a conversation where a cut turn has left none behind
 * - `interrupted`: the thread that a cut turn has left behind, if it is known
 */
export interface ThreadRules {
  readonly isSession: boolean
  readonly startsAnew: boolean
  readonly cancelKeepsConversation: boolean
  readonly failureKeepsConversation: boolean
  readonly interrupted: (threadId: string | undefined) => string | undefined
}

export const start: ThreadState = { _tag: "New" }

/** The thread that a call continues. */
export const threadIdOf = (state: ThreadState): string | undefined =>
  state._tag === "New" ? undefined : state.threadId

/** After a turn that was cut short, as far as is known by now. */
export const cut = (state: ThreadState, rules: ThreadRules): ThreadState => {
  const before = threadIdOf(state)
  if (rules.isSession) return { _tag: rules.cancelKeepsConversation ? "Begun" : "Cut", threadId: before }
  const threadId = rules.interrupted(before)
  return { _tag: threadId === undefined ? "Cut" : "Begun", threadId }
}

/** Before the next turn: what a cut turn has left behind may be known now. */
export const resumed = (state: ThreadState, rules: ThreadRules): ThreadState => {
  if (state._tag !== "Cut") return state
  const now = cut(state, rules)
  return now._tag === "Cut" && rules.startsAnew && !rules.isSession ? start : now
}

/** After an answer. */
export const answered = (state: ThreadState, { isError, threadId: named }: Answer, rules: ThreadRules): ThreadState => {
  const before = threadIdOf(state)
  if (isError && !rules.failureKeepsConversation) {
    return state._tag === "New" ? start : { _tag: "Failed", threadId: before }
  }
  const threadId = named ?? before
  if (rules.isSession || threadId !== undefined) return { _tag: "Begun", threadId }
  return isError ? start : { _tag: "Failed", threadId }
}
