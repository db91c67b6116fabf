/**
 * The interface to an agent's stored conversations.
 */
import type { AgentThreads } from "@zain/core/AgentConnection"
import type * as Effect from "effect/Effect"
import type { AgentError } from "./AgentError.ts"

/**
 * The stored conversations of an agent. Its operations fail with `unknown-thread` for a thread that it does not have, and
 * `change`, which waits for the thread's running and waiting turns, with `thread-held` while another process holds it. `cwd` of
 * `list` has no links. A copy has the record of its origin, and the record of a deleted thread is removed.
 */
export interface StoredThreads extends AgentThreads<AgentError> {
  /** The directory that a thread works in. */
  readonly placeOf: (threadId: string) => Effect.Effect<string, AgentError>
}
