import { assert, describe, it } from "@effect/vitest"
import * as Timeout from "@zain/editor-link/domain/Timeout"
import * as Carrier from "@zain/editor-link/infrastructure/link/Carrier"
import * as EditorLink from "@zain/editor-link/infrastructure/link/EditorLink"
import * as FakeUnity from "@zain/editor-unity/fake/FakeUnity"
import { unity } from "@zain/editor-unity/UnityProfile"
import { unityLoop } from "@zain/editor-unity-loop/UnityLoopProfile"
import { test } from "@zain/testkit/Test"
import { Duration } from "effect"

/** An array so many levels deep, in an object. */
const nested = (levels: number): Readonly<Record<string, unknown>> => ({
  a: JSON.parse(`${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}`),
})
const delays = (delay: typeof unity.reconnectDelay, random: number) =>
  [0, 1, 2, 3, 4, 5, 6, 1_000].map((attempt) => Math.round(Duration.toMillis(delay(attempt, random))))

describe("what a profile takes", () => {
  it("unity-loop: a frame of 1,044,480 bytes with its header, and not one byte more (editors 000.24)", () => {
    assert.isUndefined(unityLoop.dialect.refuse?.("x".repeat(1_044_453), {}))
    assert.include(unityLoop.dialect.refuse?.("x".repeat(1_044_454), {}), "this one has 1044481")
    assert.include(unityLoop.dialect.refuse?.("あ".repeat(348_152), {}), "this one has 1044483")
  })

  it("unity: a frame of any size", () => {
    assert.isUndefined(unity.dialect.refuse?.("x".repeat(2_000_000), {}))
  })

  it("unity-loop: arguments of 60 levels, and not 61 (editors 000.24)", () => {
    assert.isUndefined(unityLoop.dialect.refuse?.("", nested(60)))
    assert.include(unityLoop.dialect.refuse?.("", nested(61)), "60 levels at most")
  })

  it("unity: a message of 64 levels, itself included, and not 65", () => {
    assert.isUndefined(unity.dialect.refuse?.("", nested(63)))
    assert.include(unity.dialect.refuse?.("", nested(64)), "64 levels at most")
  })
})

describe("how long a call may take", () => {
  it.each([
    [{}, undefined, 180],
    [{ TimeoutSeconds: 30 }, undefined, 180],
    [{ TimeoutSeconds: 200 }, undefined, 210],
    [{ TimeoutSeconds: "200" }, undefined, 180],
    [{ TimeoutSeconds: 200 }, 20, 210],
    [{}, 20, 20],
  ] as const)("unity-loop: with %j and a --timeout of %s s it is %i s (editors 000.11)", (args, base, seconds) => {
    const given = base === undefined ? undefined : Duration.seconds(base)
    assert.strictEqual(Duration.toSeconds(Timeout.of(unityLoop, given)(args)), seconds)
  })
})

describe("when a profile tries again", () => {
  it("unity-loop: once a second", () => {
    assert.deepStrictEqual(delays(unityLoop.reconnectDelay, 0.9), Array(8).fill(1_000))
  })

  it("unity: after 1, 2, 4 … 30 s, a tenth more or less (editors 004.15)", () => {
    assert.deepStrictEqual(
      delays(unity.reconnectDelay, 0.5),
      [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000],
    )
    assert.deepStrictEqual(delays(unity.reconnectDelay, 0).slice(0, 2), [900, 1_800])
    assert.deepStrictEqual(delays(unity.reconnectDelay, 1).slice(5, 6), [33_000])
  })
})

describe("when a profile is ready", () => {
  test.live("unity: when get_editor_info has been answered, also with UNKNOWN_COMMAND (editors 004.8)", function* () {
    const editor = yield* FakeUnity.start()
    yield* editor.control.setTools([])
    const target = { host: "127.0.0.1", port: editor.port }
    const link = yield* EditorLink.make(unity, {
      target,
      connect: Carrier.tcp(unity, target, 1_024),
      hello: { clientName: "test", isDevelopment: false, wantsProject: false },
    })
    yield* link.ready
    const frames = editor.seen.flatMap((seen) => (seen._tag === "Frame" ? [seen.value] : []))
    assert.deepInclude(frames[0], { type: "get_editor_info", params: {} })
    assert.lengthOf(frames, 1)
  })
})
