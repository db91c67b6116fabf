/** What happened in a run of the model, in order. */
import type { McpEvent } from "@zain/core/McpEvents"

/** What an agent does with a prompt. */
export const deeds = ["say", "tell", "use", "fail", "hang", "die", "break"] as const
export type Deed = (typeof deeds)[number]

/**
 * Sessions and operations are numbered by the order of their calls. `isPrompt`: the call runs without yielding, so that
 * later calls take effect later.
 *
 * - `opening`, `asked`, `closing`: an operation is called; `interrupting`: it is interrupted; `ended`: its outcome
 * - `connected`, `released`: the resources of a session
 * - `began`: the agent has the prompt; `sign`: it emits an event or a heartbeat; `finished`: it has answered or failed;
 *   `notified`: it was aborted or interrupted
 * - `died`: the agent of a session has exited
 * - `disposing`, `disposed`: the end of the client
 * - `beside`: an operation beside the turns is called; `forked`: the agent has copied a conversation
 * - `ran`: the session's own tool has run for this execute
 * - `took`: the agent has received the text of a steer
 * - `settled`: no task is ready
 */
export type Entry =
  | { readonly what: "opening"; readonly operation: number; readonly session: number }
  | {
      readonly what: "asked"
      readonly operation: number
      readonly session: number
      readonly deed: Deed
      readonly due: number
      readonly isPrompt: boolean
    }
  | { readonly what: "beside"; readonly operation: number; readonly session: number; readonly how: "steer" | "fork" }
  | { readonly what: "closing"; readonly operation: number; readonly session: number; readonly isPrompt: boolean }
  | { readonly what: "interrupting"; readonly operation: number }
  | { readonly what: "ended"; readonly operation: number; readonly said: string }
  | { readonly what: "connected" | "released" | "died"; readonly session: number }
  | { readonly what: "began" | "sign" | "finished" | "notified"; readonly operation: number }
  | { readonly what: "forked" | "took" | "ran"; readonly operation: number }
  | { readonly what: "event"; readonly session: number; readonly event: McpEvent }
  | { readonly what: "disposing" | "disposed" | "settled" }

/** An entry with its time, in milliseconds. */
export type Dated = Entry & { readonly at: number }

export interface Ledger {
  readonly note: (entry: Entry) => void
  readonly entries: ReadonlyArray<Dated>
}

export const make = (now: () => number): Ledger => {
  const entries: Array<Dated> = []
  return { entries, note: (entry) => void entries.push({ ...entry, at: now() }) }
}
