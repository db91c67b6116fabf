/** Texts of a size that a message can have, in every text argument of every tool of Unity and Blender. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { blenderTools } from "@zain/editor-blender/BlenderTools"
import type { EditorTool } from "@zain/editor-link/domain/Catalogue"
import { unityTools } from "@zain/editor-unity/UnityTools"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect, Result } from "effect"
import { project, scriptTools } from "../../editor-unity/testing/scripts/ScriptProjects.ts"
import * as Hostile from "../../tool-server/testing/Hostile.ts"

/** What is named so exists. */
const known: Readonly<Record<string, unknown>> = {
  path: "Assets/A.cs",
  relative: "Assets/A.cs",
  symbolName: "A/Jump",
  namePath: "A/Jump",
  className: "B",
  target: "void Jump() {}",
  preview: true,
}

test.live.each([
  ["Unity", unityTools, 200],
  ["Blender", blenderTools, 20],
] as const)(
  "each text argument of each tool of %s takes the main thread under 200 ms of CPU, and in proportion to its length (promise 24)",
  function* ([, tools, min]) {
    const root = yield* directory
    mkdirSync(join(root, "Assets"))
    const context = {
      ...{ longTimeout: 1_000, progress: () => {}, project: Effect.succeed(root) },
      send: () => Effect.succeed({}),
    }
    const scripts = scriptTools()
    const call = (tool: EditorTool) => (args: unknown) =>
      Effect.gen(function* () {
        writeFileSync(join(root, "Assets", "A.cs"), "class A { void Jump() {} void M() { Jump(); } }")
        const read = yield* Effect.promise(async () => tool.read(args))
        const run = scripts[tool.name] ?? tool.run
        return Result.isFailure(read) ? undefined : yield* Effect.exit(run?.(read.success, context) ?? Effect.void)
      })
    const cases = tools.flatMap((tool) =>
      Hostile.inputs(tool.inputSchema, known).map(([path, put]) => ({
        name: `${tool.name} ${path}`,
        put,
        call: call(tool),
        read: tool.read,
      })),
    )
    assert.isAbove(cases.length, min)
    // What a text's length alone refuses costs the same in each argument.
    const refused = yield* Effect.filter(cases, ({ put, read }) =>
      Effect.promise(async () => {
        const found = await read(put("a".repeat(1_025)))
        return Result.isFailure(found) && found.failure.includes("more than 1024 characters")
      }),
    )
    const measured = cases.filter((one) => refused.indexOf(one) < 3)
    assert.deepStrictEqual(yield* Hostile.faults(measured), [])
  },
)

test.live("a hundred edits of a file of 2 MiB take the main thread under 200 ms of CPU (promise 24)", function* () {
  const anchors = Array.from({ length: 100 }, (_, at) => `// ${at}.\n`)
  const { call, read } = yield* project({
    "Assets/A.cs": `class A {}\n//${" a".repeat(1_000_000)}\n${anchors.join("")}`,
  })
  const edit = (target: string) => ({ operation: "delete", anchor: { type: "text", target } })
  const args = { path: "Assets/A.cs", instructions: anchors.map(edit) }
  yield* call("script_edit_snippet", { ...args, preview: true })
  assert.isBelow(yield* Hostile.cpu(call("script_edit_snippet", args)), 200)
  assert.notInclude(read("Assets/A.cs"), "// 99.")
})

test.live("a file that takes the C# parser over 512 MiB is refused, and the next file is parsed", function* () {
  const { call, refuse } = yield* project({ "Assets/A.cs": "a<".repeat(2 ** 20), "Assets/B.cs": "class B {}" })
  const { message } = yield* refuse("script_symbols_get", { path: "Assets/A.cs" })
  assert.include(message, "Assets/A.cs: it takes the C# parser more than 512 MiB. Exclude the file, or split it")
  assert.strictEqual((yield* call("script_symbol_find", { name: "B" })).symbols.length, 1)
})
