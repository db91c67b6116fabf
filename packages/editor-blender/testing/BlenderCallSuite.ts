/**
 * Calls of the tools of the profile `blender`.
 */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as ByHand from "../../editor-link/testing/ByHand.ts"
import * as Editors from "../../editor-link/testing/Editors.ts"
import { type BlenderSubject, begin, cube, jsonOf } from "./BlenderSubject.ts"

const changesOf = (result: Parameters<typeof Editors.textOf>[0]) => jsonOf(result).changes

const sizeOf = (data: string) => {
  const bytes = Buffer.from(data, "base64")
  assert.strictEqual(bytes.subarray(1, 4).toString(), "PNG")
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
}

const imagesOf = ({ content }: Parameters<typeof Editors.textOf>[0]) =>
  content.flatMap((one) => (one.type === "image" ? [one.data] : []))

/** Arguments of command.apply that are wrong, and what the failure names. */
const wrong = [
  [{ steps: [{ create: { primitive: "cub" } }] }, "`steps[0].create.primitive` is none of cube, sphere"],
  [{ steps: [] }, "`steps`"],
  [
    { steps: [{ create: { primitive: "cube" }, delete: { objects: ["Cube"] } }] },
    "`steps[0]` needs exactly one member",
  ],
  [{ steps: [cube("A")], dryrun: true }, "`dryrun`"],
  [{ steps: [cube("A")], preview: { width: 1 } }, "`preview.width`"],
] as const

