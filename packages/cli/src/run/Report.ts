/**
 * Where a run is told as it goes on: people, or machines.
 */
import type { McpApprovalEntry, McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpError } from "@zain/core/McpError"
import type { McpEvent } from "@zain/core/McpEvents"
import type { McpResponse } from "@zain/core/McpResponse"
import type * as Effect from "effect/Effect"

/** A session that is open: whose, where (if that is known), and how long that took. */
export interface Opened {
  readonly provider: string
  readonly sessionId: string
  readonly cwd?: string
  readonly millis: number
}

/** What came of a run, and how long it took in all. */
export type Ending = { readonly millis: number } & (
  | { readonly _tag: "Result"; readonly response: McpResponse; readonly advice?: string }
  | { readonly _tag: "Error"; readonly error: McpError; readonly advice?: string }
  | { readonly _tag: "Interrupted" }
)

/**
 * - `opened`, `event`, `end`: what happens, in order
 */
export interface Report {
  readonly opened: (opened: Opened) => Effect.Effect<void>
  readonly event: (event: McpEvent) => Effect.Effect<void>
  /** What the agent may do or not, and who says so. */
  readonly decided: (entry: McpApprovalEntry) => Effect.Effect<void>
  /** Shows what the agent asks; nothing else is shown until `use` has ended. */
  readonly question: <A, E, R>(request: McpApprovalRequest, use: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Somebody wants it to end. */
  readonly interrupting: () => void
  readonly end: (ending: Ending) => Effect.Effect<void>
}

/** What people are told who have pressed Ctrl-C. */
export const interrupting = (agent: string): string => `Interrupting ${agent}… Press Ctrl-C again to end at once.`
