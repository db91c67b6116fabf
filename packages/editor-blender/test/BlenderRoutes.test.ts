/**
 * `POST /graphql` and `GET /status` of the profile `blender`, over the fake of its bridge.
 */
import { assert, describe } from "@effect/vitest"
import * as Carrier from "@zain/editor-link/infrastructure/link/Carrier"
import type { Target } from "@zain/editor-link/infrastructure/link/Target"
import type { EditorSettings } from "@zain/editor-link/infrastructure/mcp/EditorSettings"
import * as RawHttp from "@zain/testkit/RawHttp"
import { test } from "@zain/testkit/Test"
import * as HttpServe from "@zain/tool-server/http/HttpServe"
import { Duration, Effect } from "effect"
import * as Editors from "../../editor-link/testing/Editors.ts"
import { eventually } from "../../tool-server/testing/TestServer.ts"
import { blender, withoutCode } from "../src/BlenderProfile.ts"
import * as FakeBlender from "../src/fake/FakeBlender.ts"

interface Answer {
  readonly data?: Readonly<Record<string, unknown>>
  readonly errors?: ReadonlyArray<{ readonly message: string; readonly extensions: Readonly<Record<string, unknown>> }>
}

interface Payload {
  readonly success?: boolean
  readonly error?: Readonly<Record<string, string>>
}

/** What a mutation answered. */
const payload = ({ data }: Answer, name: string) =>
  (data?.["command"] as Readonly<Record<string, Payload>> | undefined)?.[name] ?? {}

const targetOf = ({ port, token }: FakeBlender.FakeBlender): Target => ({ host: "127.0.0.1", port, token })

/** A server before these editors, and a client of its routes. */
const served = Effect.fnUntraced(function* (
  targets: ReadonlyArray<Target>,
  settings: Partial<EditorSettings> = {},
  profile = blender,
) {
  const server = yield* Editors.server(profile, targets, settings)
  const { url } = yield* HttpServe.serve({
    server,
    kind: "http",
    host: "127.0.0.1",
    port: 0,
    tokens: [],
    routes: server.routes,
  })
  const http = yield* RawHttp.make(url)
  const post = (request: unknown, path = "/graphql") =>
    Effect.map(
      http.send({ path, headers: { "content-type": "application/json" }, body: JSON.stringify(request) }),
      ({ status, text }) => ({ status, ...(JSON.parse(text) as Answer) }),
    )
  const state = Effect.map(http.send({ path: "/status" }), ({ status, text }) => ({ status, body: JSON.parse(text) }))
  return { server, url, http, post, state }
})

const begin = Effect.fnUntraced(function* (settings: Partial<EditorSettings> = {}, profile = blender) {
  const editor = yield* FakeBlender.start()
  const methods = () =>
    editor.seen.flatMap((seen) => (seen._tag === "Frame" ? [(seen.value as { readonly method: string }).method] : []))
  return { editor, methods, ...(yield* served([targetOf(editor)], settings, profile)) }
})

const named = "query Named($name: String!) { scene { object(name: $name) { name type } } }"
const apply = `mutation Apply($steps: [StepInput!]!) {
  command { apply(steps: $steps) { success error { code category details message } changes { created } } }
}`
const cube = (name: string) => ({ steps: [{ create: { primitive: "cube", name } }] })

