/**
 * The state of a thread in one Codex process, as a value. A thread without a state is not loaded.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { CodexSettings } from "./CodexSettings.ts"

/**
 * - `Loaded`: needs no `thread/resume`, and has the settings of its turns
 * - `Leaving`: is unsubscribed; `closed` succeeds when Codex has unloaded it
 */
export type CodexThreadState =
  | { readonly _tag: "Loaded"; readonly settings: CodexSettings }
  | { readonly _tag: "Leaving"; readonly closed: Deferred.Deferred<void> }

/** The state after `thread/start` or `thread/resume`. */
export const loaded = (settings: CodexSettings): CodexThreadState => ({ _tag: "Loaded", settings })

/** The state from before `thread/unsubscribe`. */
export const leaving = (): CodexThreadState & { readonly _tag: "Leaving" } => ({
  _tag: "Leaving",
  closed: Deferred.makeUnsafe(),
})

/** Codex has unloaded the thread. */
export const closed = (state: CodexThreadState | undefined): void => {
  if (state?._tag === "Leaving") Deferred.doneUnsafe(state.closed, Effect.void)
}

/** The settings of a loaded thread. */
export const settingsOf = (state: CodexThreadState | undefined): CodexSettings | undefined =>
  state?._tag === "Loaded" ? state.settings : undefined
