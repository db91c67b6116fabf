/**
 * The profile `blender` behind MCP, over the fake of its bridge.
 */
import { assert, describe } from "@effect/vitest"
import {
  CompleteResultSchema,
  InitializeResultSchema,
  type LoggingMessageNotification,
  LoggingMessageNotificationSchema,
  type ResourceUpdatedNotification,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js"
import { Duration, Effect, Fiber } from "effect"
import { test } from "../../../core/test/Test.ts"
import * as InMemory from "../../../tool-server/test/InMemory.ts"
import { eventually } from "../../../tool-server/test/TestServer.ts"
import { blender as profile } from "../../src/blender/BlenderProfile.ts"
import * as FakeBlender from "../../src/fake/FakeBlender.ts"
import type { EditorSettings } from "../../src/infrastructure/mcp/EditorSettings.ts"
import * as Editors from "../Editors.ts"

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

const failureOf = (work: () => Promise<unknown>) =>
  Effect.promise(() =>
    work().then(
      () => undefined,
      (error) => error,
    ),
  )

const cube = (name: string) => ({ create: { primitive: "cube", name } })
/** The digest of the scene, by a query. */
const digestBy = (call: Effect.Success<ReturnType<typeof begin>>["call"]) =>
  Effect.map(call("scene.query", { query: "{ scene { context { digest } } }" }), (answer) =>
    String(jsonOf(answer).data.scene.context.digest),
  )

const jsonOf = (result: Parameters<typeof Editors.textOf>[0]) => JSON.parse(Editors.textOf(result))

describe("blender: a client", () => {
  test.live("is offered exactly the features that there are (editors 003.2)", function* () {
    const { sdk, names } = yield* begin()
    assert.deepStrictEqual(sdk.getServerCapabilities(), {
      tools: { listChanged: false },
      resources: { subscribe: true, listChanged: false },
      prompts: { listChanged: false },
      completions: {},
      logging: {},
    })
    assert.deepStrictEqual(yield* names, [
      "command.executeNatural",
      "command.executeRaw",
      "scene.capturePreview",
      "model.iterate",
      "command.apply",
      "scene.query",
      "scene.undo",
      "scene.save",
      "scene.open",
    ])
  })

  test.live("is given serverName and serverVersion in initialize (editors 003.3)", function* () {
    const { server } = yield* begin()
    const { transport } = yield* InMemory.join(server)
    const answered = new Promise<unknown>((resolve) => {
      transport.onmessage = resolve
    })
    yield* Effect.promise(() => transport.start())
    const clientInfo = { name: "by hand", version: "1" }
    const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo }
    yield* Effect.promise(() => transport.send({ jsonrpc: "2.0", id: 1, method: "initialize", params }))
    const { result } = (yield* Effect.promise(() => answered)) as { readonly result: unknown }
    assert.deepInclude(result, { serverName: "Blender GraphQL MCP", serverVersion: "0" })
    assert.isTrue(InitializeResultSchema.safeParse(result).success)
  })
})

