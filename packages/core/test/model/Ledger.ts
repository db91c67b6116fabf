/** What happened in a run of the model, in order, by whoever saw it. */
import type { McpEvent } from "@zain/core/McpEvents"

/** What an agent does with a prompt. */
export const deeds = ["say", "tell", "fail", "hang", "die", "break"] as const
export type Deed = (typeof deeds)[number]

/**
 * Sessions and operations are numbered by the order of their calls. `isPrompt`: the call was made without a rest in
 * between, so that whatever is called later is later.
 *
 * - `opening`, `asked`, `closing`: an operation is called; `interrupting`: it is interrupted; `ended`: it said this
 * - `connected`, `released`: what a session holds
 * - `began`: the agent has the prompt; `sign`: it shows life; `finished`: its answer, or its failure, is there; `told`: it
 *   was told that nobody waits any more
 * - `died`: the agent of a session is gone
 * - `disposing`, `disposed`: the end of the client
 * - `settled`: nothing can happen by itself any more
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
  | { readonly what: "closing"; readonly operation: number; readonly session: number; readonly isPrompt: boolean }
  | { readonly what: "interrupting"; readonly operation: number }
  | { readonly what: "ended"; readonly operation: number; readonly said: string }
  | { readonly what: "connected" | "released" | "died"; readonly session: number }
  | { readonly what: "began" | "sign" | "finished" | "told"; readonly operation: number }
  | { readonly what: "event"; readonly session: number; readonly event: McpEvent }
  | { readonly what: "disposing" | "disposed" | "settled" }

/** An entry, and when. */
export type Dated = Entry & { readonly at: number }

export interface Ledger {
  readonly note: (entry: Entry) => void
  readonly entries: ReadonlyArray<Dated>
}

export const make = (now: () => number): Ledger => {
  const entries: Array<Dated> = []
  return { entries, note: (entry) => void entries.push({ ...entry, at: now() }) }
}
