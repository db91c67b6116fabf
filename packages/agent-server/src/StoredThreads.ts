/**
 * The interface to an agent's stored conversations.
 */
import type { ThreadChange } from "@zain/core/AgentConnection"
import type { McpThreadPage, McpThreadQuery, McpThreadTurns, McpTurnQuery } from "@zain/core/McpThreads"
import type * as Effect from "effect/Effect"
import type { AgentError } from "./AgentError.ts"

/** The stored conversations of an agent. Its operations fail with `unknown-thread` for a thread that it does not have. */
export interface StoredThreads {
  /** Lists threads, those that changed last first. `cwd` has no links. */
  readonly list: (
    query: McpThreadQuery & Required<Pick<McpThreadQuery, "archived" | "limit">>,
  ) => Effect.Effect<McpThreadPage, AgentError>
  /** The directory that a thread works in. */
  readonly placeOf: (threadId: string) => Effect.Effect<string, AgentError>
  /** Reads turns, oldest first. */
  readonly read: (
    threadId: string,
    query: McpTurnQuery & Required<Pick<McpTurnQuery, "limit">>,
  ) => Effect.Effect<McpThreadTurns, AgentError>
  /** Copies a thread up to a turn, or whole, with its record, and returns the id of the copy. */
  readonly fork: (threadId: string, turn: string | undefined) => Effect.Effect<string, AgentError>
  /**
   * Changes a thread after its running and waiting turns. Fails with `thread-held` while another process holds it. The record
   * of a deleted thread is removed.
   */
  readonly change: (threadId: string, change: ThreadChange) => Effect.Effect<void, AgentError>
}
