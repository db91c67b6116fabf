import { assert, describe } from "@effect/vitest"
import type { EditorSettings } from "@zain/editor-link/infrastructure/mcp/EditorSettings"
import { test } from "@zain/testkit/Test"
import { Clock, Effect } from "effect"
import * as TestClock from "effect/testing/TestClock"
import * as Editors from "../../editor-link/testing/Editors.ts"
import { eventually } from "../../tool-server/testing/TestServer.ts"
import * as FakeUnity from "../src/fake/FakeUnity.ts"
import { unityCommand } from "../src/UnityCommand.ts"
import { unity as profile } from "../src/UnityProfile.ts"

const begin = Effect.fnUntraced(function* (name = "test-client", settings: Partial<EditorSettings> = {}) {
  const unity = yield* FakeUnity.start()
  const select = yield* Effect.promise(() => unityCommand.select({}, false))
  const server = yield* Editors.server(profile, [{ host: "127.0.0.1", port: unity.port }], { select, ...settings })
  const client = yield* Editors.client(server, name)
  const sent = () => unity.seen.flatMap((seen) => (seen._tag === "Frame" ? [seen.value as Message] : []))
  return { unity, server, sent, ...client }
})
interface Message {
  readonly id: string
  readonly type: string
  readonly params: unknown
}

describe("unity: a client", () => {
  test.live.each([
    ["test-client", 107],
    ["windsurf", 97],
    ["Cursor", 39],
  ] as const)("%s is given %i tools (editors 004.4, 004.19)", function* ([name, count]) {
    const { names } = yield* begin(name)
    assert.lengthOf(yield* names, count)
  })

  test.live("reaches what it is not given by search_tools and call_tool (editors 004.25)", function* () {
    const { call, sdk } = yield* begin("Cursor")
    assert.include(sdk.getInstructions() ?? "", "search_tools finds the others")
    const found = yield* call("search_tools", { query: "profiler", scope: "read" })
    assert.include(Editors.textOf(found), "profiler_status")
    const called = yield* call("call_tool", { name: "profiler_status", arguments: {} })
    assert.notStrictEqual(called.isError, true)
  })
})

describe("unity: a call", () => {
  test.live("is sent as id, type and params, and builds in the scene (editors 004.9, House 2)", function* () {
    const { call, sent } = yield* begin()
    const created = yield* call("create_gameobject", {
      name: "Chair",
      primitiveType: "cube",
      position: { x: 1, y: 0, z: 2 },
    })
    assert.notStrictEqual(created.isError, true, Editors.textOf(created))
    assert.deepInclude(sent().at(-1), { type: "create_gameobject" })
    assert.match(sent().at(-1)?.id ?? "", /^\d+$/)
    assert.include(Editors.textOf(yield* call("get_hierarchy", {})), "Chair")
  })

  test.live("has the state of the editor beside its result, and an image as one (editors 004.24)", function* () {
    const { call } = yield* begin()
    const { _meta, content } = yield* call("capture_screenshot", { encodeAsBase64: true })
    assert.property(_meta, "editorState")
    assert.deepInclude(
      content.find(({ type }) => type === "image"),
      { mimeType: "image/png" },
    )
    assert.notInclude(JSON.stringify(content.filter(({ type }) => type === "text")), "base64Data")
  })

  test.live.each(["split-bytes", "joined-frames", "noise", "duplicate-answer", "unknown-id"] as const)(
    "gets its own answer through %s, and so does the next one (editors 004.10)",
    function* (fault) {
      const { call, unity } = yield* begin()
      yield* call("create_gameobject", { name: "Chair" })
      unity.control.fault(fault)
      const first = Editors.textOf(yield* call("get_hierarchy", {}))
      assert.include(first, '"name": "Chair"')
      const second = Editors.textOf(yield* call("ping", { message: "the second call" }))
      assert.include(second, "the second call")
    },
  )

  test.live("gets an answer of 8 MiB whole (editors 004.12)", function* () {
    const { call, unity } = yield* begin()
    unity.control.fault("big-answer")
    assert.include(Editors.textOf(yield* call("get_hierarchy", {})), `"${"x".repeat(8 * 2 ** 20)}"`)
  })
})