describe("blender: a call", () => {
  test.live("of command.apply sends its steps, and its result names what was created (editors 003.10)", function* () {
    const { call, sent } = yield* begin()
    const result = yield* call("command.apply", { steps: [cube("椅子"), { delete: { objects: ["Cube"] } }] })
    assert.deepInclude(jsonOf(result), {
      outcomes: [{ names: ["椅子"] }, { names: [] }],
      changes: { created: ["椅子"], changed: [], deleted: ["Cube"] },
    })
    assert.deepInclude(sent().at(-1), { method: "steps.apply" })
    assert.deepStrictEqual(sent().at(-1)?.params, {
      timeoutMs: 30_000,
      steps: [cube("椅子"), { delete: { objects: ["Cube"] } }],
    })
  })

  test.live("of scene.capturePreview gives a PNG of the size that is asked for (editors 003.11)", function* () {
    const { call } = yield* begin()
    const { content } = yield* call("scene.capturePreview", { width: 64, height: 32, view: "front" })
    const [text, image] = content
    assert.deepInclude(JSON.parse(text?.type === "text" ? text.text : ""), {
      message: "A picture of 64 × 32 pixels.",
      image: { mediaType: "image/png", width: 64, height: 32 },
    })
    const bytes = Buffer.from(image?.type === "image" ? image.data : "", "base64")
    assert.deepStrictEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [64, 32])
  })

  test.live("with a preview has the pictures before and after as images that differ (editors 003.11)", function* () {
    const { call } = yield* begin()
    const create = { primitive: "cube", name: "New", transform: { location: { x: 4, y: 0, z: 2 } } }
    const result = yield* call("command.apply", { steps: [{ create }], preview: { width: 64, height: 64 } })
    const images = result.content.flatMap((one) => (one.type === "image" ? [one.data] : []))
    assert.lengthOf(images, 2)
    assert.notStrictEqual(images[0], images[1])
    assert.notInclude(Editors.textOf(result), "base64")
  })

  test.live("of scene.save and scene.open keeps a scene in a file, and brings it back (editors 003.23)", function* () {
    const { call } = yield* begin()
    const saved = jsonOf(yield* call("scene.save", { file: "chair.blend" }))
    const { file } = saved
    assert.match(file, /\/chair\.blend$/)
    const before = yield* digestBy(call)
    yield* call("command.apply", { steps: [cube("A")] })
    assert.notStrictEqual(yield* digestBy(call), before)
    assert.deepInclude(jsonOf(yield* call("scene.open", { file })), { file, message: `Opened ${file}.` })
    assert.strictEqual(yield* digestBy(call), before)
    const outside = yield* call("scene.save", { file: "../chair.blend" })
    assert.deepInclude(Editors.errorOf(outside), { code: "PERMISSION_DENIED" })
    assert.deepInclude(Editors.errorOf(outside)["details"], { path: ["file"], category: "PERMISSION" })
    assert.include(Editors.textOf(outside), "(at file)")
    assert.deepInclude(jsonOf(yield* call("scene.save", {})), { file, message: `Saved ${file}.` })
  })

  test.live(
    "with dryRun reports the changes and leaves the scene; undo and redo move it (editors 003.23)",
    function* () {
      const { call } = yield* begin()
      const before = yield* digestBy(call)
      const tried = jsonOf(yield* call("command.apply", { steps: [cube("A")], dryRun: true }))
      assert.strictEqual(tried.message, "1 step carried out. They were undone: dryRun is true.")
      assert.strictEqual(yield* digestBy(call), before)
      const done = jsonOf(yield* call("command.apply", { steps: [cube("A")] }))
      assert.deepStrictEqual(tried.changes, done.changes)
      const after = yield* digestBy(call)
      assert.notStrictEqual(after, before)
      const undone = jsonOf(yield* call("scene.undo", {}))
      assert.deepStrictEqual([undone.changes.deleted, undone.message], [["A"], "Blender did the undo."])
      assert.strictEqual(yield* digestBy(call), before)
      assert.strictEqual(jsonOf(yield* call("scene.undo", { redo: true })).message, "Blender did the redo.")
      assert.strictEqual(yield* digestBy(call), after)
      const nothing = yield* call("scene.undo", { redo: true })
      assert.deepInclude(Editors.errorOf(nothing), { code: "OPERATION_FAILED", message: Editors.textOf(nothing) })
      assert.include(Editors.textOf(nothing), "There is nothing to redo.")
    },
  )

  test.live.each([
    ["x = 1\n1/0", "EXECUTION_ERROR", "line 2"],
    ["import os", "DANGEROUS_OPERATION", "Allowed modules: bpy, bmesh, math, mathutils, random."],
    ["print(", "CODE_VALIDATION_FAILED", "line 1"],
  ] as const)("of command.executeRaw with %j fails as %s, and says where", function* ([pythonCode, code, said]) {
    const { call } = yield* begin()
    const failed = yield* call("command.executeRaw", { pythonCode })
    assert.isTrue(failed.isError)
    assert.include(Editors.textOf(failed), said)
    assert.deepInclude(Editors.errorOf(failed), { code, delivery: "answered", retryable: false })
    const printed = jsonOf(yield* call("command.executeRaw", { pythonCode: 'print("x")' }))
    assert.deepInclude(printed, { message: "The code ran.", output: "x\n", value: null })
    assert.isNumber(printed.executionTimeMs)
  })

  test.live(
    "that fails has the bridge's code, path and suggestions, and what it did is undone (editors 003.13)",
    function* () {
      const { call } = yield* begin()
      const before = yield* digestBy(call)
      const failed = yield* call("command.apply", { steps: [cube("A"), { transform: { object: "Cub" } }] })
      assert.strictEqual(
        Editors.textOf(failed),
        "no object 'Cub' in the scene (at steps[1].transform.object). Similar names: Cube.",
      )
      const error = Editors.errorOf(failed)
      assert.deepInclude(error, { code: "OBJECT_NOT_FOUND", category: "tool" })
      assert.deepInclude(error["details"], {
        code: "OBJECT_NOT_FOUND",
        message: "no object 'Cub' in the scene",
        category: "RESOURCE_NOT_FOUND",
        path: ["steps", "1", "transform", "object"],
        suggestions: ["Cube"],
        reason: "editor",
      })
      assert.isNumber((error["details"] as Record<string, unknown>)["executionTimeMs"])
      assert.strictEqual(yield* digestBy(call), before)
    },
  )

  test.live.each([
    [{ steps: [{ create: { primitive: "cub" } }] }, "`steps[0].create.primitive` is none of cube, sphere"],
    [{ steps: [] }, "`steps`"],
    [
      { steps: [{ create: { primitive: "cube" }, delete: { objects: ["Cube"] } }] },
      "`steps[0]` needs exactly one member",
    ],
    [{ steps: [cube("A")], dryrun: true }, "`dryrun`"],
  ] as const)(
    "with wrong arguments %j is refused with their path, and Blender is untouched (editors 003.6)",
    function* ([args, path]) {
      const { call, methods } = yield* begin()
      const failed = yield* call("command.apply", args)
      assert.isTrue(failed.isError)
      assert.include(Editors.textOf(failed), path)
      assert.notInclude(methods(), "steps.apply")
    },
  )

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

  test.live("goes to Blender beside others: fifty at once create fifty objects (editors 003.14)", function* () {
    const { call, editor } = yield* begin()
    editor.control.hold()
    const calls = yield* Effect.forkChild(
      Effect.forEach(Array.from({ length: 50 }), () => call("command.apply", { steps: [cube("Part")] }), {
        concurrency: "unbounded",
      }),
    )
    const frames = () => editor.seen.filter((seen) => seen._tag === "Frame").length
    yield* eventually(() => frames() === 51)
    editor.control.release()
    const created = (yield* Fiber.join(calls)).flatMap((result) => jsonOf(result).changes.created)
    assert.strictEqual(new Set(created).size, 50)
  })

  test.live("that the bridge is too busy for says so", function* () {
    const { call, editor } = yield* begin()
    editor.control.fault("busy")
    assert.deepInclude(Editors.errorOf(yield* call("scene.undo", {})), { code: "SYSTEM_ERROR", delivery: "answered" })
  })

  test.live("carries quotes, line breaks and any letters in names unchanged (editors 003.17)", function* () {
    const { call } = yield* begin()
    const name = `a"b'c\\ """ \n 椅子 🪑`
    const { outcomes } = jsonOf(yield* call("command.apply", { steps: [cube(name)] }))
    assert.deepStrictEqual(outcomes, [{ names: [name] }])
  })
})

