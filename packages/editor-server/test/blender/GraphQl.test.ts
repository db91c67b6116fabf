import { setImmediate } from "node:timers/promises"
import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { isInterfaceType, isObjectType } from "graphql"
import { test } from "../../../core/test/Test.ts"
import { schema } from "../../src/blender/BlenderSchema.ts"
import type { Params } from "../../src/blender/Bridge.ts"
import * as GraphQl from "../../src/blender/GraphQl.ts"
import * as StubBridge from "./StubBridge.ts"

/** The examples in the descriptions of fields, by their coordinates. */
const examples = Object.values(schema.getTypeMap()).flatMap((type) =>
  isObjectType(type) || isInterfaceType(type)
    ? Object.values(type.getFields()).flatMap(({ description, name }) => {
        const example = /Example: `(.*)`$/.exec(description ?? "")?.[1]
        return example === undefined ? [] : [[`${type.name}.${name}`, example] as const]
      })
    : [],
)

describe("a query", () => {
  test.each<readonly [query: string, asked: ReadonlyArray<readonly [string, Params]>]>([
    ["{ scene { context { objectCount } } }", [["scene.read", { fields: ["objectCount"] }]]],
    [
      "{ scene { context { name counts { mesh light } viewport { shading } } } }",
      [["scene.read", { fields: ["name", "counts", "viewport"] }]],
    ],
    ["{ scene { context { n: name name __typename } } }", [["scene.read", { fields: ["name"] }]]],
    ["{ scene { context { __typename } } }", []],
    [
      "{ a: scene { context { name } } b: scene { context { frame } c: context { digest } } sceneContext { unit } }",
      [["scene.read", { fields: ["name", "frame", "digest", "unit"] }]],
    ],
    [
      `{ scene { context { ...F ... on SceneContext { file } frame @skip(if: true) unit @include(if: false) } } }
       fragment F on SceneContext { name ...G } fragment G on SceneContext { materials ...H @skip(if: true) } fragment H on SceneContext { digest }`,
      [["scene.read", { fields: ["name", "materials", "file"] }]],
    ],
    [
      `{ scene { context { name } selectedObjects { name location { x } }
         one: object(name: "Cube") { type } two: object(name: "椅子") { faces } three: object(name: "Cube") { parent } }
         selectedObjects { visible } }`,
      [
        ["scene.read", { fields: ["name"] }],
        ["object.read", { fields: ["name", "location", "visible"], selected: true }],
        ["object.read", { fields: ["type", "faces", "parent"], names: ["Cube", "椅子"] }],
      ],
    ],
    ["{ scene { availableOperations { name } } execution { stats { queries } } }", []],
    ["{ execution { stats { queued } } }", [["health", {}]]],
  ])("reads what it selects, and its reads share requests: %s", function* ([query, asked]) {
    const bridge = StubBridge.make()
    assert.isUndefined((yield* bridge.execute(query)).errors)
    assert.deepStrictEqual(bridge.asked as ReadonlyArray<unknown>, asked)
  })

  test("gives the objects of the names that are there, and null for the others", function* () {
    const query = `{ scene { one: object(name: "Cube") { name modifiers { type } } two: object(name: "Cone") { name } } }`
    assert.deepStrictEqual(JSON.parse(JSON.stringify((yield* StubBridge.make().execute(query)).data)), {
      scene: { one: { name: "Cube", modifiers: [{ type: "BEVEL" }] }, two: null },
    })
  })

  test("of a bridge that answers nonsense has an error with a code, and ends", function* () {
    const bridge = StubBridge.make({
      "scene.read": Effect.succeed("?"),
      "object.read": Effect.succeed({ objects: [{}] }),
      health: Effect.die(new Error("broken")),
    })
    const query = "{ scene { context { name } selectedObjects { name } } execution { stats { queries queued } } }"
    const { data, errors = [] } = yield* bridge.execute(query)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(data)), {
      scene: { context: null, selectedObjects: null },
      execution: { stats: { queries: 1, queued: null } },
    })
    const codes = Object.fromEntries(errors.map(({ extensions, path }) => [path?.join("."), extensions?.["code"]]))
    assert.deepStrictEqual(codes, {
      "scene.context": "INTERNAL_SERVER_ERROR",
      "scene.selectedObjects.0.name": "INTERNAL_SERVER_ERROR",
      "execution.stats.queued": "UNEXPECTED_ERROR",
    })
  })

  test("is refused as a mutation where only reading is allowed", function* () {
    const { services, asked } = StubBridge.make()
    const query = "query Q { scene { context { name } } } mutation M { scene { undo { success } } }"
    const answered = (operationName: string) => GraphQl.execute(services, { query, operationName }, true)
    assert.isUndefined((yield* answered("Q")).errors)
    const { data, errors } = yield* answered("M")
    assert.isUndefined(data)
    assert.strictEqual(errors?.[0]?.extensions?.["code"], "PERMISSION_DENIED")
    assert.lengthOf(asked, 1)
  })

  test.each([
    ["{ scene {", undefined, "INVALID_INPUT"],
    ["{ scene { contxt { name } } }", undefined, "VALIDATION_ERROR"],
    ["mutation { command.executeNatural }", undefined, "INVALID_INPUT"],
    ["subscription { scene }", undefined, "VALIDATION_ERROR"],
    ["query ($name: String!) { scene { object(name: $name) { name } } }", {}, "INVALID_VALUE"],
    ["query ($name: String!) { scene { object(name: $name) { name } } }", { name: 7 }, "INVALID_VALUE"],
    [
      "mutation { command { apply(steps: [{ world: { strength: 1 }, render: { samples: 1 } }]) { success } } }",
      undefined,
      "VALIDATION_ERROR",
    ],
    [
      "mutation ($step: StepInput!) { command { apply(steps: [$step]) { success } } }",
      { step: { world: { strength: 1 }, render: { samples: 1 } } },
      "INVALID_VALUE",
    ],
  ] as const)("that is wrong is not executed: %s", function* ([query, variables, code]) {
    const bridge = StubBridge.make()
    const { data, errors = [] } = yield* bridge.execute(query, variables)
    assert.isUndefined(data)
    assert.strictEqual(errors[0]?.extensions?.["code"], code)
    assert.isNotEmpty(errors[0]?.extensions?.["suggestions"])
    assert.isEmpty(bridge.asked)
  })
})

