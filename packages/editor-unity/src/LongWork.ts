/**
 * Tools that wait for work of the editor: tests, builds, videos.
 *
 * @see docs/internals/editor-server-accepted.md, 004.24
 */

import type { Arguments, ToolContext } from "@zain/editor-link/domain/Catalogue"
import { ToolExecutionError } from "@zain/editor-link/domain/DomainError"
import { isRecord } from "@zain/process/JsonRpc"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as PlayMode from "./PlayMode.ts"
import * as UnityCalls from "./UnityCalls.ts"
import * as UnityResult from "./UnityResult.ts"

const poll = 1_000
const marginSec = 10

/** How long a status from before a reload counts, in ms: Unity may never update it. */
const persistedTimeout = 120_000

const timedOut = (what: string, seconds: number) =>
  new ToolExecutionError({
    message: `${what} did not end within ${seconds} s (--long-timeout). It may go on in the editor: ask for its status.`,
    delivery: "unknown",
    reason: "timeout",
  })

/** `run_tests`, until they are over; with `wait: false` it returns when they have begun. */
export const runTests = Effect.fnUntraced(function* (args: Arguments, context: ToolContext) {
  const started = yield* UnityCalls.send(context, "run_tests", UnityCalls.without(args, "wait"))
  const first = UnityResult.valueIn(started)
  if (args["wait"] === false || !isRecord(first) || first["status"] !== "running") {
    return yield* UnityCalls.resultOf(started)
  }
  const { runId } = first
  const begun = yield* Clock.currentTimeMillis
  let persistedSince: number | undefined
  for (;;) {
    yield* Effect.sleep(poll)
    const status = { includeTestResults: args["includeDetails"] === true }
    const answer = yield* UnityCalls.send(context, "get_test_status", status, { isRepeatable: true })
    const value = UnityResult.valueIn(answer)
    const now = yield* Clock.currentTimeMillis
    const isOther =
      isRecord(value) && typeof value["runId"] === "string" && typeof runId === "string" && value["runId"] !== runId
    const isRunning = isRecord(value) && value["status"] === "running" && !isOther
    if (isOther) {
      return yield* new ToolExecutionError({
        message: "Another test run has taken the place of this one. Its results are those of get_test_status.",
        delivery: "answered",
        reason: "editor",
      })
    }
    if (!isRunning) return yield* UnityCalls.resultOf(answer)
    persistedSince = value["persisted"] === true ? (persistedSince ?? now) : undefined
    const isStale = persistedSince !== undefined && now - persistedSince >= persistedTimeout
    if (isStale || now - begun >= context.longTimeout) return yield* timedOut("The test run", (now - begun) / 1_000)
    context.progress(`tests run, ${Math.round((now - begun) / 1_000)} s`)
  }
})

/** `addressables_build`, `package_manager`: Unity answers when it is done. */
export const blocking = (name: string) => (args: Arguments, context: ToolContext) =>
  UnityCalls.call(
    name,
    UnityCalls.without(args, "wait"),
    context,
    args["wait"] === false ? {} : { timeoutMs: context.longTimeout },
  )

/** `video_capture_for`: a recording of some seconds. */
export const captureVideo = Effect.fnUntraced(function* (args: Arguments, context: ToolContext) {
  const seconds = Number(args["durationSec"])
  if (!(seconds > 0) || seconds * 1_000 > context.longTimeout) {
    return yield* new ToolExecutionError({
      message: `\`durationSec\` is from 0 to ${context.longTimeout / 1_000} (--long-timeout).`,
      delivery: "not-sent",
      reason: "editor",
    })
  }
  if (args["play"] === true) yield* PlayMode.enter("play_game")({}, context)
  // Unity's own limit comes later: a recording that has ended by itself cannot be stopped.
  const settings = { ...UnityCalls.without(args, "durationSec", "play", "wait"), maxDurationSec: seconds + marginSec }
  const started = yield* UnityCalls.send(context, "capture_video_start", settings)
  const begun = yield* UnityCalls.resultOf(started)
  if (args["wait"] === false) return begun
  const stop = UnityCalls.send(context, "capture_video_stop", {})
  for (let second = 0; second < seconds; second++) {
    context.progress(`recording, ${second} of ${seconds} s`)
    // A recording that is given up ends.
    yield* Effect.onInterrupt(Effect.sleep(Math.min(1, seconds - second) * 1_000), () => Effect.ignore(stop))
  }
  return yield* Effect.flatMap(stop, UnityCalls.resultOf)
})
