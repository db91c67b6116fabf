import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isSkipped } from "../src/InstalledPrograms.ts"
import * as RealBlender from "../src/RealBlender.ts"

type Call = Effect.Success<Effect.Success<typeof RealBlender.start>["client"]>["call"]

const jsonOf = (result: Parameters<typeof RealBlender.textOf>[0]) => JSON.parse(RealBlender.textOf(result))

const cube = (name: string) => ({ create: { primitive: "cube", name } })

/** The number of objects, and the number of waiting requests. */
const rest = (call: Call) =>
  Effect.map(
    call("scene.query", { query: "{ scene { context { objectCount digest } } execution { stats { queued } } }" }),
    (result) => jsonOf(result).data,
  )

/** The memory of a process in bytes. */
const resident = (pid: number | undefined): number =>
  1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])

describe("with `zain-editor-mcp blender` and a real Blender,", () => {
  const rounds = "1,000 rounds of create, query and undo leave the memory of both processes flat (editors 003.27)"
  it.live.skipIf(isSkipped("blender", rounds) || process.platform !== "linux")(rounds, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { blender, client } = yield* RealBlender.start
        const { call, memory } = yield* client
        const query = '{ scene { context { objectCount } object(name: "Part") { location { x } } } }'
        const round = Effect.gen(function* () {
          const made = yield* call("command.apply", { steps: [cube("Part")] })
          const asked = yield* call("scene.query", { query })
          const undone = yield* call("scene.undo", {})
          for (const { isError } of [made, asked, undone]) assert.notStrictEqual(isError, true)
        })
        const before = yield* rest(call)
        // Blender's history is full and the server's code compiled after these.
        yield* Effect.repeat(round, { times: 299 })
        const [server, inBlender] = [yield* memory, resident(blender.pid)]
        yield* Effect.repeat(round, { times: 699 })
        // It moves by half of that as code is compiled.
        assert.isBelow((yield* memory) - server, 0.75 * 2 ** 20)
        // It moves by half a mebibyte; 700 objects that stay, with their history, are 44.
        assert.isBelow(resident(blender.pid) - inBlender, 3 * 2 ** 20)
        assert.deepStrictEqual(yield* rest(call), before)
      }),
    ),
  )

  const large = "an answer of over 5 MB arrives whole (editors 003.18)"
  it.live.skipIf(isSkipped("blender", large))(large, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { client } = yield* RealBlender.start
        const { call } = yield* client
        const pythonCode = `
import bpy
mesh = bpy.data.objects["Cube"].data
for index in range(9_000):
    entry = bpy.data.objects.new(f"{index} " + "部品" * 9, mesh)
    entry.location = (index / 7, index / 11, index / 13 + 1e-3)
    bpy.context.scene.collection.objects.link(entry)
    entry.select_set(True)
`
        const filled = yield* call("command.executeRaw", { pythonCode })
        assert.notStrictEqual(filled.isError, true, RealBlender.textOf(filled))
        const vector = "{ x y z }"
        const query = `{ scene { selectedObjects {
          name type location ${vector} rotationEuler ${vector} scale ${vector} dimensions ${vector}
          boundingBox { min ${vector} max ${vector} } visible selected parent children collections materials modifiers { name type } vertices edges faces
        } } }`
        const result = yield* call("scene.query", { query })
        assert.match(RealBlender.textOf(result), /\[\d+ of \d+ characters are left out\. Read zain:.*\]$/)
        // Long texts are cut: what a result has in its structure is whole.
        const structured = JSON.stringify(result.structuredContent)
        assert.isAbove(Buffer.byteLength(structured), 5_000_000)
        const { selectedObjects } = JSON.parse(structured).data.scene
        const names = new Set<string>(selectedObjects.map(({ name }: { readonly name: string }) => name))
        assert.strictEqual(names.size, 9_001)
        assert.isTrue(names.has(`8999 ${"部品".repeat(9)}`))
        assert.deepInclude(yield* rest(call), { execution: { stats: { queued: 0 } } })
      }),
    ),
  )
})