describe("mutations", () => {
  /** Each request takes some turns of the event loop. */
  const slow = (log: Array<string>) => {
    const step = (name: string, answer: unknown) =>
      Effect.gen(function* () {
        log.push(`${name} begins`)
        for (let turn = 0; turn < 5; turn++) yield* Effect.promise(() => setImmediate())
        log.push(`${name} ends`)
        return answer
      })
    const sample = () => step("sampling", JSON.stringify([{ world: { strength: 2 } }]))
    const instead = {
      "steps.apply": step("steps.apply", { outcomes: [], changes: null }),
      "code.run": step("code.run", {}),
      undo: step("undo", { done: true }),
      "preview.render": step("preview.render", {}),
    }
    return StubBridge.make(instead, { sample: sample as never })
  }

  test.live("begin in the order of the document, each when the one before has ended (editors 003.8)", function* () {
    const log: Array<string> = []
    const query = `mutation {
      command {
        one: executeRaw(pythonCode: "1") { success }
        executeNatural(command: "make the sky dramatic") { success template }
        ...More
      }
      scene { undo { success } capturePreview { success } }
      model { iterate(modelId: "Cube", feedback: "make it red") { success } }
      executeRawCommand(pythonCode: "2") { success }
      again: command { executeWithContext(command: "delete it") { success } }
    }
    fragment More on CommandMutation { apply(steps: [{ world: { strength: 1 } }]) { success } }`
    const { errors } = yield* slow(log).execute(query)
    assert.isUndefined(errors)
    const order = ["code.run", "sampling", "steps.apply", "steps.apply", "undo", "preview.render"].concat([
      ...["steps.apply", "code.run", "steps.apply"],
    ])
    assert.deepStrictEqual(
      log,
      order.flatMap((name) => [`${name} begins`, `${name} ends`]),
    )
  })

  test("after one that fails are carried out all the same, each with its own result (editors 003.9)", function* () {
    const bridge = StubBridge.make({
      "code.run": Effect.fail({ code: "EXECUTION_ERROR", message: "ZeroDivisionError" }),
    })
    const query = `mutation { command { executeRaw(pythonCode: "1/0") { success error { code } } } scene { undo { success } } }`
    assert.deepStrictEqual(JSON.parse(JSON.stringify(yield* bridge.execute(query))), {
      data: {
        command: { executeRaw: { success: false, error: { code: "EXECUTION_ERROR" } } },
        scene: { undo: { success: true } },
      },
    })
  })

  test("of a bridge that dies or answers nonsense fail by value", function* () {
    const bridge = StubBridge.make({ undo: Effect.die(new Error("broken")), redo: Effect.succeed([]) })
    const { data } = yield* bridge.execute(
      "mutation { scene { undo { error { code details } } redo { error { code } } } }",
    )
    assert.deepStrictEqual(JSON.parse(JSON.stringify(data)), {
      scene: {
        undo: { error: { code: "UNEXPECTED_ERROR", details: "Error: broken" } },
        redo: { error: { code: "INTERNAL_SERVER_ERROR" } },
      },
    })
  })

  test("that are interrupted end what is under way, and begin nothing more", function* () {
    const begun = yield* Deferred.make<void>()
    const ended = yield* Deferred.make<void>()
    const endless = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
    const bridge = StubBridge.make({
      "code.run": Effect.onInterrupt(endless, () => Deferred.succeed(ended, undefined)),
    })
    const query = `mutation { command { executeRaw(pythonCode: "1") { success } } scene { undo { success } } }`
    const fiber = yield* Effect.forkChild(bridge.execute(query))
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(fiber)
    yield* Deferred.await(ended)
    assert.lengthOf(bridge.asked, 1)
  })

  test("report how long they took, and the statistics count them", function* () {
    const bridge = StubBridge.make({
      undo: Effect.delay(Effect.succeed({ done: true }), 250),
      redo: Effect.succeed({ done: false }),
    })
    const fiber = yield* Effect.forkChild(
      bridge.execute("mutation { scene { undo { executionTimeMs } redo { success error { message } } } }"),
    )
    while (bridge.asked.length === 0) yield* Effect.promise(() => setImmediate())
    yield* TestClock.adjust(250)
    const { data } = yield* Fiber.join(fiber)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(data)), {
      scene: {
        undo: { executionTimeMs: 250 },
        redo: { success: false, error: { message: "There is nothing to redo." } },
      },
    })
    const stats = yield* bridge.execute("{ execution { stats { queries mutations failures meanMs maxMs queued } } }")
    assert.deepStrictEqual(JSON.parse(JSON.stringify(stats.data)), {
      execution: { stats: { queries: 1, mutations: 2, failures: 1, meanMs: 125, maxMs: 250, queued: 2 } },
    })
  })
})

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
      [["steps.apply", { steps }]],
    )
    assert.deepStrictEqual(
      yield* asked(
        `{ command { executeNatural(command: "delete Cube") { ...P } } } fragment P on CommandResult { preview { after { width } } }`,
      ),
      [["steps.apply", { steps, preview: { width: 512, height: 512 } }]],
    )
    const options = "options: { dryRun: true, timeoutMs: 5000, preview: { width: 64, view: front, samples: 2 } }"
    assert.deepStrictEqual(
      yield* asked(`{ command { executeRaw(pythonCode: "1", ${options}) { preview { before { base64 } } } } }`),
      [
        [
          "code.run",
          { code: "1", dryRun: true, timeoutMs: 5000, preview: { width: 64, height: 512, view: "front", samples: 2 } },
          5000,
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
            preview: { width: 32, height: 32 },
          },
        ],
      ],
    )
  })

  test("with context is about the selected objects, and reads them only where it needs them", function* () {
    assert.deepStrictEqual(yield* asked(`{ command { executeWithContext(command: "それを削除") { success } } }`), [
      ["scene.read", { fields: ["selected"] }],
      ["steps.apply", { steps: [{ delete: { objects: ["Cube"] } }] }],
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
    "\"quotes\" and 'more'",
    "lines\nof\r\ncode\t\\n",
    '"""three"""',
    "{ } $x # 'あ' 😀 \u0000",
    "a".repeat(5_000_000 / 5),
  ])("receives a text in variables as it is, also %j (editors 003.17)", function* (text) {
    const variables = { text }
    assert.deepStrictEqual(yield* asked("{ command { executeRaw(pythonCode: $text) { success value } } }", variables), [
      ["code.run", { code: text }],
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
      ["code.run", { code: "1" }],
      ["code.run", { code: "1" }],
    ])
    assert.strictEqual(bridge.log[0], 'executeRaw metadata: {"author":"あ","tags":[1]}')
    assert.isBelow(bridge.log[1]?.length ?? 0, 4_200)
  })

  test("on files gives the bridge the path, or none for the present file", function* () {
    assert.deepStrictEqual(yield* asked(`{ scene { open(file: "椅子.blend") { file } save { file } } }`), [
      ["file.open", { path: "椅子.blend" }],
      ["file.save", {}],
    ])
  })
})

describe("the example of a field", () => {
  test.each(examples)("%s is executed without an error (editors 003.8)", function* ([, query]) {
    const bridge = StubBridge.make({ redo: Effect.succeed({ done: true, changes: null }) })
    const answer = yield* bridge.execute(query)
    assert.isUndefined(answer.errors)
    if (query.startsWith("mutation")) assert.isTrue(StubBridge.payloadIn(answer).success, query)
  })

  test("is there for each operation and each read (editors 003.8)", function* () {
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
    yield* Effect.void
    assert.sameMembers(
      examples.map(([coordinate]) => coordinate),
      expected,
    )
  })
})
