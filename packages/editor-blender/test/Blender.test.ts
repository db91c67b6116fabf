/**
 * The profile `blender` behind MCP, over the fake of its bridge: what it does before any Blender, and what only the fake can be
 * brought to do.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import { type LoggingMessageNotification, LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import type { EditorSettings } from "@zain/editor-link/infrastructure/mcp/EditorSettings"
import { test } from "@zain/testkit/Test"
import { Duration, Effect, Fiber } from "effect"
import * as Editors from "../../editor-link/testing/Editors.ts"
import * as FrontClients from "../../editor-link/testing/FrontClients.ts"
import { eventually } from "../../tool-server/testing/TestServer.ts"
import { blender as profile } from "../src/BlenderProfile.ts"
import * as FakeBlender from "../src/fake/FakeBlender.ts"
import { cube, failureOf, jsonOf } from "../testing/BlenderSubject.ts"
import { blenderSuite } from "../testing/BlenderSuite.ts"

const begin = Effect.fnUntraced(function* (
  settings: Partial<EditorSettings> = {},
  options: FakeBlender.FakeBlenderOptions = {},
) {
  const editor = yield* FakeBlender.start(options)
  const server = yield* Editors.server(
    profile,
    [{ host: "127.0.0.1", port: editor.port, token: editor.token }],
    settings,
  )
  const client = yield* Editors.client(server)
  const sent = () => editor.seen.flatMap((seen) => (seen._tag === "Frame" ? [seen.value as Message] : []))
  const methods = () => sent().map(({ method }) => method)
  return { editor, server, sent, methods, ...client }
})
interface Message {
  readonly id: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

const start = Effect.map(begin(), ({ server }) => server)

blenderSuite("blender: before the fake of its bridge", { start })
blenderSuite("blender: over WebSocket (editors 003.28)", { start, reach: FrontClients.reach("ws") })

describe("blender: a call", () => {
  test.live("of command.apply sends its steps, with the time that they may take", function* () {
    const { call, sent } = yield* begin()
    const steps = [cube("椅子"), { delete: { objects: ["Cube"] } }]
    yield* call("command.apply", { steps })
    assert.deepInclude(sent().at(-1), { method: "steps.apply", params: { timeoutMs: 30_000, steps } })
  })

  test.live("of command.executeRaw with more than 64 KiB is refused, and Blender is untouched", function* () {
    const { call, methods } = yield* begin()
    const long = yield* call("command.executeRaw", { pythonCode: "#".repeat(64 * 1024 + 1) })
    assert.include(Editors.textOf(long), "`pythonCode`")
    const wide = yield* call("command.executeRaw", { pythonCode: `#${"あ".repeat(22_000)}` })
    assert.include(Editors.textOf(wide), "`pythonCode` has 66001 bytes: 65536 is the limit.")
    assert.deepInclude(Editors.errorOf(wide), { code: "INVALID_VALUE" })
    assert.notInclude(methods(), "code.run")
    assert.notStrictEqual((yield* call("command.executeRaw", { pythonCode: "#".repeat(64 * 1024) })).isError, true)
  })

  test.live(
    "is not sent twice when its connection is lost, and works when Blender is back (editors 003.15)",
    function* () {
      const { call, editor, methods } = yield* begin()
      editor.control.fault("reload-in-call")
      const failed = yield* call("command.apply", { steps: [cube("A")] })
      assert.deepInclude(Editors.errorOf(failed), { code: "CONNECTION_ERROR", delivery: "unknown", retryable: false })
      assert.strictEqual(methods().filter((method) => method === "steps.apply").length, 1)
      assert.notStrictEqual((yield* call("command.apply", { steps: [cube("A")] })).isError, true)
    },
  )

  test.live(
    "in words or in GraphQL that is lost says that its outcome is unknown, and a failure of theirs that it was answered (editors 003.15)",
    function* () {
      const { call, editor } = yield* begin()
      const words = { command: "create a red cube" }
      assert.notStrictEqual((yield* call("command.executeNatural", words)).isError, true)
      editor.control.fault("reload-in-call")
      const lost = Editors.errorOf(yield* call("command.executeNatural", words))
      assert.deepInclude(lost, { code: "CONNECTION_ERROR", delivery: "unknown", retryable: false })
      editor.control.fault("reload-in-call", { times: 2 })
      const query = { query: "{ scene { context { objectCount } } }" }
      const asked = Editors.errorOf(yield* call("scene.query", query))
      assert.deepInclude(asked, { code: "CONNECTION_ERROR", delivery: "unknown", retryable: true })
      assert.include(Editors.textOf(yield* call("scene.query", query)), '"objectCount":')
      const wrong = Editors.errorOf(yield* call("scene.query", { query: "{ nothing }" }))
      assert.deepInclude(wrong, { code: "VALIDATION_ERROR", delivery: "answered" })
      const unclear = Editors.errorOf(yield* call("command.executeNatural", { command: "make it dramatic" }))
      assert.deepInclude(unclear, { code: "OPERATION_UNSUPPORTED", delivery: "answered" })
    },
  )

  test.live("that the client cancels is cancelled in Blender by its id, and its late answer is dropped", function* () {
    const { call, editor, sent } = yield* begin()
    editor.control.hold()
    const calling = yield* Effect.forkChild(call("scene.undo", {}))
    yield* eventually(() => editor.control.held() === 1)
    const waiting = yield* Effect.forkChild(call("command.apply", { steps: [cube("A")] }))
    yield* eventually(() => sent().at(-1)?.method === "steps.apply")
    const { id } = sent().at(-1) ?? { id: "" }
    yield* Fiber.interrupt(waiting)
    yield* eventually(() => sent().at(-1)?.method === "cancel")
    assert.deepStrictEqual(sent().at(-1)?.params, { id })
    editor.control.release()
    yield* Fiber.join(calling)
    const { changes } = jsonOf(yield* call("command.apply", { steps: [cube("A")] }))
    assert.deepStrictEqual(changes.created, ["A"])
  })

  test.live("that times out is cancelled in Blender, and fails as OPERATION_TIMEOUT", function* () {
    const { call, editor, sent } = yield* begin({ timeout: Duration.millis(50) })
    yield* call("scene.undo", {})
    editor.control.fault("silence")
    const failed = yield* call("scene.undo", {})
    assert.deepInclude(Editors.errorOf(failed), { code: "OPERATION_TIMEOUT", delivery: "unknown" })
    yield* eventually(() => sent().at(-1)?.method === "cancel")
  })

  test.live("of scene.query answers with over 5 MB, whole and in compact JSON (editors 003.18)", function* () {
    const { call } = yield* begin()
    const modifiers = Array.from({ length: 120 }, (_, at) => ({
      modifier: { object: "Cube", type: "BEVEL", name: `面取りの名前 ${at}` },
    }))
    yield* call("command.apply", { steps: [...modifiers, { duplicate: { object: "Cube", count: 999, name: "部品" } }] })
    const query = "{ scene { selectedObjects { name location { x y z } modifiers { name type } } } }"
    const text = Editors.textOf(yield* call("scene.query", { query }))
    assert.isAbove(Buffer.byteLength(text), 5_000_000)
    const { data } = JSON.parse(text)
    assert.lengthOf(data.scene.selectedObjects, 1_000)
    assert.strictEqual(data.scene.selectedObjects.at(-1).name, "部品.998")
    assert.strictEqual(text, JSON.stringify({ success: true, data }))
  })

  test.live(
    "that the bridge is too busy for says so, with -32000 in a result and as the code of a read (editors 003.15)",
    function* () {
      const { call, editor, sdk } = yield* begin()
      editor.control.fault("busy", { times: 2 })
      const error = Editors.errorOf(yield* call("scene.undo", {}))
      assert.deepInclude(error, { code: "SYSTEM_ERROR", delivery: "answered" })
      assert.deepInclude(error["details"], { rpcCode: -32_000 })
      const read = yield* failureOf(() => sdk.readResource({ uri: "blender://scene/selected" }))
      assert.deepInclude(read, { code: -32_000 })
      assert.deepInclude(read.data.details, { rpcCode: -32_000 })
    },
  )
})

/** The texts of a file, or of the files below a directory. */
const textsIn = (path: string): ReadonlyArray<string> =>
  statSync(path).isDirectory()
    ? readdirSync(path).flatMap((name) => textsIn(join(path, name)))
    : [readFileSync(path, "utf8")]

