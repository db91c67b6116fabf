/** Texts of a size that a message can have, in every text argument of every tool of Unity. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { test } from "../../../core/test/Test.ts"
import { directory } from "../../../process/test/Directory.ts"
import type { EditorTool, JsonSchema } from "../../src/domain/Catalogue.ts"
import { unityTools } from "../../src/unity/UnityTools.ts"
import { project } from "./scripts/ScriptProjects.ts"

/** A text that would be expensive for expressions, paths, words, parsers of C#, or comparisons. */
const hostile = [" ", "{", "/a", "\n", "e\u0301"]
/** Few enough for any expression, and as many as make others slow. */
const [few, most] = [60_000, 4_194_304]

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

/** The least arguments of a schema. */
const least = (schema: JsonSchema, name = ""): unknown => {
  const {
    enum: values,
    items,
    properties = {},
    required = [],
    type,
  } = schema as {
    readonly enum?: ReadonlyArray<unknown>
    readonly items?: JsonSchema
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly required?: ReadonlyArray<string>
    readonly type?: unknown
  }
  if (name in known) return known[name]
  if (values !== undefined) return values[0]
  if (type === "array") return items === undefined ? [] : [least(items)]
  if (type === "object") return Object.fromEntries(required.map((one) => [one, least(properties[one] ?? {}, one)]))
  return type === "number" || type === "integer" ? 1 : type === "boolean" ? false : "Jump"
}

type Put = (text: string) => unknown

/** How to put a text into each text of a schema's value. */
const texts = (schema: JsonSchema, name = ""): ReadonlyArray<readonly [path: string, put: Put]> => {
  const {
    anyOf = [],
    enum: values,
    items,
    properties = {},
    type,
  } = schema as {
    readonly anyOf?: ReadonlyArray<JsonSchema>
    readonly enum?: unknown
    readonly items?: JsonSchema
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly type?: unknown
  }
  if (values !== undefined) return []
  if ([type].flat().includes("string")) return [[name, (text) => text]]
  const inner = [
    ...anyOf.flatMap((one) => texts(one, name)),
    ...(items === undefined
      ? []
      : texts(items, `${name}[]`).map(([path, put]) => [path, (text: string) => [put(text)]] as const)),
  ]
  const whole = Object.keys(properties).length === 0 ? {} : (least(schema) as object)
  const members = Object.entries(properties).flatMap(([key, property]) =>
    texts(property, name === "" ? key : `${name}.${key}`).map(
      ([path, put]) => [path, (text: string) => ({ ...whole, [key]: put(text) })] as const,
    ),
  )
  return [...inner, ...members]
}

const cases = unityTools.flatMap((tool) => texts(tool.inputSchema).map(([path, put]) => ({ tool, path, put })))

test.live(
  "each text argument of each tool of Unity takes the main thread under 200 ms of CPU, and in proportion to its length (promise 24)",
  function* () {
    const root = yield* directory
    mkdirSync(join(root, "Assets"))
    const context = {
      ...{ longTimeout: 1_000, progress: () => {}, project: Effect.succeed(root) },
      send: () => Effect.succeed({}),
    }
    const call = (tool: EditorTool, args: unknown) =>
      Effect.gen(function* () {
        writeFileSync(join(root, "Assets", "A.cs"), "class A { void Jump() {} void M() { Jump(); } }")
        const before = process.threadCpuUsage()
        const read = tool.read(args)
        if (Result.isSuccess(read))
          yield* Effect.exit((tool.run ?? (() => Effect.void as never))(read.success, context))
        const { system, user } = process.threadCpuUsage(before)
        return (system + user) / 1_000
      })
    assert.isAbove(cases.length, 200)
    const faults: Array<string> = []
    // Loads what the tools need.
    for (const { put, tool } of cases) yield* call(tool, put("a".repeat(1_025)))
    for (const { path, put, tool } of cases) {
      for (const part of hostile) {
        // A collection of garbage may fall into one of three; work of less than 40 ms is too small to compare.
        const cost = Effect.fnUntraced(function* (length: number) {
          const args = put(`a${part.repeat(length / part.length)}a`)
          const first = yield* call(tool, args)
          const isPlain = first < 40 || first > 1_000
          return isPlain ? first : Math.min(first, yield* call(tool, args), yield* call(tool, args))
        })
        const early = yield* cost(few)
        const [half, whole] = early > 200 ? [early, early] : [yield* cost(most / 2), yield* cost(most)]
        if (whole > 200 || (whole > 40 && whole > 2.5 * half)) {
          faults.push(`${tool.name} ${path} ${JSON.stringify(part)}: ${whole} ms, half ${half} ms`)
        }
      }
    }
    assert.deepStrictEqual(faults, [])
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
  const before = process.threadCpuUsage()
  yield* call("script_edit_snippet", args)
  const { system, user } = process.threadCpuUsage(before)
  assert.isBelow((system + user) / 1_000, 200)
  assert.notInclude(read("Assets/A.cs"), "// 99.")
})

test.live("a file that takes the C# parser over 512 MiB is refused, and the next file is parsed", function* () {
  const { call, refuse } = yield* project({ "Assets/A.cs": "a<".repeat(2 ** 20), "Assets/B.cs": "class B {}" })
  const { message } = yield* refuse("script_symbols_get", { path: "Assets/A.cs" })
  assert.include(message, "Assets/A.cs: it takes the C# parser more than 512 MiB. Exclude the file, or split it")
  assert.strictEqual((yield* call("script_symbol_find", { name: "B" })).symbols.length, 1)
})