describe("POST /graphql", () => {
  test.live("answers a mutation and a query of what it made, on the connection of the tools", function* () {
    const { editor, post, server } = yield* begin()
    const { call } = yield* Editors.client(server)
    yield* call("scene.query", { query: "{ scene { context { objectCount } } }" })
    const { data, status } = yield* post({ query: apply, variables: cube('椅子 "1"') })
    assert.deepStrictEqual(
      [status, data],
      [200, { command: { apply: { success: true, error: null, changes: { created: ['椅子 "1"'] } } } }],
    )
    const found = yield* post({ query: named, variables: { name: '椅子 "1"' }, operationName: "Named" })
    assert.deepStrictEqual(found, { status: 200, data: { scene: { object: { name: '椅子 "1"', type: "MESH" } } } })
    assert.strictEqual(editor.control.connections(), 1)
    const stats = "{ execution { stats { queries mutations } } }"
    const [own, tool] = [yield* post({ query: stats }), yield* call("scene.query", { query: stats })]
    const all = [own, JSON.parse(Editors.textOf(tool))].map(({ data }) => data.execution.stats)
    const [counts, later] = all as ReadonlyArray<{ readonly mutations: number; readonly queries: number }>
    assert.isAtLeast(counts?.mutations ?? 0, 1)
    assert.deepStrictEqual(later, { ...counts, queries: (counts?.queries ?? 0) + 1 })
  })

  test.live.each<readonly [what: string, request: unknown]>([
    ["a syntax error", { query: "{ scene {" }],
    ["an unknown field", { query: "{ scen }" }],
    ["a missing variable", { query: named }],
    ["a deep query", { query: `${"{ a".repeat(20)}${" }".repeat(20)}` }],
    ["a body that is no request", { quer: "{ __typename }" }],
    ["an unknown operation", { query: "query A { __typename }", operationName: "B" }],
    ["a list", []],
    ["a text", "{ __typename }"],
    ["variables that are a list", { query: named, variables: [] }],
    ["an operation's name that is a number", { query: named, operationName: 1 }],
  ])("answers %s with 400, and does not connect to Blender (editors 003.9)", function* ([, request]) {
    const { editor, post } = yield* begin()
    const { data, errors, status } = yield* post(request)
    assert.strictEqual(status, 400)
    assert.isUndefined(data)
    assert.isNotEmpty(errors?.[0]?.message)
    assert.containsAllKeys(errors?.[0]?.extensions, ["code", "category", "suggestions"])
    assert.deepStrictEqual(editor.seen, [])
  })

  test.live("refuses what is not JSON, in the form of GraphQL, with 415", function* () {
    const { http } = yield* begin()
    const answer = yield* http.send({ path: "/graphql", method: "POST", body: "query={__typename}" })
    assert.strictEqual(answer.status, 415)
    const { errors } = JSON.parse(answer.text) as Answer
    assert.include(errors?.[0]?.message, "application/json")
    assert.deepInclude(errors?.[0]?.extensions, { code: "INVALID_INPUT" })
  })

  test.live("does not connect to Blender for what needs none", function* () {
    const { editor, post } = yield* begin()
    assert.deepStrictEqual(yield* post({ query: "{ __typename }" }), { status: 200, data: { __typename: "Query" } })
    assert.deepStrictEqual(editor.seen, [])
  })

  test.live("answers 200 without Blender: the failure has SYSTEM_ERROR and says that nothing was sent", function* () {
    const { editor, post } = yield* begin()
    yield* editor.control.quit
    const answer = yield* post({ query: apply, variables: cube("A") })
    assert.strictEqual(answer.status, 200)
    const { error, success } = payload(answer, "apply")
    assert.isFalse(success)
    assert.deepInclude(error, { code: "SYSTEM_ERROR", category: "SYSTEM" })
    assert.match(String(error?.["details"]), /^not-sent:/)
    assert.include(error?.["message"], "Start the bridge")
    const read = yield* post({ query: named, variables: { name: "A" } })
    assert.deepStrictEqual([read.status, read.errors?.[0]?.extensions["code"]], [200, "SYSTEM_ERROR"])
    assert.match(String(read.errors?.[0]?.extensions["details"]), /^not-sent:/)
  })

  test.live(
    "sends a query again whose connection was lost; a mutation not, and says that its outcome is unknown",
    function* () {
      const { editor, methods, post } = yield* begin()
      yield* post({ query: named, variables: { name: "A" } })
      editor.control.fault("reload-in-call", { times: 1 })
      const read = yield* post({ query: named, variables: { name: "Cube" } })
      assert.isUndefined(read.errors)
      editor.control.fault("reload-in-call", { times: 1 })
      const answer = yield* post({ query: apply, variables: cube("A") })
      const { error } = payload(answer, "apply")
      assert.deepStrictEqual([answer.status, error?.["code"]], [200, "SYSTEM_ERROR"])
      assert.match(String(error?.["details"]), /^unknown:/)
      assert.strictEqual(methods().filter((method) => method === "steps.apply").length, 1)
    },
  )

  test.live("answers OPERATION_TIMEOUT for what takes too long, and cancels it in Blender", function* () {
    const { editor, methods, post } = yield* begin({ timeout: Duration.millis(100) })
    editor.control.fault("silence")
    const { errors } = yield* post({ query: named, variables: { name: "A" } })
    assert.strictEqual(errors?.[0]?.extensions["code"], "OPERATION_TIMEOUT")
    yield* eventually(() => methods().at(-1) === "cancel")
  })

  test.live("cancels in Blender what a client asked for that has gone away", function* () {
    const { editor, methods, post, url } = yield* begin()
    editor.control.hold()
    const lost = yield* RawHttp.make(url)
    const body = JSON.stringify({ query: apply, variables: cube("A") })
    yield* Effect.forkScoped(lost.send({ path: "/graphql", headers: { "content-type": "application/json" }, body }))
    yield* eventually(() => editor.control.held() === 1)
    lost.vanish()
    yield* eventually(() => methods().at(-1) === "cancel")
    editor.control.release()
    assert.strictEqual((yield* post({ query: named, variables: { name: "Cube" } })).status, 200)
  })

  test.live("runs no Python where the server runs none (editors 003.24)", function* () {
    const { methods, post } = yield* begin({}, withoutCode)
    const query = 'mutation { command { executeRaw(pythonCode: "1") { success error { code } } } }'
    assert.deepInclude(payload(yield* post({ query }), "executeRaw"), { error: { code: "PERMISSION_DENIED" } })
    assert.notInclude(methods(), "code.run")
  })
})