describe("blender: resources", () => {
  test.live("are there for each `blender://` that a text names (editors 003.30)", function* () {
    const { sdk } = yield* begin()
    const texts = ["src", "bridge/zain_bridge", "bridge/PROTOCOL.md", "../../docs/guides", "../../docs/reference"]
      .map((place) => fileURLToPath(new URL(`../${place}`, import.meta.url)))
      .flatMap(textsIn)
    const named = new Set(texts.flatMap((text) => text.match(/blender:\/\/\w+(\/\w+)?/g) ?? []))
    assert.isAtLeast(named.size, 6)
    for (const uri of named) {
      const read = () => sdk.readResource({ uri: uri === "blender://object" ? `${uri}/Cube` : uri })
      assert.isNotEmpty((yield* Effect.promise(read)).contents, uri)
    }
  })

  const contextUri = "blender://scene/context"

  test.live(
    "are read from Blender once until the scene changes, and after a call that may change it (editors 003.21)",
    function* () {
      const { call, editor, methods, sdk } = yield* begin()
      const read = () => Effect.promise(() => sdk.readResource({ uri: contextUri }))
      const reads = () => methods().filter((method) => method === "scene.read").length
      yield* Effect.all([read(), read()], { concurrency: 2 })
      yield* read()
      assert.strictEqual(reads(), 1)
      yield* call("scene.capturePreview", {})
      yield* read()
      assert.strictEqual(reads(), 1)
      // There is nothing to undo, and so no notice.
      yield* call("scene.undo", {})
      yield* read()
      assert.strictEqual(reads(), 2)
      yield* call("command.apply", { steps: [cube("A")] })
      assert.include(JSON.stringify(yield* read()), '\\"objectCount\\": 4')
      const before = reads()
      yield* editor.changed
      yield* eventually(() => {
        Effect.runFork(read())
        return reads() > before
      })
    },
  )

  test.live("cannot be read without Blender, and the failure says how it is started", function* () {
    const { editor, sdk } = yield* begin()
    yield* editor.control.quit
    yield* eventually(() => editor.control.connections() === 0)
    const failed = yield* failureOf(() => sdk.readResource({ uri: contextUri }))
    assert.strictEqual(failed?.code, -32_603)
    assert.include(failed?.message, "Start the bridge")
  })
})

