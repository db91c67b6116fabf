import { assert, describe, it } from "@effect/vitest"
import { test } from "../../../core/test/Test.ts"
import * as GraphQlHttp from "../../src/blender/GraphQlHttp.ts"
import * as StubBridge from "./StubBridge.ts"

const json = "application/json; charset=utf-8"
const query = "query Q($name: String!) { scene { object(name: $name) { name } } }"

describe("POST /graphql", () => {
  test("answers a query with its variables", function* () {
    const body = JSON.stringify({ query, variables: { name: "Cube" }, operationName: "Q" })
    const answer = yield* GraphQlHttp.answerGraphQl(StubBridge.make().services, json, body)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(answer)), {
      status: 200,
      body: { data: { scene: { object: { name: "Cube" } } } },
    })
  })

  test("answers a mutation that fails with 200: the failure is a value (editors 003.9)", function* () {
    const body = JSON.stringify({ query: "mutation { scene { redo { success error { code } } } }" })
    const answer = yield* GraphQlHttp.answerGraphQl(StubBridge.make().services, "Application/JSON", body)
    assert.strictEqual(answer.status, 200)
  })

  test.each<readonly [what: string, contentType: string | undefined, body: string, status: number]>([
    ["a syntax error", json, JSON.stringify({ query: "{ scene {" }), 400],
    ["an unknown field", json, JSON.stringify({ query: "{ scen }" }), 400],
    ["a missing variable", json, JSON.stringify({ query }), 400],
    ["an unknown operation", json, JSON.stringify({ query: "query A { __typename }", operationName: "B" }), 400],
    ["no JSON", json, "{", 400],
    ["a list", json, "[]", 400],
    ["no query", json, "{}", 400],
    ["variables that are a list", json, JSON.stringify({ query, variables: [] }), 400],
    ["an operation's name that is a number", json, JSON.stringify({ query, operationName: 1 }), 400],
    ["a form", "application/x-www-form-urlencoded", "query={__typename}", 415],
    ["plain text", "text/plain", JSON.stringify({ query: "{ __typename }" }), 415],
    ["JSON with a suffix", "application/jsonp", JSON.stringify({ query: "{ __typename }" }), 415],
    ["no media type", undefined, JSON.stringify({ query: "{ __typename }" }), 415],
  ])(
    "refuses %s with a code and suggestions, and Blender receives nothing (editors 003.9)",
    function* ([, contentType, text, status]) {
      const bridge = StubBridge.make()
      const answer = yield* GraphQlHttp.answerGraphQl(bridge.services, contentType, text)
      assert.strictEqual(answer.status, status)
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

describe("GET /status", () => {
  it("has the server, whether a client has initialized it, and the state of the editor", () => {
    const server = { name: "Blender GraphQL MCP", version: "1.2.3" }
    assert.deepStrictEqual(GraphQlHttp.status({ server, isInitialized: true, editor: "Ready" }), {
      status: 200,
      body: { status: "ok", server, initialized: true, editor: "Ready" },
    })
  })
})
