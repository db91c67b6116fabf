import { assert, describe } from "@effect/vitest"
import type { EditorSettings } from "@zain/editor-link/infrastructure/mcp/EditorSettings"
import { test } from "@zain/testkit/Test"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Clock, Duration, Effect } from "effect"
import * as TestClock from "effect/testing/TestClock"
import * as Editors from "../../editor-link/testing/Editors.ts"
import { eventually } from "../../tool-server/testing/TestServer.ts"
import * as FakeUnityLoop from "../src/fake/FakeUnityLoop.ts"
import { loopTools } from "../src/fake/LoopTools.ts"
import { unityLoop } from "../src/UnityLoopProfile.ts"

const begin = Effect.fnUntraced(function* (settings: Partial<EditorSettings> = {}) {
  const unity = yield* FakeUnityLoop.start()
  const server = yield* Editors.server(unityLoop, [{ host: "127.0.0.1", port: unity.port }], settings)
  const received = () => unity.seen.flatMap((seen) => (seen._tag === "Frame" ? [seen.value as Message] : []))
  const methods = () => received().map(({ method }) => method)
  return { unity, server, received, methods }
})
interface Message {
  readonly method: string
  readonly id: string
  readonly params: unknown
}
/** A client that asks again. */
const ready = Effect.fnUntraced(function* (settings: Partial<EditorSettings> = {}) {
  const begun = yield* begin(settings)
  const client = yield* Editors.client(begun.server)
  return { ...begun, ...client }
})

describe("unity-loop: a client begins", () => {
  test.live(
    "nothing connects before initialize; then one connection, whose first frame is the client's name (editors 000.6)",
    function* () {
      const { received, server, unity } = yield* begin()
      assert.deepStrictEqual(unity.seen, [])
      yield* Editors.client(server, "My Client")
      yield* eventually(() => received().length === 2)
      assert.deepInclude(received()[0], { method: "set-client-name", params: { ClientName: "My Client" } })
      assert.deepInclude(received()[1], { method: "get-tool-details", params: { IncludeDevelopmentOnly: false } })
      assert.match(received()[0]?.id ?? "", /^ts_\d+_\d+_\d{1,3}_\d{4}$/)
      assert.strictEqual(unity.seen.filter(({ _tag }) => _tag === "Opened").length, 1)
    },
  )

  test.live(
    "a client that asks again has the tools of a Unity that is there in its first list (editors 000.5)",
    function* () {
      const { call, names, seen } = yield* ready()
      assert.include(yield* names, "get-hierarchy")
      yield* call("ping", {})
      assert.strictEqual(seen.changes, 0)
    },
  )

  test.live(
    "it is answered at once without Unity, and notified once when the tools are there (editors 000.5)",
    function* () {
      const { server, unity } = yield* begin({ connectWait: Duration.infinity })
      yield* unity.control.quit
      const { call, names, seen } = yield* Editors.client(server)
      assert.deepStrictEqual(yield* names, [])
      const failed = Editors.textOf(yield* call("get-hierarchy", {}))
      assert.include(failed, "The connection is tried again.")
      assert.notInclude(failed, "stay listed")
      yield* unity.control.reopen
      yield* eventually(() => seen.changes === 1)
      assert.include(yield* names, "get-hierarchy")
    },
  )

  test.live("a client that does not ask again has the tools in its first answers (editors 000.4)", function* () {
    const { server } = yield* begin()
    const { names } = yield* Editors.client(server, "Gemini CLI")
    assert.include(yield* names, "get-hierarchy")
  })

  test.live("development tools are listed only when they are asked for (editors 000.14)", function* () {
    const { names } = yield* ready()
    assert.notInclude(yield* names, "get-version")
    const development = yield* ready({ isDevelopment: true })
    assert.include(yield* development.names, "get-version")
  })

  test.live("a client without a name is shown by the name of the settings (editors 000.25)", function* () {
    const { received, server } = yield* begin({ clientName: "from the environment" })
    yield* Editors.client(server, " ")
    yield* eventually(() => received().length > 0)
    assert.deepStrictEqual(received()[0]?.params, { ClientName: "from the environment" })
  })
})

