/**
 * What the profile `blender` offers, its resources, prompts and completions.
 */
import { assert, describe } from "@effect/vitest"
import {
  CompleteResultSchema,
  InitializeResultSchema,
  type ResourceUpdatedNotification,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as Editors from "../../editor-link/testing/Editors.ts"
import { eventually } from "../../tool-server/testing/TestServer.ts"
import { blenderTools } from "../src/BlenderTools.ts"
import { type BlenderSubject, begin, cube, failureOf, jsonOf } from "./BlenderSubject.ts"

const contextUri = "blender://scene/context"

const template = { type: "ref/resource", uri: "blender://object/{objectName}" } as const
const modify = { type: "ref/prompt", name: "modifyObject" } as const

export const featureSuite = (subject: BlenderSubject): void => {
  describe("a client", () => {
    test.live("is offered exactly the features that there are (editors 003.2)", function* () {
      const { names, sdk } = yield* begin(subject)
      assert.deepStrictEqual(sdk.getServerCapabilities(), {
        tools: { listChanged: false },
        resources: { subscribe: true, listChanged: false },
        prompts: { listChanged: false },
        completions: {},
        logging: {},
      })
      assert.deepStrictEqual(
        yield* names,
        blenderTools.map(({ name }) => name.replace(".", "_")),
      )
      yield* Effect.promise(() => sdk.ping())
      yield* Effect.promise(() => sdk.setLoggingLevel("error"))
    })

    test.live("is given serverName and serverVersion in initialize (editors 003.3)", function* () {
      const { server } = yield* begin(subject)
      const transport = yield* (subject.reach ?? Editors.inMemory)(server)
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

  describe("resources", () => {
    test.live("are listed with a template, and read (editors 003.2)", function* () {
      const { sdk } = yield* begin(subject)
      const { resources } = yield* Effect.promise(() => sdk.listResources())
      assert.deepStrictEqual(
        resources.map(({ uri }) => uri),
        [
          contextUri,
          "blender://scene/selected",
          "blender://scene/preview",
          "blender://scene",
          "blender://steps/schema",
        ],
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
      const scene = JSON.parse(String(context && "text" in context && context.text))
      assert.deepInclude(scene, { objectCount: 3, viewport: null })
      assert.include(String(selected && "text" in selected && selected.text), '"name": "Cube"')
      const png = Buffer.from(String(preview && "blob" in preview && preview.blob), "base64")
      assert.strictEqual(png.subarray(1, 4).toString(), "PNG")
    })

    test.live("objects are found by pages, type and name, with what was set (editors 003.29)", function* () {
      const { call } = yield* begin(subject)
      const light = { light: { name: "Key light", type: "sun", energy: 5, color: { r: 1, g: 0.5, b: 0 } } }
      yield* call("command.apply", { steps: [cube("Chair"), light, { camera: { name: "Camera", lens: 85 } }] })
      const query = `{ scene {
        two: objects(offset: 2, limit: 2) { name }
        suns: objects(type: "light", name: "KEY") { name light { type energy color { g } } }
        camera: object(name: "Camera") { camera { lens } }
      } }`
      assert.deepStrictEqual(jsonOf(yield* call("scene.query", { query })).data.scene, {
        two: ["Camera", "Chair"].map((name) => ({ name })),
        suns: [{ name: "Key light", light: { type: "SUN", energy: 5, color: { g: 0.5 } } }],
        camera: { camera: { lens: 85 } },
      })
    })

    test.live(
      "an object is read by its name in the URI; one that is not there is -32002 (editors 003.2)",
      function* () {
        const { call, sdk } = yield* begin(subject)
        yield* call("command.apply", { steps: [cube("椅子 1/2")] })
        const uri = `blender://object/${encodeURIComponent("椅子 1/2")}`
        const { contents } = yield* Effect.promise(() => sdk.readResource({ uri }))
        const [found] = contents
        const object = JSON.parse(String(found && "text" in found && found.text))
        assert.deepInclude(object, { name: "椅子 1/2", vertices: 8 })
        for (const uri of ["blender://object/Nothing", "blender://object/", "blender://other", "blender://object/%"]) {
          const failed = yield* failureOf(() => sdk.readResource({ uri }))
          assert.strictEqual(failed?.code, -32_002, uri)
        }
      },
    )

    test.live(
      "that a client subscribed to are notified of what another client changes, and no others (editors 003.21)",
      function* () {
        const { another, sdk } = yield* begin(subject)
        const other = yield* another
        const notified: Array<string> = []
        sdk.setNotificationHandler(ResourceUpdatedNotificationSchema, (notification: ResourceUpdatedNotification) => {
          notified.push(notification.params.uri)
        })
        yield* Effect.promise(() => sdk.subscribeResource({ uri: "blender://object/Cube" }))
        const made = yield* other.call("command.apply", { steps: [cube("A")] })
        assert.notStrictEqual(made.isError, true, Editors.textOf(made))
        yield* eventually(() => notified.length > 0)
        const { contents } = yield* Effect.promise(() => sdk.readResource({ uri: contextUri }))
        assert.include(JSON.stringify(contents), '\\"objectCount\\": 4')
        assert.deepStrictEqual([...new Set(notified)], ["blender://object/Cube"])
        yield* Effect.promise(() => sdk.unsubscribeResource({ uri: "blender://object/Cube" }))
      },
    )
  })

  describe("prompts and completions", () => {
    test.live("a prompt is written in the language that is asked for (editors 003.21, 003.22)", function* () {
      const { sdk } = yield* begin(subject)
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
      const english = yield* text("runCommand", { command: "make a chair", language: "en" })
      assert.match(english, /^Do this in .* make a chair\n/)
      const japanese = yield* text("runCommand", { command: "椅子を作る", language: "ja" })
      assert.match(japanese, /^Blender のシーンで.*椅子を作る\n/)
      const created = yield* text("createObject", { primitive: "cube", name: "Box", view: "front" })
      assert.include(created, 'Its name is "Box".')
      const modified = yield* text("modifyObject", { object: "椅子", change: "高く", language: "ja" })
      assert.include(modified, `blender://object/${encodeURIComponent("椅子")}`)
    })

    test.live.each([
      [template, "objectName", "ca", ["Camera"]],
      [modify, "object", "", ["Camera", "Cube", "Light"]],
      [modify, "material", "m", ["Material"]],
      [modify, "view", "b", ["back", "bottom"]],
      [modify, "language", "", ["en", "ja"]],
      [modify, "change", "", []],
    ] as const)(
      "%j: %s that begins with %j is completed to %j (editors 003.21)",
      function* ([ref, name, value, values]) {
        const { sdk } = yield* begin(subject)
        const params = { ref, argument: { name, value } }
        const { completion } = yield* Effect.promise(() => sdk.complete(params))
        assert.deepStrictEqual([...completion.values].sort(), [...values])
        assert.deepInclude(completion, { total: values.length, hasMore: false })
        const other = yield* Effect.promise(() =>
          sdk.request({ method: "complete", params } as never, CompleteResultSchema),
        )
        assert.deepStrictEqual(other.completion, completion)
      },
    )
  })
}
