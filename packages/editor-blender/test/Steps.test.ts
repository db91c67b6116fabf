import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as StepReader from "../src/StepReader.ts"

describe("steps", () => {
  it.each<readonly [what: string, steps: unknown, code: string, path: ReadonlyArray<string | number>, message: RegExp]>(
    [
      ["no list", {}, "VALIDATION_ERROR", ["steps"], /^`steps` must be array\.$/],
      ["more than 1,000", Array(1_001).fill({ world: {} }), "INVALID_VALUE", ["steps"], /1000/],
      [
        "a step of two",
        [{ world: {}, render: {} }],
        "VALIDATION_ERROR",
        ["steps", 0],
        /`steps\[0\]` needs exactly one/,
      ],
      ["a step of none", [{ world: {} }, {}], "VALIDATION_ERROR", ["steps", 1], /needs exactly one/],
      ["a missing member", [{ delete: {} }], "MISSING_FIELD", ["steps", 0, "delete", "objects"], /lacks `objects`/],
      [
        "a wrong choice",
        [{ light: { type: "laser" } }],
        "INVALID_VALUE",
        ["steps", 0, "light", "type"],
        /^`steps\[0\]\.light\.type` is none of point, sun, spot, area\.$/,
      ],
      [
        "a value of another type",
        [{ transform: { object: "Cube", location: { x: "1", y: 0, z: 0 } } }],
        "VALIDATION_ERROR",
        ["steps", 0, "transform", "location", "x"],
        /must be number/,
      ],
      [
        "a half vector",
        [{ camera: { lookAt: { x: 1 } } }],
        "MISSING_FIELD",
        ["steps", 0, "camera", "lookAt", "y"],
        /`y`/,
      ],
    ],
  )("that are wrong by %s are refused with code and path", (_, steps, code, path, message) => {
    const failure = Result.getOrThrow(Result.flip(StepReader.read(steps)))
    assert.strictEqual(failure.code, code)
    assert.deepStrictEqual(failure.path, path)
    assert.match(failure.message, message)
  })

  it("with an unknown member are refused with the names that are like it, and those that are known", () => {
    const steps = [{ create: { primitive: "cube", material: { colour: {} } } }]
    const failure = Result.getOrThrow(Result.flip(StepReader.read(steps)))
    assert.strictEqual(failure.message, '`steps[0].create.material` has an unknown member "colour".')
    assert.deepStrictEqual(failure.suggestions, [
      "Did you mean `color`?",
      "Known members: name, color, metallic, roughness, emission, emissionStrength, image.",
    ])
  })

  it("repeat no more than 80 characters of what was given", () => {
    const failure = Result.getOrThrow(Result.flip(StepReader.read([{ ["x".repeat(100_000)]: {} }])))
    assert.isBelow(failure.message.length, 200)
  })

  it("are taken as they are where they fit, with null for a parent that is cleared", () => {
    const steps = [{ parent: { object: "Cube", parent: null } }, { camera: { lookAt: "椅子" } }]
    assert.strictEqual(Result.getOrThrow(StepReader.read(steps)), steps)
  })
})
