import { assert, describe } from "@effect/vitest"
import type { Arguments, ToolContext } from "@zain/editor-link/domain/Catalogue"
import { ToolExecutionError } from "@zain/editor-link/domain/DomainError"
import type { OperationResult } from "@zain/editor-link/domain/OperationResult"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { unityTools } from "../src/UnityTools.ts"

const success = (result: unknown, editorState: object = {}) => ({ id: "1", status: "success", result, editorState })

/** A tool with an editor that answers by a script; `sent` has what it was sent. */
const tool = (name: string, answer: (method: string, params: Arguments, count: number) => unknown) => {
  const sent: Array<readonly [string, Arguments]> = []
  const said: Array<string> = []
  const context: ToolContext = {
    send: (method, params) =>
      Effect.suspend(() => {
        sent.push([method, params])
        const given = answer(method, params, sent.length)
        return given instanceof ToolExecutionError ? Effect.fail(given) : Effect.succeed(given)
      }),
    progress: (message) => void said.push(message),
    project: Effect.succeed("/project"),
    longTimeout: 900_000,
  }
  const run = (args: Arguments) => {
    const found = unityTools.find((one) => one.name === name)
    return found?.run?.(args, context) ?? assert.fail(name)
  }
  return { run, sent, said }
}
const unknown = new ToolExecutionError({
  message: "no",
  delivery: "answered",
  reason: "editor",
  code: "UNKNOWN_COMMAND",
})
const textOf = ({ content }: OperationResult) =>
  content.map((one) => (one.type === "text" ? one.text : "image")).join("\n")

describe("parameters that Unity takes in another form (editors 004.21)", () => {
  test("simulate_ui_input becomes a sequence", function* () {
    const { run, sent } = tool("simulate_ui_input", () => success({}))
    yield* run({ elementPath: "/Button", inputType: "click" })
    const inputSequence = [{ type: "click", params: { elementPath: "/Button" } }]
    assert.deepStrictEqual(sent, [["simulate_ui_input", { inputSequence }]])
  })

  test("errors of the console are three types, and the limits of time are applied here", function* () {
    const logs = [
      { message: "old", timestamp: "2026-01-01T00:00:00Z" },
      { message: "new", timestamp: "2026-01-02T00:00:00Z" },
    ]
    const { run, sent } = tool("read_console", () => success({ logs }, { timestamp: "2026-01-03T00:00:00Z" }))
    const result = yield* run({ logTypes: ["Error"], sinceTimestamp: "2026-01-01T12:00:00Z" })
    assert.deepStrictEqual(sent[0]?.[1], { logTypes: ["Error", "Exception", "Assert"] })
    assert.notInclude(textOf(result), "old")
    assert.include(textOf(result), "new")
  })

  test("messages that are stamped when they are read are kept, and the result says so", function* () {
    const timestamp = "2026-01-03T00:00:00Z"
    const { run } = tool("read_console", () => success({ logs: [{ message: "a", timestamp }] }, { timestamp }))
    const result = yield* run({ untilTimestamp: "2026-01-01T00:00:00Z" })
    assert.include(textOf(result), '"a"')
    assert.include(textOf(result), "Not applied")
  })

  test("arguments that have no effect are named in the result", function* () {
    const { run } = tool("update_project_settings", () => success({ applied: true }))
    const result = yield* run({ confirmChanges: true, physics: { sleepThreshold: 1, bounceThreshold: 2 }, quality: {} })
    assert.include(textOf(result), "`quality`, `physics.sleepThreshold`")
  })

  test("input_system_control reaches the command of its operation", function* () {
    const { run, sent } = tool("input_system_control", () => success({}))
    yield* run({ operation: "sequence", parameters: { sequence: [] } })
    yield* run({ operation: "get_state" })
    assert.deepStrictEqual(sent, [
      ["create_input_sequence", { sequence: [] }],
      ["get_current_input_state", {}],
    ])
  })

  test("a command that older packages know by another name is tried by that once", function* () {
    const { run, sent } = tool("package_manager", (method) =>
      method === "manage_packages" ? success({ ok: 1 }) : unknown,
    )
    yield* run({ action: "list" })
    assert.deepStrictEqual(
      sent.map(([method]) => method),
      ["package_manager", "manage_packages"],
    )
    const missing = tool("package_manager", () => unknown)
    assert.strictEqual((yield* Effect.flip(missing.run({ action: "list" }))).code, "UNKNOWN_COMMAND")
  })

  test("a sequence of inputs is a failure where a step is", function* () {
    const { run } = tool("input_keyboard", () =>
      success({ success: true, results: [{ success: true }, { error: "No key F99" }] }),
    )
    assert.strictEqual((yield* Effect.flip(run({ actions: [] }))).message, "No key F99")
  })
})

