import { assert, describe } from "@effect/vitest"
import type { Sample } from "@zain/editor-link/domain/Sample"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { templates } from "../src/CommandTemplates.ts"
import * as NaturalCommand from "../src/NaturalCommand.ts"
import * as Steps from "../src/Steps.ts"

const plan = (text: string, sample?: Sample, language?: "ja" | "en") =>
  NaturalCommand.plan(
    { text, argument: "command", language, selection: Effect.succeed(["Lamp"]), hasContext: true },
    sample,
  )

const red = { r: 1, g: 0, b: 0, a: 1 }
const blue = { r: 0, g: 0, b: 1, a: 1 }
const at = (x: number, y: number, z: number) => ({ x, y, z })

/** Commands of each template, in English and in Japanese, and the steps that they mean. */
const commands: ReadonlyArray<readonly [template: string, text: string, steps: ReadonlyArray<object>]> = [
  ["create", "create a cube", [{ create: { primitive: "cube" } }]],
  ["create", "Please add a new red ball.", [{ create: { primitive: "sphere", material: { color: red } } }]],
  [
    "create",
    'make a cylinder named "My Can" at (1, -2, 3.5)',
    [{ create: { primitive: "cylinder", name: "My Can", transform: { location: at(1, -2, 3.5) } } }],
  ],
  ["create", "立方体を作成してください。", [{ create: { primitive: "cube" } }]],
  [
    "create",
    "青い球を(１、２、３)に追加して",
    [{ create: { primitive: "sphere", transform: { location: at(1, 2, 3) }, material: { color: blue } } }],
  ],
  ["create", "「箱」という名前の立方体を作って", [{ create: { primitive: "cube", name: "箱" } }]],
  ["move", "move Cube to (1, 2, 3)", [{ transform: { object: "Cube", location: at(1, 2, 3) } }]],
  ["move", "move it 50 cm left", [{ transform: { object: "Lamp", relative: true, location: at(-0.5, 0, 0) } }]],
  ["move", 'move "My Can" up 2m', [{ transform: { object: "My Can", relative: true, location: at(0, 0, 2) } }]],
  ["move", "move Cube by 1 2 3", [{ transform: { object: "Cube", relative: true, location: at(1, 2, 3) } }]],
  ["move", "椅子を(1, 2, 3)へ移動", [{ transform: { object: "椅子", location: at(1, 2, 3) } }]],
  ["move", "CubeをX軸方向に3移動して", [{ transform: { object: "Cube", relative: true, location: at(3, 0, 0) } }]],
  ["move", "上に2m移動", [{ transform: { object: "Lamp", relative: true, location: at(0, 0, 2) } }]],
  [
    "turn",
    "rotate Cube by 90 degrees around x",
    [{ transform: { object: "Cube", relative: true, rotationEuler: at(Math.PI / 2, 0, 0) } }],
  ],
  [
    "turn",
    "CubeをZ軸で180度回転させて",
    [{ transform: { object: "Cube", relative: true, rotationEuler: at(0, 0, Math.PI) } }],
  ],
  ["scale", "scale Cube by 2", [{ transform: { object: "Cube", relative: true, scale: at(2, 2, 2) } }]],
  [
    "scale",
    "make it 4 times smaller",
    [{ transform: { object: "Lamp", relative: true, scale: at(0.25, 0.25, 0.25) } }],
  ],
  ["scale", "Cubeを1.5倍に拡大", [{ transform: { object: "Cube", relative: true, scale: at(1.5, 1.5, 1.5) } }]],
  ["scale", "半分に縮小して", [{ transform: { object: "Lamp", relative: true, scale: at(0.5, 0.5, 0.5) } }]],
  ["colour", "make Cube red", [{ material: { object: "Cube", color: red } }]],
  [
    "colour",
    "change the color of Cube and Ball to #0000ff",
    [{ material: { object: "Cube", color: blue } }, { material: { object: "Ball", color: blue } }],
  ],
  ["colour", "Cubeを赤にする", [{ material: { object: "Cube", color: red } }]],
  ["colour", "Cubeの色を青に変更", [{ material: { object: "Cube", color: blue } }]],
  ["delete", "delete Cube, Ball and Light", [{ delete: { objects: ["Cube", "Ball", "Light"] } }]],
  ["delete", "選択中のオブジェクトを削除", [{ delete: { objects: ["Lamp"] } }]],
  ["duplicate", "duplicate Cube 3 times", [{ duplicate: { object: "Cube", count: 3 } }]],
  ["duplicate", "Cubeを複製", [{ duplicate: { object: "Cube" } }]],
  ["select", "select Cube and Light", [{ select: { objects: ["Cube", "Light"] } }]],
  ["select", "とうふとCubeを選択", [{ select: { objects: ["とうふとCube"] } }]],
  ["select", "「とうふ」とCubeを選択", [{ select: { objects: ["とうふ", "Cube"] } }]],
  [
    "light",
    "add a sun light at (1, 2, 3) with 5 W",
    [{ light: { type: "sun", transform: { location: at(1, 2, 3) }, energy: 5 } }],
  ],
  ["light", "スポットライトを追加", [{ light: { type: "spot" } }]],
  [
    "camera",
    "add a camera at (7, -7, 5) looking at (0, 0, 1)",
    [{ camera: { transform: { location: at(7, -7, 5) }, lookAt: at(0, 0, 1) } }],
  ],
  [
    "camera",
    "カメラを(7, -7, 5)に追加して「My Can」に向けて",
    [{ camera: { transform: { location: at(7, -7, 5) }, lookAt: "My Can" } }],
  ],
]