describe("blender: resources", () => {
  const contextUri = "blender://scene/context"

  test.live("are listed with a template, and read (editors 003.2)", function* () {
    const { sdk } = yield* begin()
    const { resources } = yield* Effect.promise(() => sdk.listResources())
    assert.deepStrictEqual(
      resources.map(({ uri }) => uri),
      [contextUri, "blender://scene/selected", "blender://scene/preview", "blender://scene"],
    )
    const { resourceTemplates } = yield* Effect.promise(() => sdk.listResourceTemplates())
    assert.deepStrictEqual(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      ["blender://object/{objectName}"],
    )
    const { contents } = yield* Effect.promise(() => sdk.readResource({ uri: "blender://scene" }))
    assert.deepStrictEqual(
      contents.map(({ mimeType, uri }) => [uri, mimeType]),
      [
        [contextUri, "application/json"],
        ["blender://scene/selected", "application/json"],
        ["blender://scene/preview", "image/png"],
      ],
    )
    const [context, selected, preview] = contents
    assert.deepInclude(JSON.parse(String(context && "text" in context && context.text)), {
      objectCount: 3,
      viewport: null,
    })
    assert.include(String(selected && "text" in selected && selected.text), '"name": "Cube"')
    const png = Buffer.from(String(preview && "blob" in preview && preview.blob), "base64")
    assert.strictEqual(png.subarray(1, 4).toString(), "PNG")
  })

  test.live("an object is read by its name in the URI; one that is not there is -32002", function* () {
    const { call, sdk } = yield* begin()
    yield* call("command.apply", { steps: [cube("椅子 1/2")] })
    const uri = `blender://object/${encodeURIComponent("椅子 1/2")}`
    const { contents } = yield* Effect.promise(() => sdk.readResource({ uri }))
    const [found] = contents
    assert.deepInclude(JSON.parse(String(found && "text" in found && found.text)), { name: "椅子 1/2", vertices: 8 })
    for (const uri of ["blender://object/Nothing", "blender://object/", "blender://other", "blender://object/%"]) {
      const failed = yield* failureOf(() => sdk.readResource({ uri }))
      assert.strictEqual(failed?.code, -32_002, uri)
    }
  })

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

  test.live(
    "that a client subscribed to are notified when the scene changes, and no others (editors 003.21)",
    function* () {
      const { editor, sdk } = yield* begin()
      const notified: Array<string> = []
      sdk.setNotificationHandler(ResourceUpdatedNotificationSchema, (notification: ResourceUpdatedNotification) => {
        notified.push(notification.params.uri)
      })
      yield* Effect.promise(() => sdk.subscribeResource({ uri: "blender://object/Cube" }))
      yield* Effect.promise(() => sdk.readResource({ uri: contextUri }))
      yield* eventually(() => {
        if (notified.length === 0) Effect.runSync(editor.changed)
        return notified.length > 0
      })
      assert.deepStrictEqual([...new Set(notified)], ["blender://object/Cube"])
      yield* Effect.promise(() => sdk.unsubscribeResource({ uri: "blender://object/Cube" }))
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

describe("blender: prompts and completions", () => {
  test.live("a prompt is written in the language that is asked for (editors 003.21, 003.22)", function* () {
    const { sdk } = yield* begin()
    const { prompts } = yield* Effect.promise(() => sdk.listPrompts())
    assert.deepStrictEqual(
      prompts.map(({ name }) => name),
      ["runCommand", "createObject", "modifyObject"],
    )
    assert.deepInclude(prompts[0]?.arguments?.[0], { name: "command", required: true })
    const text = Effect.fnUntraced(function* (name: string, args: Record<string, string>) {
      const { messages } = yield* Effect.promise(() => sdk.getPrompt({ name, arguments: args }))
      const [message] = messages
      return message?.content.type === "text" ? message.content.text : ""
    })
    assert.match(
      yield* text("runCommand", { command: "make a chair", language: "en" }),
      /^Do this in .* make a chair\n/,
    )
    assert.match(
      yield* text("runCommand", { command: "椅子を作る", language: "ja" }),
      /^Blender のシーンで.*椅子を作る\n/,
    )
    assert.include(yield* text("createObject", { primitive: "cube", name: "Box", view: "front" }), 'Its name is "Box".')
    const modified = yield* text("modifyObject", { object: "椅子", change: "高く", language: "ja" })
    assert.include(modified, `blender://object/${encodeURIComponent("椅子")}`)
  })

  test.live.each([
    ["runCommand", {}, "`params.arguments.command` is missing"],
    ["runCommand", { command: "x", language: "fr" }, "expected one of ja, en"],
    ["runCommand", { command: "x", other: "y" }, '"other" is unknown'],
    ["runComand", {}, "Similar names: runCommand"],
  ] as const)("the prompt %s with %j is -32602, and says why", function* ([name, args, said]) {
    const { sdk } = yield* begin()
    const failed = yield* failureOf(() => sdk.getPrompt({ name, arguments: args }))
    assert.strictEqual(failed?.code, -32_602)
    assert.include(failed?.message, said)
  })

  const template = { type: "ref/resource", uri: "blender://object/{objectName}" } as const
  const modify = { type: "ref/prompt", name: "modifyObject" } as const

  test.live.each([
    [template, "objectName", "ca", ["Camera"]],
    [modify, "object", "", ["Cube", "Light", "Camera"]],
    [modify, "material", "m", ["Material"]],
    [modify, "view", "b", ["back", "bottom"]],
    [modify, "language", "", ["ja", "en"]],
    [modify, "change", "", []],
  ] as const)("%j: %s that begins with %j is completed to %j (editors 003.21)", function* ([ref, name, value, values]) {
    const { sdk } = yield* begin()
    const params = { ref, argument: { name, value } }
    const { completion } = yield* Effect.promise(() => sdk.complete(params))
    assert.deepStrictEqual(completion, { values: [...values], total: values.length, hasMore: false })
    const other = yield* Effect.promise(() =>
      sdk.request({ method: "complete", params } as never, CompleteResultSchema),
    )
    assert.deepStrictEqual(other.completion, completion)
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
        lines.push(notification.params)
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

describe("blender: a fault of the bridge", () => {
  test.live.each(FakeBlender.blenderFaults)(
    "%s ends its call, and a later one works (editors House 6)",
    function* (fault) {
      const { call, editor } = yield* begin({ timeout: Duration.millis(500) })
      yield* call("scene.undo", {})
      editor.control.fault(fault, { times: 1 })
      const met = yield* call("scene.capturePreview", { width: 16, height: 16 })
      if (met.isError === true) assert.isString(Editors.errorOf(met)["code"])
      editor.control.calm()
      editor.control.release()
      yield* editor.control.reopen
      const works = Effect.map(call("command.apply", { steps: [cube("A")] }), ({ isError }) => isError !== true)
      yield* Effect.repeat(works, { until: (isWell) => isWell })
    },
  )
})