describe("tools that wait (editors 004.24, House 5)", () => {
  test("get_editor_state asks until the state is the one that is waited for, at most four times a second", function* () {
    const { run, sent } = tool("get_editor_state", (_, __, count) => success({}, { isPlaying: count >= 3 }))
    const waiting = yield* Effect.forkChild(run({ waitFor: { isPlaying: true }, pollMs: 1 }), {
      startImmediately: true,
    })
    yield* TestClock.adjust(249)
    assert.lengthOf(sent, 1)
    yield* TestClock.adjust(251)
    yield* Fiber.join(waiting)
    assert.deepStrictEqual(
      sent,
      Array.from({ length: 3 }, () => ["get_editor_state", {}] as const),
    )
  })

  test("playmode_wait_for_state fails at its limit", function* () {
    const { run } = tool("playmode_wait_for_state", () => success({}, { isPlaying: false }))
    const waiting = yield* Effect.forkChild(Effect.flip(run({ isPlaying: true, timeoutMs: 3_000 })), {
      startImmediately: true,
    })
    yield* TestClock.adjust(3_000)
    assert.strictEqual((yield* Fiber.join(waiting)).reason, "timeout")
  })

  test("play_game fails when Unity reports that it does not enter Play Mode", function* () {
    const { run } = tool("play_game", (method) =>
      success(method === "play_game" ? {} : { playability: { reason: "compiling" } }, { isPlaying: false }),
    )
    assert.include((yield* Effect.flip(run({}))).message, "compiling")
  })

  test("run_tests waits for its own run, reports progress, and ends at --long-timeout", function* () {
    const status = (count: number) =>
      count < 4 ? { status: "running", runId: "r1" } : { status: "completed", success: false, failed: 1 }
    const { run, said, sent } = tool("run_tests", (_, __, count) => success(status(count)))
    const waiting = yield* Effect.forkChild(run({ testMode: "EditMode" }), { startImmediately: true })
    yield* TestClock.adjust(3_000)
    assert.include(textOf(yield* Fiber.join(waiting)), '"failed": 1')
    assert.deepStrictEqual(sent[0], ["run_tests", { testMode: "EditMode" }])
    assert.lengthOf(said, 2)
    const endless = tool("run_tests", () => success({ status: "running", runId: "r1" }))
    const failing = yield* Effect.forkChild(Effect.flip(endless.run({})), { startImmediately: true })
    yield* TestClock.adjust(900_000)
    assert.include((yield* Fiber.join(failing)).message, "--long-timeout")
  })

  test("run_tests ignores a status from before a reload after a limit", function* () {
    const { run } = tool("run_tests", () => success({ status: "running", runId: "r1", persisted: true }))
    const failing = yield* Effect.forkChild(Effect.flip(run({})), { startImmediately: true })
    yield* TestClock.adjust(122_000)
    assert.strictEqual((yield* Fiber.join(failing)).reason, "timeout")
  })

  test("video_capture_for stops its recording after the time, and when it is given up", function* () {
    const { run, sent } = tool("video_capture_for", () => success({ path: "a.mp4" }))
    const waiting = yield* Effect.forkChild(run({ durationSec: 3, fps: 30 }), { startImmediately: true })
    yield* TestClock.adjust(3_000)
    yield* Fiber.join(waiting)
    assert.deepStrictEqual(sent, [
      ["capture_video_start", { fps: 30, maxDurationSec: 13 }],
      ["capture_video_stop", {}],
    ])
    const given = yield* Effect.forkChild(run({ durationSec: 60 }), { startImmediately: true })
    yield* Fiber.interrupt(given)
    assert.strictEqual(sent.at(-1)?.[0], "capture_video_stop")
  })
})
