import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { isSkipped } from "../src/Blender.ts"
import * as RealBlender from "../src/RealBlender.ts"

const title =
  "a client creates, moves, asks, sees and undoes; a failure leaves the scene; code is guarded, and ends when it is cancelled (editors 003.10, 003.11, 003.13)"

describe("zain-editor-mcp blender before a real Blender", () => {
  it.live.skipIf(isSkipped("blender", title))(title, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { client } = yield* RealBlender.start
        const { call } = yield* client
        const cube = { create: { primitive: "cube", name: "赤い箱", transform: { location: { x: 3, y: 0, z: 1 } } } }
        const picture = { width: 64, height: 48, view: "perspective" }
        const made = yield* call("command.apply", { steps: [cube], preview: picture })
        assert.notStrictEqual(made.isError, true, RealBlender.textOf(made))
        assert.include(RealBlender.textOf(made), '"赤い箱"')
        const [before, after] = made.content.filter(({ type }) => type === "image")
        assert.deepStrictEqual(RealBlender.sizesOf(made), [
          [64, 48],
          [64, 48],
        ])
        assert.notDeepEqual(before, after)

        const query = `query($name: String!) { scene { context { objectCount digest } object(name: $name) { location { x } } } }`
        const ask = Effect.map(call("scene.query", { query, variables: { name: "赤い箱" } }), RealBlender.textOf)
        const asked = yield* ask
        assert.match(asked, /"objectCount": 4[\s\S]*"x": 3/)
        const failing = [{ delete: { objects: ["赤い箱"] } }, { delete: { objects: ["no such"] } }]
        assert.isTrue((yield* call("command.apply", { steps: failing })).isError)
        assert.strictEqual(yield* ask, asked)

        const natural = yield* call("command.executeNatural", { command: "赤い箱を削除する" })
        assert.notStrictEqual(natural.isError, true, RealBlender.textOf(natural))
        assert.include(yield* ask, '"objectCount": 3')
        yield* call("scene.undo", {})
        assert.include(yield* ask, '"objectCount": 4')

        const raw = yield* call("command.executeRaw", { pythonCode: "import bpy\nlen(bpy.data.objects)" })
        assert.include(RealBlender.textOf(raw), '"value": 4')
        const harmful = yield* call("command.executeRaw", { pythonCode: "import os\nos.system('true')" })
        assert.include(RealBlender.textOf(harmful), "os")
        assert.isTrue(harmful.isError)
        const endless = yield* Effect.forkChild(call("command.executeRaw", { pythonCode: "while True: pass" }))
        // Another client connects while the code runs.
        const other = yield* client
        yield* Fiber.interrupt(endless)
        assert.include(
          RealBlender.textOf(yield* other.call("scene.query", { query: "{ scene { context { objectCount } } }" })),
          "4",
        )
      }),
    ),
  )

  const lost = "a Blender that is killed fails its call within 2 s (editors 003.15)"
  it.live.skipIf(isSkipped("blender", lost))(lost, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { blender, client } = yield* RealBlender.start
        const { call } = yield* client
        yield* call("scene.undo", {})
        const running = yield* Effect.forkChild(call("command.executeRaw", { pythonCode: "while True: pass" }))
        yield* Effect.sleep("500 millis")
        blender.kill("SIGKILL")
        const failed = yield* Fiber.join(running)
        assert.isTrue(failed.isError)
        assert.include(JSON.stringify(failed.structuredContent), "CONNECTION_ERROR")
      }),
    ),
  )
})
