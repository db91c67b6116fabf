import { assert, describe, it } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as BlenderDialect from "../src/BlenderDialect.ts"
import type { BridgeFailure } from "../src/Bridge.ts"
import * as ErrorCodes from "../src/ErrorCodes.ts"
import * as StubBridge from "../testing/StubBridge.ts"

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

/** Each code, its category, and what its remedy names. */
const expected = [
  ["INVALID_INPUT", "USER_INPUT", "against the schema"],
  ["MISSING_FIELD", "USER_INPUT", "Add the member"],
  ["INVALID_VALUE", "USER_INPUT", "a value that the schema allows"],
  ["VALIDATION_ERROR", "USER_INPUT", "blender://steps/schema"],
  ["RESOURCE_NOT_FOUND", "RESOURCE_NOT_FOUND", "--files"],
  ["OBJECT_NOT_FOUND", "RESOURCE_NOT_FOUND", "{ scene { objects("],
  ["MATERIAL_NOT_FOUND", "RESOURCE_NOT_FOUND", "{ materials }"],
  ["SCENE_NOT_FOUND", "RESOURCE_NOT_FOUND", "Open a file"],
  ["MODIFIER_NOT_FOUND", "RESOURCE_NOT_FOUND", "{ modifiers { name } }"],
  ["OPERATION_FAILED", "OPERATION_FAILED", "The scene is as it was"],
  ["OPERATION_TIMEOUT", "OPERATION_FAILED", "options.timeoutMs"],
  ["OPERATION_UNSUPPORTED", "OPERATION_FAILED", "command.apply"],
  ["EXECUTION_ERROR", "OPERATION_FAILED", "Correct the code at the line"],
  ["SYSTEM_ERROR", "SYSTEM", "zain-editor-mcp check blender"],
  ["INTERNAL_SERVER_ERROR", "SYSTEM", "This is a defect"],
  ["UNEXPECTED_ERROR", "SYSTEM", "check the scene before calling again"],
  ["PERMISSION_DENIED", "PERMISSION", "--files DIR or --code on"],
  ["AUTHENTICATION_FAILED", "PERMISSION", "a new token"],
  ["COMMAND_EXECUTION_FAILED", "OPERATION_FAILED", "in other words"],
  ["CODE_VALIDATION_FAILED", "USER_INPUT", "Correct the Python syntax"],
  ["DANGEROUS_OPERATION", "PERMISSION", "bmesh"],
] as const

describe("a failure of the bridge", () => {
  it("has one of twenty-one codes (editors 003.9)", () =>
    assert.deepStrictEqual(
      ErrorCodes.codes,
      expected.map(([code]) => code),
    ))

  test.each(expected)(
    "with the code %s is a value of a mutation with category %s, whose suggestion names: %s (editors 003.9)",
    function* ([code, category, remedy]) {
      const answer = yield* failing({ code, message: "It failed." }).execute(apply)
      assert.isUndefined(answer.errors)
      const { error, message, success } = StubBridge.payloadIn(answer)
      assert.deepStrictEqual([success, message, error?.message], [false, "It failed.", "It failed."])
      assert.deepInclude({ ...error }, { code, category, details: null, path: null } as object)
      assert.include(error?.suggestions.join(" "), remedy)
    },
  )

  test.each(expected)(
    "with the code %s is one error of a query with category %s, whose suggestion names: %s; the field is null (editors 003.9)",
    function* ([code, category, remedy]) {
      const answer = yield* failing({ code, message: "It failed." }).execute("{ scene { context { name frame } } }")
      assert.deepStrictEqual(answer.data, { scene: { context: null } } as unknown)
      const [error] = answer.errors ?? []
      assert.lengthOf(answer.errors ?? [], 1)
      assert.deepInclude(error, { message: "It failed.", path: ["scene", "context"] })
      const { suggestions, ...rest } = error?.extensions ?? {}
      assert.deepStrictEqual({ ...rest }, { code, category })
      assert.include(String(suggestions), remedy)
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
    [-32_602, "INVALID_INPUT"],
    [-32_601, "OPERATION_UNSUPPORTED"],
    [-32_603, "INTERNAL_SERVER_ERROR"],
    [-32_800, "OPERATION_FAILED"],
    [-32_042, "INTERNAL_SERVER_ERROR"],
  ])("%s of JSON-RPC is %s (editors 003.9)", (code, expected) => {
    assert.strictEqual(BlenderDialect.failureOf({ code, message: "" }).code, expected)
  })

  it.each(["NO_SUCH_CODE", "toString"])("%s of the bridge is UNEXPECTED_ERROR (editors 003.9)", (code) => {
    assert.strictEqual(ErrorCodes.make({ code, message: "" }).code, "UNEXPECTED_ERROR")
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

  test("code of 65,537 bytes has code and path, and Blender receives nothing; 65,536 bytes arrive (editors 003.9)", function* () {
    const bridge = StubBridge.make()
    const query =
      "mutation ($code: String!) { command { executeRaw(pythonCode: $code) { success error { code path } } } }"
    const max = `${"あ".repeat(21_845)}#`
    const { error } = StubBridge.payloadIn(yield* bridge.execute(query, { code: `${max}#` }))
    assert.strictEqual(error?.code, "INVALID_VALUE")
    assert.deepStrictEqual(error?.path, ["pythonCode"])
    assert.isEmpty(bridge.asked)
    assert.isTrue(StubBridge.payloadIn(yield* bridge.execute(query, { code: max })).success)
    assert.strictEqual(bridge.asked[0]?.[1]["code"], max)
  })
})
