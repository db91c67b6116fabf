import { setImmediate } from "node:timers/promises"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Params } from "../src/Bridge.ts"
import * as GraphQl from "../src/GraphQl.ts"
import * as StubBridge from "../testing/StubBridge.ts"

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
    [
      `{ scene { objects(type: "LIGHT", limit: 2) { name light { energy } } all: objects { name } few: objects(limit: 0) { __typename } } }`,
      [
        ["object.read", { fields: ["name", "light"], type: "LIGHT", limit: 2, offset: 0 }],
        ["object.read", { fields: ["name"], limit: 100, offset: 0 }],
        ["object.read", { fields: ["name"], limit: 0, offset: 0 }],
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

  test.each([
    ["code.run", `mutation { command { executeRaw(pythonCode: "1") { success } } scene { undo { success } } }`],
    ["scene.read", `mutation { executeWithContext(command: "delete it") { success } scene { undo { success } } }`],
    ["object.read", `{ scene { object(name: "Cube") { name } } }`],
  ] as const)("that are interrupted in %s end what is under way, and begin nothing more", function* ([method, query]) {
    const begun = yield* Deferred.make<void>()
    const ended = yield* Deferred.make<void>()
    const endless = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
    const bridge = StubBridge.make({ [method]: Effect.onInterrupt(endless, () => Deferred.succeed(ended, undefined)) })
    const fiber = yield* Effect.forkChild(bridge.execute(query))
    yield* Deferred.await(begun)
    // The request has begun within the turn that begins it.
    yield* Effect.promise(() => setImmediate())
    yield* Fiber.interrupt(fiber)
    assert.isTrue(yield* Deferred.isDone(ended))
    yield* Effect.promise(() => setImmediate())
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
