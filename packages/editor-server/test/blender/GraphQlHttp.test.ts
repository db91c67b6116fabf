import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as GraphQlHttp from "../../src/blender/GraphQlHttp.ts"
import * as StubBridge from "./StubBridge.ts"

const query = "query Q($name: String!) { scene { object(name: $name) { name } } }"

describe("the body of POST /graphql", () => {
  test("is answered with its variables", function* () {
    const body = { query, variables: { name: "Cube" }, operationName: "Q" }
    const answer = yield* GraphQlHttp.answer(StubBridge.make().services, body)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(answer)), {
      status: 200,
      body: { data: { scene: { object: { name: "Cube" } } } },
    })
  })

  test("is answered with 200 where a mutation fails: the failure is a value (editors 003.9)", function* () {
    const body = { query: "mutation { scene { redo { success error { code } } } }" }
    const answer = yield* GraphQlHttp.answer(StubBridge.make().services, body)
    assert.strictEqual(answer.status, 200)
  })

  test.each<readonly [what: string, body: unknown]>([
    ["a syntax error", { query: "{ scene {" }],
    ["an unknown field", { query: "{ scen }" }],
    ["a missing variable", { query }],
    ["an unknown operation", { query: "query A { __typename }", operationName: "B" }],
    ["a list", []],
    ["a text", "{ __typename }"],
    ["no query", {}],
    ["variables that are a list", { query, variables: [] }],
    ["an operation's name that is a number", { query, operationName: 1 }],
  ])(
    "is refused for %s with a code and suggestions, and Blender receives nothing (editors 003.9)",
    function* ([, body]) {
      const bridge = StubBridge.make()
      const answer = yield* GraphQlHttp.answer(bridge.services, body)
      assert.strictEqual(answer.status, 400)
      const { data, errors } = answer.body as {
        data?: unknown
        errors: ReadonlyArray<{ message: string; extensions: object }>
      }
      assert.isUndefined(data)
      assert.isNotEmpty(errors[0]?.message)
      assert.containsAllKeys(errors[0]?.extensions, ["code", "category", "suggestions"])
      assert.isEmpty(bridge.asked)
    },
  )
})