describe("GET /status", () => {
  test.live("has the server and the state of the connection, and connects to nothing (editors 003.16)", function* () {
    let connects = 0
    const connect = (target: Target): Carrier.Connect => {
      const tcp = Carrier.tcp(blender, target, 2 ** 20)
      return (listener) =>
        Effect.andThen(
          Effect.sync(() => connects++),
          tcp(listener),
        )
    }
    const { editor, post, server, state } = yield* begin({ connect, reconnects: false })
    const body = { status: "ok", server: { name: "zain-blender-mcp", version: "0" } }
    // What the first one leads to has happened before the last.
    for (let times = 0; times < 3; times++) {
      assert.deepStrictEqual(yield* state, { status: 200, body: { ...body, initialized: false, editor: "Idle" } })
    }
    assert.strictEqual(connects, 0)
    yield* post({ query: named, variables: { name: "A" } })
    assert.deepStrictEqual((yield* state).body, { ...body, initialized: false, editor: "Ready" })
    yield* Editors.client(server)
    assert.deepStrictEqual((yield* state).body, { ...body, initialized: true, editor: "Ready" })
    yield* editor.control.quit
    yield* eventually(() => editor.control.connections() === 0)
    let last: string | undefined
    while (last !== "Away") last = (yield* state).body.editor
    assert.strictEqual((yield* state).body.editor, "Away")
    assert.strictEqual(connects, 1)
  })
})

describe("several Blenders", () => {
  const two = Effect.gen(function* () {
    const [a, b] = [yield* FakeBlender.start(), yield* FakeBlender.start()]
    return {
      a,
      b,
      ...(yield* served([
        { name: "a", ...targetOf(a) },
        { name: "b", ...targetOf(b) },
      ])),
    }
  })

  test.live(
    "are named in the address of POST /graphql; a missing or unknown name is 400, and lists them",
    function* () {
      const { a, b, post, state } = yield* two
      assert.strictEqual((yield* post({ query: apply, variables: cube("A") }, "/graphql?editor=b")).status, 200)
      const [inA, inB] = [
        yield* post({ query: named, variables: { name: "A" } }, "/graphql?editor=a"),
        yield* post({ query: named, variables: { name: "A" } }, "/graphql?editor=b"),
      ]
      assert.deepStrictEqual(
        [inA.data, inB.data],
        [{ scene: { object: null } }, { scene: { object: { name: "A", type: "MESH" } } }],
      )
      assert.deepStrictEqual((yield* state).body.editor, { a: "Ready", b: "Ready" })
      for (const path of ["/graphql", "/graphql?editor=c", "/graphql?editor="]) {
        const { errors, status } = yield* post({ query: "{ __typename }" }, path)
        assert.strictEqual(status, 400)
        assert.match(String(errors?.[0]?.message), /expected one of a, b\b/)
      }
      assert.deepStrictEqual([a.control.connections(), b.control.connections()], [1, 1])
    },
  )

  test.live("need no name where there is one", function* () {
    const { post } = yield* begin()
    const { errors, status } = yield* post({ query: "{ __typename }" }, "/graphql?editor=a")
    assert.strictEqual(status, 400)
    assert.include(errors?.[0]?.message, "one editor, without a name")
  })
})