describe("a command in words", () => {
  test.each(commands)("of the template %s becomes its steps: %s (editors 003.22)", function* ([template, text, steps]) {
    assert.deepStrictEqual(yield* plan(text), { template, steps } as NaturalCommand.Plan)
  })

  test("matches its template by the examples that the template names, in both languages (editors 003.22)", function* () {
    for (const { examples, name } of templates) {
      for (const example of Object.values(examples)) assert.strictEqual((yield* plan(example)).template, name, example)
    }
  })

  test("of another language than the one that is named matches nothing (editors 003.22)", function* () {
    assert.strictEqual((yield* Effect.flip(plan("立方体を作成", undefined, "en"))).code, "OPERATION_UNSUPPORTED")
    assert.strictEqual((yield* plan("立方体を作成", undefined, "ja")).template, "create")
  })

  test("that says more than one operation matches nothing, so that no half of it is carried out (editors 003.22)", function* () {
    const several = ["立方体を作成して、球を削除", "delete Cube then add a sphere", "delete Cube and create a plane"]
    for (const text of [...several, "select all", "すべてを削除"]) {
      assert.strictEqual((yield* Effect.flip(plan(text))).code, "OPERATION_UNSUPPORTED", text)
    }
  })

  test("about nothing, with nothing selected, fails with OBJECT_NOT_FOUND", function* () {
    const command = {
      text: "delete it",
      argument: "feedback" as const,
      selection: Effect.succeed([]),
      hasContext: false,
    }
    const failure = yield* Effect.flip(NaturalCommand.plan(command, undefined))
    assert.strictEqual(failure.code, "OBJECT_NOT_FOUND")
    assert.deepStrictEqual(failure.path, ["feedback"])
  })

  test("without words, or with too many, fails with INVALID_INPUT", function* () {
    for (const text of ["", " \n", "a".repeat(20_001)]) {
      assert.strictEqual((yield* Effect.flip(plan(text))).code, "INVALID_INPUT")
    }
  })

  test("of hostile repetition is answered by every template", function* () {
    for (const text of ["を".repeat(300), `move ${"a and ".repeat(45)}b`, "1 ".repeat(150), "make ".repeat(60)]) {
      yield* Effect.exit(plan(text))
    }
  })

  test("of runs of full stops or exclamation marks takes time linear in its length", function* () {
    const texts = [".", "!", "。"].map((mark) => `${mark.repeat(19_990)}x`)
    for (const text of Array.from({ length: 8 }, () => texts).flat()) yield* Effect.exit(plan(text))
  })
})

describe("a command that no template has", () => {
  test("is refused with the nearest template and the schema of steps where there is no sampling (editors 003.22)", function* () {
    const failure = yield* Effect.flip(plan("move the castle to the other side of the river"))
    assert.strictEqual(failure.code, "OPERATION_UNSUPPORTED")
    const [template = "", schema = ""] = failure.suggestions ?? []
    assert.include(template, "`move`")
    assert.deepStrictEqual(JSON.parse(schema.slice(schema.indexOf("{"))), Steps.schema)
    assert.include((yield* Effect.flip(plan("ライトをもっと明るく"))).suggestions?.[0], "`light`")
  })

  const steps = [{ create: { primitive: "cube", name: "Keep" } }]

  test.each([
    ["JSON", JSON.stringify(steps)],
    ["a block of code", `Here you are:\n\`\`\`json\n${JSON.stringify(steps)}\n\`\`\``],
    ["a member `steps`", JSON.stringify({ steps })],
  ] as const)(
    "becomes what the client's model writes as %s, once it fits the schema (editors 003.22)",
    function* ([, answer]) {
      const asked: Array<string> = []
      const sample: Sample = ({ prompt, system }) => {
        assert.include(system, JSON.stringify(Steps.schema))
        asked.push(prompt)
        return Effect.succeed(answer)
      }
      assert.deepStrictEqual(yield* plan("build a castle", sample), { template: "sampling", steps })
      assert.lengthOf(asked, 1)
      assert.include(asked[0], "build a castle")
      assert.include(asked[0], '["Lamp"]')
    },
  )

  test("is asked for once more with what was wrong, and then fails (editors 003.22)", function* () {
    const asked: Array<string> = []
    const answers = ["no JSON", JSON.stringify([{ create: { primitive: "castle" } }])]
    const sample: Sample = ({ prompt }) => {
      asked.push(prompt)
      return Effect.succeed(answers[asked.length - 1] ?? "")
    }
    const failure = yield* Effect.flip(plan("build a castle", sample))
    assert.strictEqual(failure.code, "COMMAND_EXECUTION_FAILED")
    assert.deepStrictEqual(failure.path, ["steps", 0, "create", "primitive"])
    assert.lengthOf(asked, 2)
    assert.include(asked[1], "It was not JSON.")
  })
})