describe("unity-loop: the tools", () => {
  test.live(
    "schemas are Unity's, valid, and each oddity of its defaults is read as it is meant (editors 000.15)",
    function* () {
      const { tools } = yield* ready()
      const ajv = new Ajv2020({ strict: true })
      const byName = new Map((yield* tools).map((tool) => [tool.name, tool.inputSchema]))
      for (const schema of byName.values()) assert.doesNotThrow(() => ajv.compile(schema))
      assert.deepStrictEqual(byName.get("run-tests"), {
        type: "object",
        properties: {
          TestMode: { type: "string", enum: ["EditMode", "PlayMode"], description: "Which tests" },
          FilterType: {
            type: "string",
            enum: ["all", "exact", "regex", "assembly"],
            description: "What FilterValue names",
            default: "all",
          },
          FilterValue: { type: "string", description: "Which tests are run", default: "" },
          SaveXml: { type: "boolean", description: "Whether the results are written to a file", default: false },
        },
      })
      const { Position, Scale } = byName.get("create-game-object")?.properties ?? {}
      assert.deepStrictEqual(Position, { description: "Where it is", default: { x: 0, y: 0, z: 0 } })
      assert.deepStrictEqual(Scale, { type: "object", description: "How large it is" })
      assert.deepStrictEqual(byName.get("find-game-objects")?.properties?.["RequiredComponents"], {
        type: "array",
        items: {},
        description: "Components that each object has",
        default: [],
      })
    },
  )

  test.live("twenty changes become one notification, and the list is the last (editors 000.13)", function* () {
    const clock = yield* TestClock.make({ warningDelay: "1 hour" })
    const { methods, server, unity } = yield* Effect.provideService(begin(), Clock.Clock, clock)
    const { call, names, seen } = yield* Effect.provideService(Editors.client(server), Clock.Clock, clock)
    const getLogs = loopTools.find(({ name }) => name === "get-logs") ?? assert.fail("no get-logs")
    for (const last of [9, 19]) {
      for (let at = last - 9; at <= last; at++) {
        yield* unity.control.setTools([getLogs, { ...getLogs, name: `tool-${at}` }])
      }
      // It is answered after the notices.
      yield* call("get-logs", {})
      yield* Effect.andThen(Editors.turns, clock.adjust("100 millis"))
      yield* Effect.repeat(names, { until: (listed) => listed.includes(`tool-${last}`) })
    }
    yield* Effect.andThen(Editors.turns, clock.adjust("1 second"))
    yield* eventually(() => seen.changes > 0)
    yield* call("get-logs", {})
    assert.deepStrictEqual([seen.changes, yield* names], [1, ["get-logs", "tool-19"]])
    assert.strictEqual(methods().filter((method) => method === "get-tool-details").length, 3)
  })
})

describe("unity-loop: a call", () => {
  test.live(
    "method and parameters go as they are called, and the result is JSON with two spaces (editors 000.7)",
    function* () {
      const { call, received } = yield* ready()
      const params = { Name: "椅子 😀", PrimitiveType: "Sphere" }
      const result = yield* call("create-game-object", params)
      assert.deepInclude(received().at(-1), { method: "create-game-object", params })
      assert.strictEqual(Editors.textOf(result), JSON.stringify(JSON.parse(Editors.textOf(result)), undefined, 2))
      assert.include(Editors.textOf(result), "椅子 😀")
      assert.isUndefined(result.structuredContent)
    },
  )

  test.live(
    "an answer arrives one byte at a time, beside notices, twice, and after a stranger's (editors 000.7)",
    function* () {
      const { call, unity } = yield* ready()
      for (const fault of ["split-bytes", "joined-frames", "duplicate-answer", "unknown-id"] as const) {
        unity.control.fault(fault)
        assert.include(Editors.textOf(yield* call("get-hierarchy", {})), "sceneName", fault)
      }
    },
  )

  test.live(
    "a request over 1 MiB is refused before it is sent, as Unity would close the connection (editors 000.24)",
    function* () {
      const { call, methods } = yield* ready()
      const before = methods().length
      const refused = yield* call("create-game-object", { Name: "x".repeat(1_044_480) })
      assert.deepInclude(Editors.errorOf(refused), { code: "VALIDATION_ERROR", delivery: "not-sent" })
      assert.include(Editors.textOf(refused), "1044480 bytes")
      assert.strictEqual(methods().length, before)
    },
  )

  test.live("200 calls at once are all answered, in order (editors 000.17)", function* () {
    const { call, received } = yield* ready()
    const numbers = Array.from({ length: 200 }, (_, at) => at)
    const results = yield* Effect.forEach(numbers, (at) => call("find-game-objects", { NamePattern: `n${at}` }), {
      concurrency: "unbounded",
    })
    assert.isTrue(results.every(({ isError }) => isError !== true))
    const sent = received()
      .slice(-200)
      .map(({ params }) => (params as { NamePattern: string }).NamePattern)
    assert.deepStrictEqual(
      sent,
      numbers.map((at) => `n${at}`),
    )
  })
})