describe("unity: tools that change", () => {
  test.live(
    "each tool that Unity does not have leaves the list with a notification, until an editor connects anew (editors 004.7)",
    function* () {
      const { call, names, seen, unity } = yield* begin()
      yield* call("ping", {})
      yield* unity.control.setTools([{ name: "get_editor_info" }, { name: "ping" }])
      // The first can be notified together with the connection, the second cannot.
      for (const [at, name] of ["list_scenes", "get_hierarchy"].entries()) {
        const failed = yield* call(name, {})
        assert.deepInclude(Editors.errorOf(failed), { code: "UNKNOWN_COMMAND", delivery: "answered" })
        yield* eventually(() => seen.changes === at + 1)
        assert.lengthOf(yield* names, 106 - at)
      }
      yield* Effect.andThen(unity.control.reload, unity.control.reopen)
      yield* call("ping", {})
      yield* eventually(() => seen.changes === 3)
      assert.lengthOf(yield* names, 107)
    },
  )
})

describe("unity: work that is waited for", () => {
  test.live(
    "play_game and stop_game answer when the editor agrees, across a lost connection (editors 004.24)",
    function* () {
      const { call, unity } = yield* begin()
      unity.control.fault("reload-in-play")
      const playing = yield* call("play_game", {})
      assert.include(Editors.textOf(playing), '"isPlaying": true')
      assert.isTrue(unity.seen.some(({ _tag }) => _tag === "Closed"))
      const blocked = yield* call("create_gameobject", { name: "x" })
      assert.deepInclude(Editors.errorOf(blocked), { code: "PLAY_MODE_BLOCKED" })
      assert.include(Editors.textOf(blocked), "stop_game first")
      assert.include(Editors.textOf(yield* call("stop_game", {})), '"isPlaying": false')
    },
  )

  test.live("run_tests answers with the results, and at once with wait: false (editors House 5)", function* () {
    const { call, sent } = yield* begin()
    const waited = yield* call("run_tests", { testMode: "EditMode" })
    assert.include(Editors.textOf(waited), "completed")
    assert.notProperty(sent().find(({ type }) => type === "run_tests")?.params, "wait")
    const begun = yield* call("run_tests", { testMode: "EditMode", wait: false })
    assert.include(Editors.textOf(begun), "running")
  })

  test.live("run_tests reports progress, and ends with its cancellation (editors House 5)", function* () {
    const clock = yield* TestClock.make({ warningDelay: "1 hour" })
    const { call, sdk, sent } = yield* Effect.provideService(begin(), Clock.Clock, clock)
    const statuses = () => sent().filter(({ type }) => type === "get_test_status").length
    const messages: Array<string | undefined> = []
    const controller = new AbortController()
    const params = { name: "run_tests", arguments: { testMode: "EditMode" } }
    const options = {
      signal: controller.signal,
      onprogress: ({ message }: { readonly message?: string | undefined }) => void messages.push(message),
    }
    const ended = sdk.callTool(params, undefined, options).catch((error: Error) => error.message)
    yield* Effect.andThen(clock.adjust("1 second"), Effect.sleep("5 millis")).pipe(
      Effect.repeat({ until: () => statuses() > 0 }),
    )
    yield* eventually(() => messages.length > 0)
    assert.match(messages[0] ?? "", /^tests run, \d+ s$/)
    controller.abort("enough")
    assert.include(String(yield* Effect.promise(() => ended)), "enough")
    yield* call("ping", {})
    yield* clock.adjust("1 minute")
    yield* call("ping", {})
    assert.strictEqual(statuses(), 1)
  })

  test.live("a tool on C# files of a project that is not there says so (editors 004.21)", function* () {
    const elsewhere = yield* begin("test-client", { projectRoot: "/no/such/project" })
    const failed = yield* elsewhere.call("script_read", { path: "Assets/A.cs" })
    assert.isTrue(failed.isError)
    assert.include(Editors.textOf(failed), "/no/such/project")
  })
})
