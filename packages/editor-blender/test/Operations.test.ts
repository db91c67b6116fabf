import { assert, describe, it } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Deferred, Effect, Fiber } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { isInterfaceType, isObjectType } from "graphql"
import { schema } from "../src/BlenderSchema.ts"
import type { Params } from "../src/Bridge.ts"
import { operations } from "../src/Operations.ts"
import * as StubBridge from "../testing/StubBridge.ts"

/** The examples in the descriptions of fields, by their coordinates. */
const examples = Object.values(schema.getTypeMap()).flatMap((type) =>
  isObjectType(type) || isInterfaceType(type)
    ? Object.values(type.getFields()).flatMap(({ description, name }) => {
        const example = /Example: `(.*)`$/.exec(description ?? "")?.[1]
        return example === undefined ? [] : [[`${type.name}.${name}`, example] as const]
      })
    : [],
)

/** Of an operation without `options`. */
const timeoutMs = 30_000

describe("an operation", () => {
  const asked = Effect.fnUntraced(function* (query: string, variables?: Params) {
    const bridge = StubBridge.make()
    const answer = yield* bridge.execute(
      `mutation${variables === undefined ? "" : "($text: String!)"} ${query}`,
      variables,
    )
    assert.isUndefined(answer.errors)
    return bridge.asked
  })

  test("renders pictures only where preview is selected, in the size of the options", function* () {
    const steps = [{ delete: { objects: ["Cube"] } }]
    assert.deepStrictEqual(
      yield* asked(`{ command { executeNatural(command: "delete Cube") { success changes { created } } } }`),
      [["steps.apply", { steps, timeoutMs }]],
    )
    assert.deepStrictEqual(
      yield* asked(
        `{ command { executeNatural(command: "delete Cube") { ...P } } } fragment P on CommandResult { preview { after { width } } }`,
      ),
      [["steps.apply", { steps, timeoutMs, preview: { width: 512, height: 512 } }]],
    )
    const options = "options: { dryRun: true, timeoutMs: 5000, preview: { width: 64, view: front, samples: 2 } }"
    assert.deepStrictEqual(
      yield* asked(`{ command { executeRaw(pythonCode: "1", ${options}) { preview { before { base64 } } } } }`),
      [
        [
          "code.run",
          { code: "1", dryRun: true, timeoutMs: 5000, preview: { width: 64, height: 512, view: "front", samples: 2 } },
        ],
      ],
    )
    assert.deepStrictEqual(
      yield* asked(
        `{ model { iterate(modelId: "椅子", feedback: "赤くする", renderOptions: { width: 32, height: 32 }) { preview { after { width } } } } }`,
      ),
      [
        [
          "steps.apply",
          {
            steps: [{ material: { object: "椅子", color: { r: 1, g: 0, b: 0, a: 1 } } }],
            timeoutMs,
            preview: { width: 32, height: 32 },
          },
        ],
      ],
    )
  })

  test("with context is about the selected objects, and reads them only where it needs them", function* () {
    assert.deepStrictEqual(yield* asked(`{ command { executeWithContext(command: "それを削除") { success } } }`), [
      ["scene.read", { fields: ["selected"] }],
      ["steps.apply", { steps: [{ delete: { objects: ["Cube"] } }], timeoutMs }],
    ])
    assert.lengthOf(yield* asked(`{ command { executeWithContext(command: "delete Light") { success } } }`), 1)
  })

  test("gives the bridge the steps of its protocol: no kinds, no nulls, and geometry for dimensions", function* () {
    const query = `{ command { apply(steps: [
      { create: { primitive: cube, name: null, transform: { location: { x: 1, y: 2, z: 3 } }, geometry: { dimensions: { x: 2, y: 1, z: 3 } }, material: { color: { r: 1, g: 0, b: 0 } } } }
      { camera: { lookAt: { object: "Cube" } } }
      { camera: { lookAt: { point: { x: 0, y: 0, z: 1 } }, active: null } }
      { parent: { object: "Cube" } }
      { parent: { object: "Cube", parent: "Desk", keepTransform: false } }
      { modifier: { object: "Cube", type: "ARRAY", settings: { count: 3, offset_object: null } } }
    ]) { success steps outcomes { names } } } }`
    const [[method, params] = []] = yield* asked(query)
    assert.strictEqual(method, "steps.apply")
    assert.deepStrictEqual(JSON.parse(JSON.stringify(params)), {
      steps: [
        {
          create: {
            primitive: "cube",
            geometry: { size: 1 },
            transform: { location: { x: 1, y: 2, z: 3 }, scale: { x: 2, y: 1, z: 3 } },
            material: { color: { r: 1, g: 0, b: 0, a: 1 } },
          },
        },
        { camera: { lookAt: "Cube" } },
        { camera: { lookAt: { x: 0, y: 0, z: 1 } } },
        { parent: { object: "Cube", parent: null } },
        { parent: { object: "Cube", parent: "Desk", keepTransform: false } },
        { modifier: { object: "Cube", type: "ARRAY", settings: { count: 3, offset_object: null } } },
      ],
      timeoutMs,
    })
  })

  test("that fails gives the steps that it tried, for the caller to correct", function* () {
    const bridge = StubBridge.make({ "steps.apply": Effect.fail({ code: "OBJECT_NOT_FOUND", message: "No Cone." }) })
    const query = `mutation { command { executeNatural(command: "delete Cone") { success steps template error { suggestions } } } }`
    const payload = StubBridge.payloadIn(yield* bridge.execute(query))
    assert.isFalse(payload.success)
    assert.strictEqual(payload["template"], "delete")
    assert.deepStrictEqual(payload["steps"], [{ delete: { objects: ["Cone"] } }])
  })

  test.each([
    ["quotes", "\"quotes\" and 'more'"],
    ["line breaks", "lines\nof\r\ncode\t\\n"],
    ["three quotes", '"""three"""'],
    ["signs of GraphQL and JSON", "{ } $x # 'あ' 😀 \u0000"],
    ["64 KiB", "a".repeat(64 * 1024)],
  ] as const)("receives a text with %s in variables as it is (editors 003.17)", function* ([, text]) {
    const variables = { text }
    assert.deepStrictEqual(yield* asked("{ command { executeRaw(pythonCode: $text) { success value } } }", variables), [
      ["code.run", { code: text, timeoutMs }],
    ])
    assert.deepStrictEqual(yield* asked("{ scene { save(file: $text) { success file } } }", variables), [
      ["file.save", { path: text }],
    ])
    const [[, params] = []] = yield* asked(
      "{ command { apply(steps: [{ create: { primitive: text, geometry: { text: $text } } }]) { success } } }",
      variables,
    )
    const steps = text.length > 10_000 ? undefined : [{ create: { primitive: "text", geometry: { text } } }]
    assert.deepStrictEqual(params?.["steps"] as unknown, steps)
  })

  test("keeps metadata of Python code in the log, and gives Blender none of it", function* () {
    const bridge = StubBridge.make()
    const query = `mutation ($m: JSON) { command { executeRaw(pythonCode: "1", metadata: $m) { success } } }`
    yield* bridge.execute(query, { m: { author: "あ", tags: [1] } })
    yield* bridge.execute(query, { m: "x".repeat(10_000) })
    assert.deepStrictEqual(bridge.asked, [
      ["code.run", { code: "1", timeoutMs }],
      ["code.run", { code: "1", timeoutMs }],
    ])
    assert.strictEqual(bridge.log[0], 'executeRaw metadata: {"author":"あ","tags":[1]}')
    assert.isBelow(bridge.log[1]?.length ?? 0, 4_200)
  })

  test("on files gives the bridge the path, or none for the present file", function* () {
    assert.deepStrictEqual(
      yield* asked(`{ scene { open(file: "椅子.blend", discard: true) { file } save { file } } }`),
      [
        ["file.open", { path: "椅子.blend", discard: true }],
        ["file.save", {}],
      ],
    )
  })

  test("on other files says which were read or written, and what was left out of them", function* () {
    const bridge = StubBridge.make()
    const query = `mutation { scene {
      import(file: "a.gltf") { message }
      export(file: "b.gltf", selected: true) { message files }
      render(file: "c.png", frame: 2) { message }
    } }`
    const { data, errors } = yield* bridge.execute(query)
    assert.isUndefined(errors)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(data)).scene, {
      import: { message: "Imported a.gltf. Left out 1 reference to files elsewhere." },
      export: { message: "Wrote b.gltf and 1 other file.", files: ["b.gltf", "/work/chair.bin"] },
      render: { message: "Rendered c.png." },
    })
    assert.deepStrictEqual(bridge.asked, [
      ["file.import", { path: "a.gltf" }],
      ["file.export", { path: "b.gltf", selected: true }],
      ["render.frames", { path: "c.png", frame: 2, timeoutMs: 600_000 }],
    ])
  })

  test("reports the frames of a render while it runs", function* () {
    const reported = yield* Deferred.make<string>()
    const render = Effect.as(Deferred.await(reported), { files: ["a.png"] })
    const health = Effect.succeed({
      running: { id: "1", method: "render.frames", ms: 1, done: 2, total: 3 },
      queued: 0,
    })
    const progress = (message: string) => Deferred.doneUnsafe(reported, Effect.succeed(message))
    const bridge = StubBridge.make({ "render.frames": render, health }, { progress })
    const rendered = yield* Effect.forkChild(operations.render(bridge.services, { file: "a.png" }, false))
    yield* TestClock.adjust("1 second")
    assert.isTrue((yield* Fiber.join(rendered)).success)
    assert.strictEqual(yield* Deferred.await(reported), "2 of 3 frames rendered")
  })
})

describe("the example of a field", () => {
  test.each(examples)("%s is executed without an error (editors 003.8)", function* ([, query]) {
    const bridge = StubBridge.make({ redo: Effect.succeed({ done: true, changes: null }) })
    const answer = yield* bridge.execute(query)
    assert.isUndefined(answer.errors)
    if (query.startsWith("mutation")) assert.isTrue(StubBridge.payloadIn(answer).success, query)
  })

  it("is there for each operation and each read (editors 003.8)", () => {
    const operations = [
      "Query",
      "SceneQuery",
      "ExecutionQuery",
      "Mutation",
      "CommandMutation",
      "ModelMutation",
      "SceneMutation",
    ]
    const expected = operations.flatMap((name) => {
      const type = schema.getType(name)
      return isObjectType(type) ? Object.keys(type.getFields()).map((field) => `${name}.${field}`) : []
    })
    assert.sameMembers(
      examples.map(([coordinate]) => coordinate),
      expected,
    )
  })
})
