/**
 * The loop as a state machine: a value that can be drawn, and tested without a clock.
 *
 * @see seed, state diagram
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { events, states } from "./SeedWords.ts"

export { events, states }
export type LoopState = keyof typeof states
export type LoopStateEvent = keyof typeof events

/** Where a machine starts. */
export const initial: LoopState = "Idle"

/** From, event, to: the arrows of the drawing, and no other. */
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
 * Which state lies within which: what can happen in the outer one can happen in the inner one. So an agent that runs, or an
 * answer that is read, fails as an evaluation does.
 */
export const within: Partial<Readonly<Record<LoopState, LoopState>>> = {
  RunningAgent: "Evaluating",
  ParsingAnswer: "Evaluating",
}

/**
 * What an event makes of a state.
 *
 * @returns the next state, or nothing when the event cannot happen there
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

/** An inner state is left by what leaves the outer one, and does not enter it again by what enters another inner one. */
const left = (outer: LoopState, event: LoopStateEvent): Option.Option<LoopState> =>
  Option.filter(transition(outer, event), (to) => within[to] !== outer)

/** The machine as the seed draws it, for Mermaid. */
export const toMermaid = (): string =>
  [
    "stateDiagram-v2",
    `[*] --> ${states[initial]}: サーバー起動`,
    ...edges.map(([from, event, to]) => `${states[from]} --> ${states[to]}: ${events[event]}`),
  ].join("\n    ")

/**
 * A machine that is under way.
 *
 * @param changed hears every state that it comes to, with what is said about it for people
 * @param from where it starts
 * @returns tells it what happens. An event that cannot happen where it is, is a defect: whoever tells it is wrong
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
    return (event: LoopStateEvent, note?: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        const next = transition(state, event)
        if (Option.isNone(next)) return Effect.die(new Error(`"${event}" cannot happen in the state "${state}".`))
        state = next.value
        return changed(state, note)
      })
  })
