import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as StubBridge from "../testing/StubBridge.ts"

const repeated = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join(" ")

/** As many fields within each other; no schema is asked before. */
const deep = (depth: number) => `{ ${"scene { ".repeat(depth - 1)} x ${"} ".repeat(depth - 1)} }`

const aliased = (count: number) => `{ scene { ${repeated(count, (at) => `a${at}: object(name: "Cube") { name }`)} } }`

/** A fragment of 11 aliases, ten times. */
const throughFragments = `{ ${repeated(10, (at) => `s${at}: scene { ...Ten }`)} }
  fragment Ten on SceneQuery { ${repeated(10, (at) => `c${at}: context { name }`)} }`

/** As many names, and 26 tokens around them. */
const listed = (count: number) =>
  `mutation { command { apply(steps: [{ select: { objects: [${'"" '.repeat(count)}] } }]) { success } } }`

describe("a query", () => {
  test.each([
    ["100 aliases", aliased(100)],
    ["5,000 tokens", listed(4_974)],
    ["262,144 characters", `{ __typename }${" ".repeat(262_130)}`],
    [
      "fragments within introspection",
      "{ __schema { types { fields { type { ofType { ofType { ofType { ofType { ofType { ofType { ofType { name } } } } } } } } } } } }",
    ],
  ] as const)("of %s is executed (editors 003.25)", function* ([, query]) {
    const answer = yield* StubBridge.make().execute(query)
    assert.isUndefined(answer.errors)
  })

  test.each([
    ["101 aliases", aliased(101), "The query has 101 aliases: 100 is the limit."],
    ["110 aliases by fragments", throughFragments, "The query has 110 aliases: 100 is the limit."],
    ["13 fields of depth", deep(13), "The query is 13 fields deep: 12 is the limit."],
    [
      "13 fields of depth by fragments",
      `{ scene { ...F0 } } ${repeated(11, (at) => `fragment F${at} on X { a { ...F${at + 1} } }`)} fragment F11 on X { a }`,
      "The query is 13 fields deep: 12 is the limit.",
    ],
    ["5,001 tokens", listed(4_975), "Document contains more than 5000 tokens"],
    [
      "262,145 characters",
      `{ __typename }${" ".repeat(262_131)}`,
      "262144 is the limit. Give long values as variables.",
    ],
    ["more comments than tokens", `${"#\n".repeat(5_001)}{ scene { __typename } }`, /comments/],
    ["brackets within brackets", `{ scene { object(name: ${"[".repeat(2_400)}${"]".repeat(2_400)}) { name } } }`, /./],
  ] as const)("of %s is refused before anything is read (editors 003.25)", function* ([, query, message]) {
    const bridge = StubBridge.make()
    const { data, errors = [] } = yield* bridge.execute(query)
    assert.isUndefined(data)
    assert.match(errors[0]?.message ?? "", new RegExp(message))
    assert.include(["INVALID_INPUT", "VALIDATION_ERROR"], errors[0]?.extensions?.["code"])
    assert.isEmpty(bridge.asked)
  })

  test("whose lists have more than 2,000,000 fields of objects has the lists up to there", function* () {
    const objects = Array.from({ length: 500_000 }, () => ({ name: "Cube" }))
    const bridge = StubBridge.make({ "object.read": Effect.succeed({ objects }) })
    const lists = repeated(5, (at) => `s${at}: selectedObjects { name }`)
    const { data, errors = [] } = yield* bridge.execute(`{ ${lists} }`)
    assert.deepStrictEqual(
      Object.values(data as Readonly<Record<string, ReadonlyArray<unknown> | null>>).map((list) => list?.length),
      [500_000, 500_000, 500_000, 500_000, undefined],
    )
    assert.deepStrictEqual(
      errors.map(({ extensions, path }) => [path, extensions?.["code"]]),
      [[["s4"], "INVALID_INPUT"]],
    )
    const query = "{ selectedObjects { ...F } } fragment F on ObjectInfo { name a: name location { x y } }"
    const refused = yield* bridge.execute(query)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(refused.data)), { selectedObjects: null })
    assert.include(refused.errors?.[0]?.message, "more than 2000000 fields")
  })

  test("whose lists by filters are too large reads no more of them", function* () {
    const objects = Array.from({ length: 1_000_000 }, () => ({ name: "Cube" }))
    const bridge = StubBridge.make({ "object.read": Effect.succeed({ objects }) })
    const lists = repeated(20, (at) => `s${at}: objects(offset: ${at}) { name }`)
    const { errors = [] } = yield* bridge.execute(`{ scene { ${lists} } }`)
    assert.strictEqual(errors.length, 18)
    assert.isAtMost(bridge.asked.length, 4)
  })

  test("of 12 fields of depth passes the bound (editors 003.25)", function* () {
    const { errors = [] } = yield* StubBridge.make().execute(deep(12))
    assert.strictEqual(errors[0]?.extensions?.["code"], "VALIDATION_ERROR")
    assert.notInclude(errors[0]?.message, "deep")
  })

  test("whose fragments double twenty times, or are within themselves, is refused at once (editors 003.25)", function* () {
    const doubled = `{ scene { ...F0 } } ${repeated(20, (at) => `fragment F${at} on SceneQuery { x${at}: context { name } ...F${at + 1} ... on SceneQuery { ...F${at + 1} } }`)} fragment F20 on SceneQuery { y: context { name } }`
    const cyclic = "{ scene { ...A } } fragment A on SceneQuery { ...B } fragment B on SceneQuery { ...A }"
    for (const query of [doubled, cyclic]) {
      const { data, errors = [] } = yield* StubBridge.make().execute(query)
      assert.isUndefined(data)
      assert.isNotEmpty(errors)
    }
  })
})
