import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { graphqlSync } from "graphql"
import { schema } from "../src/BlenderSchema.ts"
import * as StubBridge from "../testing/StubBridge.ts"

const at = { x: 0, y: -1.5, z: 1e300 }
const whole = {
  name: "椅子",
  type: "MESH",
  location: at,
  visible: true,
  parent: null,
  materials: ["Wood", ""],
  modifiers: [{ name: "Bevel", type: "BEVEL" }],
  vertices: 8,
}
const all = "name type location { x y z } visible parent materials modifiers { name type } vertices"

/** What the bridge answers, and what is selected of it. */
const cases: ReadonlyArray<readonly [name: string, objects: ReadonlyArray<unknown>, selection: string]> = [
  ["objects", [whole, { ...whole, name: "Cube" }], all],
  ["no objects", [], all],
  ["another order", [whole], "vertices name location { z x }"],
  ["other names", [whole], "a: name b: name name: type location { up: z }"],
  ["the name of the type", [whole], "__typename name"],
  ["a field twice", [whole], "name location { x } location { y } name"],
  ["a fragment", [whole], "...F type location { ... on Vector3 { y } }"],
  ["directives", [whole], "name @skip(if: true) type @include(if: true) visible"],
  ["members that are not there", [{ name: "Cube" }], "name parent vertices"],
  ["null where none may be", [whole, { ...whole, name: null }], all],
  ["a text that is a number", [{ ...whole, name: 7 }], all],
  ["a number that is a text", [{ ...whole, vertices: "8" }], all],
  ["a number that is too large", [{ ...whole, vertices: 2 ** 31 }], all],
  ["a number with a fraction", [{ ...whole, vertices: 1.5 }], all],
  ["a vector that is none", [{ ...whole, location: [1, 2, 3] }, whole], all],
  ["a list that is none", [{ ...whole, materials: "Wood" }], all],
  ["null in a list", [{ ...whole, materials: [null] }], all],
  ["an object that is none", ["Cube"], all],
]

describe("a list of objects", () => {
  test.each(cases)("is answered as the executor of GraphQL answers it: %s", function* ([, objects, selection]) {
    const fragment = selection.includes("...F") ? " fragment F on ObjectInfo { name materials }" : ""
    const query = `{ selectedObjects { ${selection} } }${fragment}`
    const expected = graphqlSync({ schema, source: query, rootValue: { selectedObjects: objects } })
    const bridge = StubBridge.make({ "object.read": Effect.succeed({ objects }) })
    const answered = yield* bridge.execute(query)
    assert.strictEqual(JSON.stringify(answered.data), JSON.stringify(expected.data))
    const seen = ({ message, path }: { readonly message: string; readonly path?: unknown }) => ({ message, path })
    assert.deepStrictEqual((answered.errors ?? []).map(seen), (expected.errors ?? []).map(seen))
  })

  test("is answered at each place that selects it, whatever fails beside it", function* () {
    const objects = [whole, { ...whole, name: "Cube" }]
    const bridge = StubBridge.make({
      "object.read": Effect.succeed({ objects }),
      "scene.read": Effect.succeed("nonsense"),
    })
    const { data, errors } = yield* bridge.execute(
      "{ mine: scene { context { name } selectedObjects { name } again: selectedObjects { vertices } } selectedObjects { type } }",
    )
    assert.deepStrictEqual(JSON.parse(JSON.stringify(data)), {
      mine: {
        context: null,
        selectedObjects: [{ name: "椅子" }, { name: "Cube" }],
        again: [{ vertices: 8 }, { vertices: 8 }],
      },
      selectedObjects: [{ type: "MESH" }, { type: "MESH" }],
    })
    assert.deepStrictEqual(
      errors?.map(({ path }) => path),
      [["mine", "context"]],
    )
  })
})