export const callSuite = (subject: BlenderSubject) =>
  describe("a call", () => {
    test.live(
      "of command.apply creates, moves and deletes, and its result names what it changed (editors 003.10)",
      function* () {
        const { call, scene } = yield* begin(subject)
        const made = yield* call("command.apply", { steps: [cube("椅子"), { delete: { objects: ["Cube"] } }] })
        assert.deepStrictEqual(changesOf(made), { created: ["椅子"], changed: [], deleted: ["Cube"] })
        const transform = { object: "椅子", location: { x: 3, y: 0, z: 1 } }
        const moved = yield* call("command.apply", { steps: [{ transform }] })
        assert.deepStrictEqual(changesOf(moved), {
          created: [],
          changed: [{ name: "椅子", aspects: ["transform"] }],
          deleted: [],
        })
        const query = "query($name: String!) { scene { object(name: $name) { type location { x y z } } } }"
        const found = jsonOf(yield* call("scene.query", { query, variables: { name: "椅子" } }))
        assert.deepStrictEqual(found.data.scene.object, { type: "MESH", location: transform.location })
        const deleted = yield* call("command.apply", { steps: [{ delete: { objects: ["椅子"] } }] })
        assert.deepStrictEqual(changesOf(deleted), { created: [], changed: [], deleted: ["椅子"] })
        assert.deepStrictEqual(yield* scene("objectCount"), { objectCount: 2 })
      },
    )

    test.live("of scene.capturePreview gives a PNG of the size that is asked for (editors 003.11)", function* () {
      const { call } = yield* begin(subject)
      const result = yield* call("scene.capturePreview", { width: 64, height: 32, view: "front" })
      assert.deepStrictEqual(imagesOf(result).map(sizeOf), [[64, 32]])
    })

    test.live("with a preview has the pictures before and after as images that differ (editors 003.11)", function* () {
      const { call } = yield* begin(subject)
      const steps = [cube("New", { x: 4, y: 0, z: 2 })]
      const result = yield* call("command.apply", { steps, preview: { width: 64, height: 48 } })
      const [before, after, ...more] = imagesOf(result)
      assert.deepStrictEqual([before, after].map(String).map(sizeOf), [
        [64, 48],
        [64, 48],
      ])
      assert.deepStrictEqual(more, [])
      assert.notStrictEqual(before, after)
      assert.notInclude(Editors.textOf(result), "base64")
    })

    test.live(
      "with dryRun reports the changes and leaves the scene; undo and redo move it (editors 003.23)",
      function* () {
        const { call, digest } = yield* begin(subject)
        const first = yield* digest
        const tried = yield* call("command.apply", { steps: [cube("A")], dryRun: true })
        assert.deepStrictEqual(changesOf(tried).created, ["A"])
        assert.strictEqual(yield* digest, first)
        const done = yield* call("command.apply", { steps: [cube("A")] })
        assert.deepStrictEqual(changesOf(done), changesOf(tried))
        const second = yield* digest
        assert.notStrictEqual(second, first)
        assert.deepStrictEqual(changesOf(yield* call("scene.undo", {})).deleted, ["A"])
        assert.strictEqual(yield* digest, first)
        assert.deepStrictEqual(changesOf(yield* call("scene.undo", { redo: true })).created, ["A"])
        assert.strictEqual(yield* digest, second)
        const nothing = yield* call("scene.undo", { redo: true })
        assert.strictEqual(Editors.errorOf(nothing)["code"], "OPERATION_FAILED")
        assert.include(Editors.textOf(nothing), "There is nothing to redo.")
      },
    )

    test.live(
      "of scene.save and scene.open keeps a scene in a file, and brings it back (editors 003.23)",
      function* () {
        const { call, digest } = yield* begin(subject)
        const saved = jsonOf(yield* call("scene.save", { file: "chair.blend" }))
        assert.match(saved.file, /[\\/]chair\.blend$/)
        const first = yield* digest
        yield* call("command.apply", { steps: [cube("A")] })
        assert.notStrictEqual(yield* digest, first)
        const changed = yield* digest
        const refused = yield* call("scene.open", { file: saved.file })
        assert.include(Editors.textOf(refused), "unsaved changes")
        assert.strictEqual(yield* digest, changed)
        assert.strictEqual(jsonOf(yield* call("scene.open", { file: saved.file, discard: true })).file, saved.file)
        assert.strictEqual(yield* digest, first)
        const outside = yield* call("scene.save", { file: "../chair.blend" })
        assert.strictEqual(Editors.errorOf(outside)["code"], "PERMISSION_DENIED")
        assert.deepInclude(Editors.errorOf(outside)["details"], { path: ["file"], category: "PERMISSION" })
        assert.strictEqual(jsonOf(yield* call("scene.save", {})).file, saved.file)
      },
    )

    test.live.each([
      ["x = 1\n1/0", "EXECUTION_ERROR", "line 2"],
      ["x = 1\nimport os", "DANGEROUS_OPERATION", "line 2"],
      ["print(", "CODE_VALIDATION_FAILED", "line 1"],
    ] as const)(
      "of command.executeRaw with %j fails as %s, names the line, and Blender goes on (editors 003.12)",
      function* ([pythonCode, code, place]) {
        const { call } = yield* begin(subject)
        const failed = yield* call("command.executeRaw", { pythonCode })
        assert.isTrue(failed.isError)
        assert.include(Editors.textOf(failed).toLowerCase(), place)
        assert.deepInclude(Editors.errorOf(failed), { code, delivery: "answered", retryable: false })
        const printed = jsonOf(yield* call("command.executeRaw", { pythonCode: 'print("x")\n4' }))
        assert.deepInclude(printed, { message: "The code ran.", output: "x\n", value: 4 })
        assert.isNumber(printed.executionTimeMs)
      },
    )

    test.live(
      "that fails has the bridge's code, path and suggestions, and what it did is undone (editors 003.13)",
      function* () {
        const { call, digest } = yield* begin(subject)
        const first = yield* digest
        const steps = [cube("A"), { delete: { objects: ["Light"] } }, { transform: { object: "Cub" } }]
        const failed = yield* call("command.apply", { steps })
        assert.include(Editors.textOf(failed), "Cub")
        const error = Editors.errorOf(failed)
        assert.deepInclude(error, { code: "OBJECT_NOT_FOUND", category: "tool", delivery: "answered" })
        assert.deepInclude(error["details"], {
          category: "RESOURCE_NOT_FOUND",
          path: ["steps", "2", "transform", "object"],
          suggestions: ["Cube"],
        })
        assert.include(Editors.textOf(failed), "(at steps[2].transform.object). Similar names: Cube.")
        assert.strictEqual(yield* digest, first)
      },
    )

    test.live(
      "with wrong arguments is refused with their path, as an error of JSON-RPC before MCP 2025-11-25, and Blender is untouched (editors 003.6)",
      function* () {
        const { digest, server } = yield* begin(subject)
        const first = yield* digest
        const now = yield* ByHand.client(server)
        const before = yield* ByHand.client(server, { protocolVersion: "2025-06-18" })
        for (const [args, path] of wrong) {
          const failed = yield* now.call("command.apply", args)
          assert.isTrue(failed.result?.isError, JSON.stringify(args))
          assert.include(ByHand.textOf(failed), path)
          assert.strictEqual(ByHand.failureOf(failed)?.delivery, "not-sent")
          const { error, result } = yield* before.call("command.apply", args)
          assert.isUndefined(result)
          assert.strictEqual(error?.code, -32_602)
          assert.include(error?.message, path)
        }
        assert.strictEqual(yield* digest, first)
      },
    )

    test.live("goes to Blender beside others: fifty at once create fifty objects (editors 003.14)", function* () {
      const { call, scene } = yield* begin(subject)
      const calls = Array.from({ length: 50 }, () => call("command.apply", { steps: [cube("Part")] }))
      const results = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.strictEqual(new Set(results.flatMap((result) => changesOf(result).created)).size, 50)
      assert.deepStrictEqual(yield* scene("objectCount"), { objectCount: 53 })
    })

    test.live("carries quotes, line breaks and any letters in names unchanged (editors 003.17)", function* () {
      const { call } = yield* begin(subject)
      const name = `a"b'c\\ """ \n 椅子 🪑`
      const made = yield* call("command.apply", { steps: [cube(name)] })
      assert.deepStrictEqual(changesOf(made).created, [name])
      const query = "query($name: String!) { scene { object(name: $name) { name } } }"
      const found = jsonOf(yield* call("scene.query", { query, variables: { name } }))
      assert.deepStrictEqual(found.data.scene.object, { name })
    })

    test.live.each([
      ["create a red cube", { created: 1 }],
      ["「箱」という名前の立方体を作って", { created: 1 }],
      ["move Cube to (1, 2, 3)", { changed: 1 }],
      ["Cubeを削除する", { deleted: 1 }],
    ] as const)(
      "of command.executeNatural with %j changes the scene (editors 003.22)",
      function* ([command, expected]) {
        const { call } = yield* begin(subject)
        const { changed, created, deleted } = changesOf(yield* call("command.executeNatural", { command }))
        assert.deepStrictEqual(
          { created: created.length, changed: changed.length, deleted: deleted.length },
          { created: 0, changed: 0, deleted: 0, ...expected },
        )
      },
    )

    test.live(
      "of command.executeNatural that no template matches is refused, and the scene is as it was (editors 003.22)",
      function* () {
        const { call, digest } = yield* begin(subject)
        const first = yield* digest
        const failed = yield* call("command.executeNatural", { command: "make it dramatic" })
        assert.deepInclude(Editors.errorOf(failed), { code: "OPERATION_UNSUPPORTED", delivery: "answered" })
        assert.strictEqual(yield* digest, first)
      },
    )
  })
