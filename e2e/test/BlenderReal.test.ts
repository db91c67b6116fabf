import { assert, describe, it } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { begin } from "../../packages/editor-blender/testing/BlenderSubject.ts"
import { blenderSuite } from "../../packages/editor-blender/testing/BlenderSuite.ts"
import * as Editors from "../../packages/editor-link/testing/Editors.ts"
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
  const lost =
    "a Blender that is killed as it runs code fails that call long before its limit, and its delivery is unknown (editors 003.15)"
  it.live.skipIf(isSkipped("blender", lost))(lost, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { blender, client, running } = yield* RealBlender.start
        const { call } = yield* client
        const endless = { pythonCode: "while True: pass", timeoutMs: 600_000 }
        const loop = yield* Effect.forkChild(call("command.executeRaw", endless))
        yield* running
        blender.kill("SIGKILL")
        const { structuredContent } = yield* Fiber.join(loop)
        assert.deepInclude(structuredContent?.["error"], { code: "CONNECTION_ERROR", delivery: "unknown" })
      }),
    ),
  )
})
