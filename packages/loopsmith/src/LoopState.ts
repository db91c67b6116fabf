/**
 * The loop as a state machine: a value that can be drawn, and tested without a clock. A server runs one for each call, a
 * loop one for each run.
 *
 * @see seed, state diagram
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { events, states } from "./SeedWords.ts"

export { events, states }
/**
 * The English name of a state of a loop or a tool call, such as `ParsingAnswer`. `states` explains each, and has its
 * Japanese name in the diagram of LoopSmith's specification.
 */
export type LoopState = keyof typeof states
/**
 * The English name of an event of the state machine, such as `answered`: what moves a loop or a tool call to its next
 * state. `events` explains each, and has its label, often Japanese, in the diagram of LoopSmith's specification.
 */
export type LoopStateEvent = keyof typeof events

/** `Idle`: a loop starts here, and returns here after its end. */
export const initial: LoopState = "Idle"

/** Every transition of the state machine; those of an outer state hold in its nested states as `within` explains. */
export const edges: ReadonlyArray<readonly [from: LoopState, event: LoopStateEvent, to: LoopState]> = [
  ["Idle", "connected", "Connecting"],
  ["Connecting", "initialized", "Initialized"],
  ["Initialized", "called", "RunningTool"],
  ["RunningTool", "evaluationAsked", "Evaluating"],
  ["Evaluating", "agentStarted", "RunningAgent"],
  ["RunningAgent", "answered", "ParsingAnswer"],
  ["ParsingAnswer", "parsed", "Scoring"],
  ["Scoring", "belowTarget", "NeedsWork"],
  ["Scoring", "targetReached", "Passed"],
  ["NeedsWork", "suggested", "Suggesting"],
  ["Suggesting", "continued", "Initialized"],
  ["Passed", "sessionEnded", "Idle"],
  ["Evaluating", "failed", "HandlingError"],
  ["HandlingError", "retryable", "Retrying"],
  ["HandlingError", "notRetryable", "Failed"],
  ["Retrying", "backedOff", "Evaluating"],
  ["Failed", "errorAnswered", "Idle"],
]

/**
 * The outer state of each nested state, such as `Evaluating` of `RunningAgent`. An event that leaves the outer state is
 * valid in its nested states too: `failed` is valid in `RunningAgent` and in `ParsingAnswer`.
 */
export const within: Partial<Readonly<Record<LoopState, LoopState>>> = {
  RunningAgent: "Evaluating",
  ParsingAnswer: "Evaluating",
}

/**
 * The state after an event.
 *
 * @param state the state before the event; a nested one also takes the events that leave its outer state
 * @param event the event that happened in `state`, where it may be invalid
 * @returns the next state; `Option.none()` if the event is invalid in `state`
 *
 * @example
 * ```ts
 * import { LoopState } from "@zain/loopsmith"
 *
 * LoopState.transition("Scoring", "targetReached") // Option.some("Passed")
 * LoopState.transition("Idle", "parsed") // Option.none()
 * ```
 */
export const transition = (state: LoopState, event: LoopStateEvent): Option.Option<LoopState> => {
  const edge = edges.find(([from, on]) => from === state && on === event)
  if (edge !== undefined) return Option.some(edge[2])
  const outer = within[state]
  return outer === undefined ? Option.none() : left(outer, event)
}

/** A nested state takes only the transitions that leave its outer state, and none into another nested state. */
const left = (outer: LoopState, event: LoopStateEvent): Option.Option<LoopState> =>
  Option.filter(transition(outer, event), (to) => within[to] !== outer)

/** The state diagram of LoopSmith's specification as Mermaid source, with the names of `states` and `events`. */
export const toMermaid = (): string =>
  [
    "stateDiagram-v2",
    `[*] --> ${states[initial]}: サーバー起動`,
    ...edges.map(([from, event, to]) => `${states[from]} --> ${states[to]}: ${events[event]}`),
  ].join("\n    ")

/**
 * Starts a state machine, which keeps its state between the events.
 *
 * @param changed runs after each transition, with the new state and the event's note for people
 * @param from the state to start in; `Idle` by default
 * @returns a function that applies an event. An event that is invalid in the current state is a defect, and the state
 *   stays
 *
 * @example
 * ```ts
 * import { LoopState } from "@zain/loopsmith"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const happened = yield* LoopState.track((state) => Effect.log(LoopState.states[state]))
 *   yield* happened("connected")
 *   yield* happened("initialized")
 * })
 * ```
 */
export const track = (
  changed: (state: LoopState, note?: string) => Effect.Effect<void> = () => Effect.void,
  from: LoopState = initial,
) =>
  Effect.sync(() => {
    let state = from
    return (
      /** An event that is valid in the current state. */
      event: LoopStateEvent,
      /** Details for people, passed to `changed`. */
      note?: string,
    ): Effect.Effect<void> =>
      Effect.suspend(() => {
        const next = transition(state, event)
        if (Option.isNone(next)) return Effect.die(new Error(`"${event}" cannot happen in the state "${state}".`))
        state = next.value
        return changed(state, note)
      })
  })