describe("unity-loop: Unity goes and comes back", () => {
  test.live(
    "a call under way fails with advice; the next one waits for Unity, and the name is sent anew (editors 000.12)",
    function* () {
      const { call, methods, seen, unity } = yield* ready()
      unity.control.fault("reload-in-call")
      const lost = yield* call("get-hierarchy", {})
      assert.deepInclude(Editors.errorOf(lost), { code: "CONNECTION_ERROR", delivery: "unknown", retryable: false })
      assert.include(Editors.textOf(lost), "check the state of the editor before calling again")
      assert.include(Editors.textOf(yield* call("get-hierarchy", {})), "sceneName")
      assert.strictEqual(methods().filter((method) => method === "set-client-name").length, 2)
      assert.strictEqual(seen.changes, 0)
    },
  )

  test.live("tools stay through a domain reload, and a call made meanwhile waits (editors 000.23)", function* () {
    const { call, names, seen, unity } = yield* ready()
    yield* unity.control.reload
    assert.include(yield* names, "get-hierarchy")
    const waiting = yield* Effect.forkChild(call("get-hierarchy", {}), { startImmediately: true })
    yield* unity.control.reopen
    yield* eventually(() => waiting.pollUnsafe() !== undefined)
    assert.strictEqual(seen.changes, 0)
  })

  test.live("tools are cleared at once when the editor quits, and are back with it (editors 000.23)", function* () {
    const { call, names, seen, unity } = yield* ready()
    yield* unity.control.quit
    yield* eventually(() => seen.changes === 1)
    assert.deepStrictEqual(yield* names, [])
    const failed = yield* call("get-hierarchy", {})
    assert.deepInclude(Editors.errorOf(failed), { code: "DISCOVERY_ERROR", delivery: "not-sent", retryable: true })
    yield* unity.control.reopen
    yield* eventually(() => seen.changes === 2)
    assert.include(yield* names, "get-hierarchy")
  })

  test.live(
    "without grace tools are cleared at every loss, and announced at every return (editors 000.23)",
    function* () {
      const { seen, unity } = yield* ready({ grace: Duration.zero })
      yield* unity.control.reload
      yield* eventually(() => seen.changes === 1)
      yield* unity.control.reopen
      yield* eventually(() => seen.changes === 2)
    },
  )

  test.live("the list of a client that does not ask again is never cleared", function* () {
    const { server, unity } = yield* begin()
    const { call, names, seen } = yield* Editors.client(server, "windsurf")
    yield* unity.control.quit
    // The first call may be sent before the loss is seen.
    yield* call("get-hierarchy", {})
    const failed = yield* call("get-hierarchy", {})
    assert.deepInclude(Editors.errorOf(failed), { code: "DISCOVERY_ERROR", delivery: "not-sent" })
    yield* Editors.turns
    assert.include(yield* names, "get-hierarchy")
    assert.strictEqual(seen.changes, 0)
  })
})

describe("several editors (editors House 4)", () => {
  test.live("every tool takes `editor`, and two clients never mix", function* () {
    const [one, two] = [yield* FakeUnityLoop.start(), yield* FakeUnityLoop.start()]
    const targets = [
      { name: "one", host: "127.0.0.1", port: one.port },
      { name: "two", host: "127.0.0.1", port: two.port },
    ]
    const server = yield* Editors.server(unityLoop, targets)
    const clients = [yield* Editors.client(server, "windsurf"), yield* Editors.client(server, "windsurf")] as const
    const [tool] = yield* clients[0].tools
    assert.deepStrictEqual(tool?.inputSchema.required, ["editor"])
    assert.deepInclude(tool?.inputSchema.properties?.["editor"], { enum: ["one", "two"] })
    yield* clients[0].call("create-game-object", { editor: "one", Name: "left" })
    yield* clients[1].call("create-game-object", { editor: "two", Name: "right" })
    assert.include(Editors.textOf(yield* clients[1].call("get-hierarchy", { editor: "one" })), "left")
    assert.notInclude(Editors.textOf(yield* clients[0].call("get-hierarchy", { editor: "two" })), "left")
    const missing = yield* clients[0].call("get-hierarchy", {})
    assert.include(Editors.textOf(missing), "expected one of one, two")
  })
})
