import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { test } from "../../packages/core/test/Test.ts"
import { begin } from "../../packages/editor-server/test/blender/BlenderSubject.ts"
import { blenderSuite } from "../../packages/editor-server/test/blender/BlenderSuite.ts"
import * as Editors from "../../packages/editor-server/test/Editors.ts"
import { isSkipped } from "../src/InstalledPrograms.ts"
import * as RealBlender from "../src/RealBlender.ts"
import * as SharedBlender from "../src/SharedBlender.ts"

const suite =
  "the suite of the profile blender before a real Blender (editors 003.2, 003.6, 003.10, 003.11, 003.12, 003.13, 003.14, 003.17, 003.21, 003.22, 003.23)"

describe.skipIf(isSkipped("blender", suite))("a real Blender", () => {
  const subject = SharedBlender.shared()

  blenderSuite("behind the profile blender", subject)

  test.live("ends code that is cancelled, and serves the calls behind it", function* () {
    const { another, call } = yield* begin(subject)
    const { call: ask } = yield* another
    const args = { pythonCode: "while True: pass", timeoutMs: 240_000 }
    const endless = yield* Effect.forkChild(call("command.executeRaw", args))
    yield* subject.running
    const asked = yield* Effect.forkChild(ask("scene.query", { query: "{ scene { context { objectCount } } }" }))
    yield* Fiber.interrupt(endless)
    assert.include(Editors.textOf(yield* Fiber.join(asked)), '"objectCount": 3')
  })
})

describe("with `zain-editor-mcp blender`,", () => {
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
