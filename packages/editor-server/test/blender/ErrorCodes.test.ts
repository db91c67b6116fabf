import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { test } from "../../../core/test/Test.ts"
import type { BridgeFailure } from "../../src/blender/Bridge.ts"
import * as ErrorCodes from "../../src/blender/ErrorCodes.ts"
import * as StubBridge from "./StubBridge.ts"

const failing = (failure: BridgeFailure) =>
  StubBridge.make({
    "steps.apply": Effect.fail(failure),
    "scene.read": Effect.fail(failure),
  })

const apply = `mutation { command { apply(steps: [{ delete: { objects: ["Cube"] } }]) {
  success message executionTimeMs error { code message category details path suggestions }
} } }`

describe("a query that a suggestion names", () => {
  const queries = Object.values(ErrorCodes.table).flatMap(({ suggestions }) =>
    suggestions.flatMap((one) => one.match(/\{ .* \}/)?.[0].replace("…", "Cube") ?? []),
  )
  test.each(queries)("is answered: %s", function* (query) {
    assert.isUndefined((yield* StubBridge.make().execute(query)).errors)
  })
})

describe("a failure of the bridge", () => {
  test.each(ErrorCodes.codes)(
    "with the code %s is a value of a mutation, with category and suggestions (editors 003.9)",
    function* (code) {
      const answer = yield* failing({ code, message: "It failed." }).execute(apply)
      assert.isUndefined(answer.errors)
      const payload = StubBridge.payloadIn(answer)
      assert.deepStrictEqual({ ...payload, executionTimeMs: 0 }, {
        success: false,
        message: "It failed.",
        executionTimeMs: 0,
        error: {
          code,
          message: "It failed.",
          category: ErrorCodes.table[code].category,
          details: null,
          path: null,
          suggestions: [...ErrorCodes.table[code].suggestions],
        },
      } as never)
      assert.isAtLeast(payload.executionTimeMs, 0)
      assert.isNotEmpty(payload.error?.suggestions)
    },
  )

  test.each(ErrorCodes.codes)(
    "with the code %s is one error of a query, whose field is null (editors 003.9)",
    function* (code) {
      const answer = yield* failing({ code, message: "It failed." }).execute("{ scene { context { name frame } } }")
      assert.deepStrictEqual(answer.data, { scene: { context: null } } as unknown)
      const [error] = answer.errors ?? []
      assert.lengthOf(answer.errors ?? [], 1)
      assert.strictEqual(error?.message, "It failed.")
      assert.deepStrictEqual(error?.path, ["scene", "context"])
      const { category, suggestions } = ErrorCodes.table[code]
      assert.deepStrictEqual({ ...error?.extensions }, { code, category, suggestions: [...suggestions] })
    },
  )

  test("keeps its own path, details, line and suggestions (editors 003.9)", function* () {
    const bridge = failing({
      code: "OBJECT_NOT_FOUND",
      message: "There is no object Cubw.",
      path: ["steps", 0, "delete", "objects", 0],
      details: "KeyError",
      line: 3,
      suggestions: ["Cube"],
    })
    const { error } = StubBridge.payloadIn(yield* bridge.execute(apply))
    assert.deepStrictEqual(error?.path, ["steps", "0", "delete", "objects", "0"])
    assert.strictEqual(error?.details, "line 3\nKeyError")
    assert.deepStrictEqual(error?.suggestions, ["Cube"])
  })
})

describe("the code of a failure", () => {
  it.each([
    [-32_000, "SYSTEM_ERROR"],
    [-32_602, "VALIDATION_ERROR"],
    [-32_601, "OPERATION_UNSUPPORTED"],
    [-32_603, "INTERNAL_SERVER_ERROR"],
    [-32_800, "OPERATION_FAILED"],
    [-32_042, "UNEXPECTED_ERROR"],
    ["NO_SUCH_CODE", "UNEXPECTED_ERROR"],
    ["toString", "UNEXPECTED_ERROR"],
  ])("%s of the bridge is %s (editors 003.9)", (code, expected) => {
    assert.strictEqual(ErrorCodes.make({ code, message: "" }).code, expected)
  })
})

describe("what is refused here", () => {
  const steps = (text: string) =>
    `mutation { command { apply(steps: [${text}]) { success error { code path message suggestions } } } }`

  test.each([
    [
      "a colour out of range",
      steps("{ world: { color: { r: 2, g: 0, b: 0 } } }"),
      "INVALID_VALUE",
      ["steps", "0", "world", "color", "r"],
    ],
    ["no steps", steps(""), "INVALID_VALUE", ["steps"]],
    [
      "dimensions of a torus",
      steps("{ create: { primitive: torus, geometry: { dimensions: { x: 1, y: 1, z: 1 } } } }"),
      "INVALID_VALUE",
      ["steps", "0", "create", "geometry", "dimensions"],
    ],
    [
      "dimensions beside a size",
      steps("{ create: { primitive: cube, geometry: { size: 1, dimensions: { x: 1, y: 1, z: 1 } } } }"),
      "INVALID_VALUE",
      ["steps", "0", "create", "geometry", "dimensions"],
    ],
    [
      "an empty name",
      steps('{ delete: { objects: [""] } }'),
      "INVALID_VALUE",
      ["steps", "0", "delete", "objects", "0"],
    ],
    [
      "a picture of 15 pixels",
      "mutation { scene { capturePreview(width: 15) { success error { code path } } } }",
      "INVALID_VALUE",
      ["width"],
    ],
    [
      "a limit of no time",
      'mutation { command { executeRaw(pythonCode: "1", options: { timeoutMs: 0 }) { success error { code path } } } }',
      "INVALID_VALUE",
      ["options", "timeoutMs"],
    ],
    [
      "a preview of 4,096 pixels",
      'mutation { command { executeRaw(pythonCode: "1", options: { preview: { height: 4096 } }) { success error { code path } preview { after { width } } } } }',
      "INVALID_VALUE",
      ["options", "preview", "height"],
    ],
    [
      "a command without words",
      'mutation { command { executeNatural(command: " ") { success error { code path } } } }',
      "INVALID_INPUT",
      ["command"],
    ],
  ] as const)("%s has code and path, and Blender receives nothing (editors 003.9)", function* ([, query, code, path]) {
    const bridge = StubBridge.make()
    const { error, success } = StubBridge.payloadIn(yield* bridge.execute(query))
    assert.isFalse(success)
    assert.strictEqual(error?.code, code)
    assert.deepStrictEqual(error?.path, [...path])
    assert.isEmpty(bridge.asked)
  })

  test("code over 1 MiB has code and path, and Blender receives nothing (editors 003.9)", function* () {
    const bridge = StubBridge.make()
    const query =
      "mutation ($code: String!) { command { executeRaw(pythonCode: $code) { success error { code path } } } }"
    const { error } = StubBridge.payloadIn(yield* bridge.execute(query, { code: "あ".repeat(400_000) }))
    assert.strictEqual(error?.code, "INVALID_VALUE")
    assert.deepStrictEqual(error?.path, ["pythonCode"])
    assert.isEmpty(bridge.asked)
  })
})
