import { existsSync, mkdirSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { gone } from "@zain/testkit/Alive"
import { Effect } from "effect"
import { isSkipped } from "../src/InstalledPrograms.ts"
import * as LaunchedBlender from "../src/LaunchedBlender.ts"

const { textOf } = LaunchedBlender
const query = "{ scene { context { objectCount digest } } }"

describe("`zain-editor-mcp blender --launch`", () => {
  const story =
    "starts Blender with the first call, restarts it with its scene when it was killed or cannot be interrupted, and ends it with the server (editors 003.15, 003.20, 003.23)"
  it.live.skipIf(isSkipped("blender", story))(story, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const server = yield* LaunchedBlender.start()
        const { names, pids, state, tool } = server
        assert.deepStrictEqual(names(), [])
        const [made] = yield* Effect.all(
          [
            tool("command.apply", { steps: [{ create: { primitive: "cube", name: "赤い箱" } }] }),
            tool("scene.query", { query }),
          ],
          { concurrency: "unbounded" },
        )
        assert.include(textOf(made), "赤い箱")
        const [first = 0, ...others] = pids()
        assert.deepStrictEqual(others, [])
        const scene = textOf(yield* tool("scene.query", { query }))
        assert.include(scene, '"objectCount": 4')

        const loop = yield* tool("command.executeRaw", { pythonCode: "sum(range(10**10))", timeoutMs: 1_000 })
        assert.include(textOf(loop), "Blender does not answer")
        assert.deepInclude(loop.structuredContent?.error, { code: "OPERATION_TIMEOUT", delivery: "unknown" })
        assert.strictEqual(textOf(yield* tool("scene.query", { query })), scene)
        yield* gone(first)

        const [second = 0] = pids()
        process.kill(second, "SIGKILL")
        yield* gone(second)
        assert.strictEqual(textOf(yield* tool("scene.query", { query })), scene)
        const [third = 0] = pids()
        assert.notStrictEqual(third, second)

        yield* tool("command.apply", { steps: [{ world: { strength: 2 } }] })
        server.child.kill("SIGTERM")
        assert.strictEqual(yield* server.exit, 0)
        yield* gone(third)
        const [recovery = "", ...more] = names()
        assert.deepStrictEqual(more, [])
        assert.include(server.errors(), join(state, recovery))
        assert.strictEqual(statSync(join(state, recovery)).mode & 0o777, 0o600)
      }),
    ),
  )

  const two =
    "gives each of two servers its own Blender, saves and opens scenes below --files, and ends a Blender with its killed server (editors 003.23, 003.24, 003.35)"
  it.live.skipIf(isSkipped("blender", two))(two, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const one = yield* LaunchedBlender.start(["--files", "scenes"], {}, (home) => mkdirSync(join(home, "scenes")))
        const scenes = join(one.home, "scenes")
        const file = join(scenes, "chair.blend")
        yield* one.tool("command.apply", { steps: [{ create: { primitive: "cube", name: "Chair" } }] })
        assert.include(textOf(yield* one.tool("scene.save", { file: "chair.blend" })), file)
        const outside = yield* one.tool("scene.save", { file: "../chair.blend" })
        assert.deepInclude(outside.structuredContent?.error, { code: "PERMISSION_DENIED" })
        const scene = textOf(yield* one.tool("scene.query", { query }))

        // Both store their bridges' files in one directory, as two servers of one user do.
        const state = { XDG_STATE_HOME: join(one.home, ".local", "state") }
        const other = yield* LaunchedBlender.start(["--file", file, "--files", scenes, "--code", "off"], state)
        assert.strictEqual(textOf(yield* other.tool("scene.query", { query })), scene)
        assert.lengthOf(one.pids(), 2)
        const refused = yield* other.tool("command.executeRaw", { pythonCode: "1" })
        assert.deepInclude(refused.structuredContent?.error, { code: "PERMISSION_DENIED" })
        yield* other.tool("command.apply", { steps: [{ delete: { objects: ["Chair"] } }] })
        assert.strictEqual(textOf(yield* one.tool("scene.query", { query })), scene)
        const without = textOf(yield* other.tool("scene.query", { query }))
        const kept = yield* other.tool("scene.open", { file: "chair.blend" })
        assert.deepInclude(kept.structuredContent?.error, { code: "OPERATION_FAILED" })
        assert.strictEqual(textOf(yield* other.tool("scene.query", { query })), without)
        const opened = textOf(yield* other.tool("scene.open", { file: "chair.blend", discard: true }))
        const { discarded } = JSON.parse(opened)
        assert.isTrue(existsSync(discarded), opened)
        assert.strictEqual(textOf(yield* other.tool("scene.query", { query })), scene)

        const pids = one.pids()
        one.child.kill("SIGKILL")
        yield* one.exit
        other.child.stdin.end()
        assert.strictEqual(yield* other.exit, 0)
        yield* gone(...pids)
        assert.deepStrictEqual(one.names(), [basename(discarded)])
      }),
    ),
  )
})
