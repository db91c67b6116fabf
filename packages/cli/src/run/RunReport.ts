/**
 * Where a run is reported: as text, or as JSON.
 */
import type { McpApprovalEntry, McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpError } from "@zain/core/McpError"
import type { McpEvent } from "@zain/core/McpEvents"
import type { McpResponse } from "@zain/core/McpResponse"
import { isRecord } from "@zain/process/JsonRpc"
import type * as Effect from "effect/Effect"

/** An open session: its agent, directory (if known), and how long opening took. */
export interface Opened {
  readonly provider: string
  readonly sessionId: string
  readonly cwd?: string
  readonly millis: number
}

/** The outcome of a run, and its total time. */
export type Ending = { readonly millis: number } & (
  | { readonly _tag: "Result"; readonly response: McpResponse; readonly advice?: string }
  | { readonly _tag: "Error"; readonly error: McpError; readonly advice?: string }
  | { readonly _tag: "Interrupted" }
)

/**
 * Receives the steps of a run: `opened`, `event` and `end`, in this order.
 */
export interface Report {
  readonly opened: (opened: Opened) => Effect.Effect<void>
  readonly event: (event: McpEvent) => Effect.Effect<void>
  /** `--last` continues the thread from now on. */
  readonly stored: Effect.Effect<void>
  /** Shows a warning. */
  readonly warned: (message: string) => Effect.Effect<void>
  /** Reports a decision and its source. */
  readonly decided: (entry: McpApprovalEntry) => Effect.Effect<void>
  /** Shows a request; no other output appears until `use` has ended. */
  readonly question: <A, E, R>(request: McpApprovalRequest, use: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Reports the first Ctrl-C. */
  readonly interrupting: () => void
  readonly end: (ending: Ending) => Effect.Effect<void>
}

/** The message of an event that is a warning for people. */
export const warningIn = (event: McpEvent): string | undefined => {
  const params = event._tag === "Raw" && event.method === "warning" && isRecord(event.params) ? event.params : {}
  return typeof params["message"] === "string" ? params["message"] : undefined
}

/** The message after Ctrl-C. */
export const interrupting = (agent: string): string => `Interrupting ${agent}… Press Ctrl-C again to end at once.`
