/**
 * The states of a connection to an editor, and how one becomes another:
 * `Idle → Connecting → Ready ⇄ Away → Closed`.
 */
import type { DomainError } from "../../domain/DomainError.ts"
import type { Hello } from "../../domain/EditorProfile.ts"

/** Why a connection ended: the editor closed it, is reloading or quitting, or sent what cannot be read. */
export type Loss = "lost" | "reloading" | "quitting" | "garbage"

/**
 * - `Idle`: nothing has asked for it
 * - `Connecting`: it was never open; `failure` is what the last attempt came to
 * - `Ready`: the editor answers
 * - `Away`: it was open and is not; `since` in milliseconds of the clock
 * - `Closed`: its Scope has ended
 */
export type LinkState =
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Connecting"; readonly failure?: DomainError }
  | { readonly _tag: "Ready"; readonly hello: Hello }
  | { readonly _tag: "Away"; readonly since: number; readonly loss: Loss; readonly failure?: DomainError }
  | { readonly _tag: "Closed" }

/** What happens to a connection. */
export type LinkEvent =
  | { readonly _tag: "Opening" }
  | { readonly _tag: "Opened"; readonly hello: Hello }
  | { readonly _tag: "Failed"; readonly failure: DomainError }
  | { readonly _tag: "Lost"; readonly at: number; readonly loss: Loss }
  | { readonly _tag: "Close" }

export const idle: LinkState = { _tag: "Idle" }

/** The next state. What does not fit a state leaves it as it is. */
export const next = (state: LinkState, event: LinkEvent): LinkState => {
  if (state._tag === "Closed") return state
  switch (event._tag) {
    case "Opening":
      return state._tag === "Idle" ? { _tag: "Connecting" } : state
    case "Opened":
      return { _tag: "Ready", hello: event.hello }
    case "Failed":
      if (state._tag === "Ready") return state
      return state._tag === "Away"
        ? { ...state, failure: event.failure }
        : { _tag: "Connecting", failure: event.failure }
    case "Lost":
      return state._tag === "Ready" ? { _tag: "Away", since: event.at, loss: event.loss } : state
    case "Close":
      return { _tag: "Closed" }
  }
}

/**
 * Until when calls wait for an editor that was there, in milliseconds of the clock; 0 where none waits.
 *
 * @param grace how long, in milliseconds
 */
export const waitsUntil = (state: LinkState, grace: number): number =>
  state._tag === "Away" && state.loss !== "quitting" ? state.since + grace : 0