describe("blender: prompts", () => {
  test.live.each([
    ["runCommand", {}, "`params.arguments.command` is missing"],
    ["runCommand", { command: "x", language: "fr" }, "expected one of en, ja"],
    ["runCommand", { command: "x", other: "y" }, '"other" is unknown'],
    ["runComand", {}, "Similar names: runCommand"],
  ] as const)("the prompt %s with %j is -32602, and says why", function* ([name, args, said]) {
    const { sdk } = yield* begin()
    const failed = yield* failureOf(() => sdk.getPrompt({ name, arguments: args }))
    assert.strictEqual(failed?.code, -32_602)
    assert.include(failed?.message, said)
  })
})

describe("blender: several editors", () => {
  test.live("have resources of their own, by their names", function* () {
    const [one, two] = [yield* FakeBlender.start(), yield* FakeBlender.start()]
    const target = (name: string, { port, token }: FakeBlender.FakeBlender) => ({
      name,
      host: "127.0.0.1",
      port,
      token,
    })
    const server = yield* Editors.server(profile, [target("a", one), target("b", two)])
    const { call, sdk } = yield* Editors.client(server)
    yield* call("command.apply", { editor: "b", steps: [cube("Only here")] })
    const { resources } = yield* Effect.promise(() => sdk.listResources())
    assert.deepStrictEqual(
      resources.map(({ uri }) => uri).filter((uri) => uri.includes("context")),
      ["blender://scene/context?editor=a", "blender://scene/context?editor=b"],
    )
    const count = Effect.fnUntraced(function* (uri: string) {
      const [first] = (yield* Effect.promise(() => sdk.readResource({ uri }))).contents
      assert.strictEqual(first?.uri, uri)
      return JSON.parse(String(first && "text" in first && first.text)).objectCount
    })
    assert.strictEqual(yield* count("blender://scene/context?editor=a"), 3)
    assert.strictEqual(yield* count("blender://scene/context?editor=b"), 4)
    const steps = yield* Effect.promise(() => sdk.readResource({ uri: "blender://steps/schema" }))
    assert.deepInclude(steps.contents[0], { uri: "blender://steps/schema", mimeType: "application/schema+json" })
    const failed = yield* failureOf(() => sdk.readResource({ uri: "blender://scene/context" }))
    assert.strictEqual(failed?.code, -32_002)
  })
})

describe("blender: the log of a client", () => {
  test.live(
    "has the lines from the level that the client set, of its own calls, without their arguments",
    function* () {
      const { call, sdk, server } = yield* begin()
      const other = yield* Editors.client(server, "another")
      const lines: Array<LoggingMessageNotification["params"]> = []
      sdk.setNotificationHandler(LoggingMessageNotificationSchema, (notification: LoggingMessageNotification) => {
        if ("call" in Object(notification.params.data)) lines.push(notification.params)
      })
      yield* Effect.promise(() => sdk.setLoggingLevel("info"))
      yield* other.call("scene.undo", {})
      yield* call("command.apply", { steps: [cube("Secret name")] })
      yield* eventually(() => lines.length === 2)
      const events = lines.map(({ data }) => (data as { readonly event: string }).event)
      assert.deepStrictEqual(events, ["command.apply begins", "ends"])
      assert.notInclude(JSON.stringify(lines), "Secret name")
    },
  )
})
