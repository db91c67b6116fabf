/**
 * With `ZAIN_WRITES_GALLERY=1` this writes the pictures. Check them before you commit.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { decode } from "fast-png"
import * as EditorPlace from "../src/EditorPlace.ts"
import * as EditorStory from "../src/EditorStory.ts"
import { type Call, entries, stage } from "../src/GalleryPage.ts"
import { isSkipped } from "../src/InstalledPrograms.ts"
import * as Programs from "../src/Programs.ts"
import * as RealBlender from "../src/RealBlender.ts"

const directory = join(Programs.root, "docs/reference/blender-gallery")
/** The tools that leave no step to undo. */
const changingNothing: ReadonlySet<string> = new Set(["scene_capturePreview", "scene_render", "scene_export"])
const isWriting = process.env["ZAIN_WRITES_GALLERY"] === "1"
const remedy = "run this test with ZAIN_WRITES_GALLERY=1 and look at the pictures"

/** The mean difference of two pictures, from 0 to 255. */
const difference = (one: Uint8Array, other: Uint8Array): number => {
  const [a, b] = [decode(one), decode(other)]
  assert.deepStrictEqual([a.width, a.height, a.channels], [b.width, b.height, b.channels])
  let sum = 0
  for (let at = 0; at < a.data.length; at++) sum += Math.abs((a.data[at] ?? 0) - (b.data[at] ?? 0))
  return sum / a.data.length
}

describe("docs/reference/blender-gallery.md", () => {
  const title = "shows what a real Blender renders of its calls, and each entry is undone to the stage"
  it.live.skipIf(isSkipped("blender", title))(title, () =>
    Effect.scoped(
      Effect.gen(function* () {
        if (isWriting) {
          rmSync(directory, { recursive: true, force: true })
          mkdirSync(directory)
        }
        const { client } = yield* RealBlender.start
        const { call } = yield* client
        const succeeds = Effect.fnUntraced(function* ({ arguments: args, tool }: Call) {
          const result = yield* call(tool, args)
          assert.notStrictEqual(result.isError, true, RealBlender.textOf(result))
          return result
        })
        const query = { tool: "scene_query", arguments: { query: "{ scene { context { objectCount digest } } }" } }
        const scene = Effect.map(succeeds(query), RealBlender.textOf)
        yield* Effect.forEach(stage?.calls ?? [], succeeds)
        const empty = yield* scene
        for (const entry of entries) {
          const results = yield* Effect.forEach(entry.calls, succeeds)
          const pictures = results
            .flatMap(({ content }) => content)
            .flatMap((one) => (one.type === "image" ? [Buffer.from(one.data, "base64")] : []))
          assert.lengthOf(pictures, entry.pictures.length, entry.title)
          for (const [index, picture] of pictures.entries()) {
            const file = join(directory, entry.pictures[index] ?? "")
            if (isWriting) writeFileSync(file, picture)
            // Processors differ in the last bits of a colour.
            assert.isBelow(difference(picture, readFileSync(file)), 1, `${file}: ${remedy}`)
          }
          const changes = entry.calls.filter(({ tool }) => !changingNothing.has(tool))
          yield* Effect.forEach(changes, () => succeeds({ tool: "scene_undo", arguments: {} }))
          assert.strictEqual(yield* scene, empty, entry.title)
        }
      }),
    ),
  )

  it("has calls and pictures in each entry, and no file that is not among them", () => {
    assert.lengthOf(stage?.calls ?? [], 1)
    assert.isAtLeast(entries.length, 7)
    for (const { calls, pictures, title } of entries)
      assert.isAtLeast(Math.min(calls.length, pictures.length), 1, title)
    assert.deepStrictEqual(readdirSync(directory).sort(), entries.flatMap(({ pictures }) => pictures).toSorted())
  })

  it("has pictures of at most 40 KB each, and 250 KB together", () => {
    const sizes = readdirSync(directory).map((file) => statSync(join(directory, file)).size)
    assert.isAtMost(Math.max(...sizes), 40_000)
    assert.isAtMost(
      sizes.reduce((sum, size) => sum + size),
      250_000,
    )
  })
})

const rows = [
  { agent: "Claude Code", name: "claudeCode" },
  { agent: "Codex", name: "codex" },
] as const
const built = "imports a glTF file, textures, lights, renders and exports in a real Blender, as the gallery does"

describe.skipIf(isSkipped("blender", built))("an agent", () => {
  test.live.each(rows)(`($agent) ${built}`, function* ({ name }) {
    const agent = EditorStory.agents[name]
    const { files, where } = yield* RealBlender.start
    const calls = [stage, entries.find(({ title }) => title === "Files")].flatMap((entry) => entry?.calls ?? [])
    const build = calls.map(({ arguments: args, tool }) => [tool, args] as const)
    const find = ["scene_query", { query: "{ scene { context { objectCount } } }" }] as const
    const { answers, respond } = EditorStory.play(name, { listed: [], build, made: [], find })
    const place = yield* EditorPlace.make(respond)
    yield* place.agent(name, agent.add(yield* place.server("blender", "stdio", where)))
    assert.include(yield* place.agent(name, agent.build), "Built.")
    for (const [at, [tool]] of build.entries()) assert.match(answers.get(`build ${at}`) ?? "", /"success": ?true/, tool)
    assert.includeMembers(readdirSync(files), ["monkey.glb", "ring.png", "monkey.png", "scene.glb"])
  })
})
