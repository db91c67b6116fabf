/**
 * Tools that wait for Play Mode, also through a domain reload.
 *
 * @see docs/internals/editor-server-accepted.md, 004.24
 */

import type { Arguments, ToolContext } from "@zain/editor-link/domain/Catalogue"
import { type DomainError, ToolExecutionError } from "@zain/editor-link/domain/DomainError"
import * as OperationResult from "@zain/editor-link/domain/OperationResult"
import { isRecord } from "@zain/process/JsonRpc"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as UnityCalls from "./UnityCalls.ts"
import * as UnityResult from "./UnityResult.ts"

const usualTimeout = 30_000
const usualPoll = 1_000
const minPollMillis = 250

/** How long entering or leaving Play Mode may take, in milliseconds: a domain reload is in it. */
const switchTimeout = 120_000

/** Why Unity does not enter Play Mode, and will not. */
const blocked: ReadonlyArray<unknown> = ["unknown_or_blocked", "compiling"]

const state = (context: ToolContext) => UnityCalls.send(context, "get_editor_state", {}, { isRepeatable: true })

/** Fresh, where `result.state` may be a quarter of a second old. */
const isPlaying = (answer: unknown): unknown => {
  const editorState = isRecord(answer) ? answer["editorState"] : undefined
  if (isRecord(editorState) && typeof editorState["isPlaying"] === "boolean") return editorState["isPlaying"]
  const value = UnityResult.valueIn(answer)
  const inner = isRecord(value) && isRecord(value["state"]) ? value["state"] : value
  return isRecord(inner) ? inner["isPlaying"] : undefined
}

const reasonOf = (answer: unknown): unknown => {
  const value = UnityResult.valueIn(answer)
  const playability = isRecord(value) ? value["playability"] : undefined
  return isRecord(playability) ? playability["reason"] : undefined
}

const number = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise)

const timedOut = (wanted: boolean, seconds: number) =>
  new ToolExecutionError({
    message: `The editor was not ${wanted ? "in Play Mode" : "in Edit Mode"} after ${seconds} s. Read the console for errors, then get_editor_state.`,
    delivery: "unknown",
    reason: "timeout",
  })

/** Polls until the editor is in the mode. Waits for a lost connection. */
const until = Effect.fnUntraced(function* (
  context: ToolContext,
  wanted: boolean,
  timeout: number,
  poll: number,
  isSwitching: boolean,
): Effect.fn.Return<unknown, DomainError> {
  const begun = yield* Clock.currentTimeMillis
  for (;;) {
    const answer = yield* state(context)
    if (isPlaying(answer) === wanted) return answer
    const reason = reasonOf(answer)
    if (isSwitching && wanted && blocked.includes(reason)) {
      return yield* new ToolExecutionError({
        message: `Unity does not enter Play Mode (${String(reason)}). Read the console for compile errors.`,
        delivery: "answered",
        reason: "editor",
      })
    }
    if ((yield* Clock.currentTimeMillis) - begun >= timeout) return yield* timedOut(wanted, timeout / 1_000)
    context.progress(`waiting for ${wanted ? "Play Mode" : "Edit Mode"}`)
    yield* Effect.sleep(poll)
  }
})

const polling = ({ pollMs, timeoutMs }: Arguments) =>
  [Math.max(0, number(timeoutMs, usualTimeout)), Math.max(minPollMillis, number(pollMs, usualPoll))] as const

/** `get_editor_state`, and its wait. */
export const getEditorState = Effect.fnUntraced(function* (args: Arguments, context: ToolContext) {
  const { waitFor } = args
  const [timeout, poll] = polling(args)
  const answer = isRecord(waitFor)
    ? yield* until(context, waitFor["isPlaying"] === true, timeout, poll, false)
    : yield* state(context)
  return yield* UnityCalls.resultOf(answer)
})

/** `playmode_wait_for_state` */
export const waitForState = Effect.fnUntraced(function* (args: Arguments, context: ToolContext) {
  const [timeout, poll] = polling(args)
  const answer = yield* until(context, args["isPlaying"] === true, timeout, poll, false)
  return yield* UnityCalls.resultOf(answer)
})

/** `play_game` and `stop_game`: done when the editor says so. The domain reload that they begin may lose their answer. */
export const enter = (name: "play_game" | "stop_game") =>
  Effect.fnUntraced(function* (_: Arguments, context: ToolContext) {
    const wanted = name === "play_game"
    const asked = yield* Effect.result(Effect.flatMap(UnityCalls.send(context, name, {}), UnityCalls.resultOf))
    if (asked._tag === "Failure" && asked.failure._tag !== "ConnectionError") return yield* asked.failure
    const answer = yield* until(context, wanted, switchTimeout, usualPoll, true)
    const { meta } = yield* UnityCalls.resultOf(answer)
    const result = OperationResult.make({ isPlaying: wanted })
    return meta === undefined ? result : { ...result, meta }
  })
