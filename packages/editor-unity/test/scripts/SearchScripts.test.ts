import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { type Given, player, project } from "../../testing/scripts/ScriptProjects.ts"

const paths = ({ results }: Given): ReadonlyArray<string> => results.map(({ path }: Given) => path)
const lines = ({ results }: Given): ReadonlyArray<number> => results.flatMap((each: Given) => each.lines)

describe("script_search", () => {
  test.live("finds a text outside of comments, with the lines around it", function* () {
    const { call } = yield* project({ "Assets/Player.cs": player })
    const given = yield* call("script_search", { pattern: "speed", snippetContext: 0, maxMatchesPerFile: 20 })
    assert.deepEqual(
      given.results[0].matches.map(({ line }: Given) => line),
      [8, 11, 15, 16, 19, 21],
    )
    assert.strictEqual(given.results[0].matches[1].snippet.trim(), "public float Speed => speed;")
    const all = yield* call("script_search", { pattern: "speed of", codeOnly: false, detail: "metadata" })
    assert.deepEqual(lines(all), [10])
    assert.deepEqual((yield* call("script_search", { pattern: "speed of" })).results, [])
  })

  test.live("matches an expression with flags, line by line", function* () {
    const { call } = yield* project({ "Assets/A.cs": "class A {}\nclass Bc {}\r\n// class C\n" })
    const search = { patternType: "regex", detail: "metadata" }
    assert.deepEqual(lines(yield* call("script_search", { ...search, pattern: "^CLASS \\w+", flags: ["i"] })), [1, 2])
    assert.deepEqual(lines(yield* call("script_search", { ...search, pattern: "^CLASS \\w+" })), [])
    assert.deepEqual(lines(yield* call("script_search", { ...search, pattern: "$", codeOnly: false })), [1, 2, 3, 4])
  })

  test.live("finds only what stands in the container, namespace and declaration that are asked for", function* () {
    const { call } = yield* project({
      "Assets/A.cs":
        "namespace N { class A { void M() { go(); }\n void K() { go(); } } }\nclass B { void M() { go(); } }",
    })
    const search = { pattern: "go", detail: "metadata" }
    assert.deepEqual(lines(yield* call("script_search", { ...search, container: "A" })), [1, 2])
    assert.deepEqual(lines(yield* call("script_search", { ...search, namespace: "N", identifier: "K" })), [2])
    assert.deepEqual(lines(yield* call("script_search", { ...search, identifier: "M" })), [1, 3])
  })

  test.live("lists files by globs", function* () {
    const files = [
      "Assets/A.cs",
      "Assets/Deep/er/B.cs",
      "Assets/Tests/C.cs",
      "Packages/own/D.cs",
      "Library/PackageCache/x@1/E.cs",
    ]
    const { call } = yield* project(Object.fromEntries(files.map((path) => [path, ""])))
    const glob = { patternType: "glob" }
    assert.deepEqual(paths(yield* call("script_search", glob)), files.slice(0, 4))
    assert.deepEqual(
      paths(yield* call("script_search", { ...glob, pattern: "Assets/**/*.cs", exclude: "**/Tests/**" })),
      files.slice(0, 2),
    )
    assert.deepEqual(paths(yield* call("script_search", { ...glob, include: "Assets/?.cs" })), ["Assets/A.cs"])
    assert.deepEqual(paths(yield* call("script_search", { ...glob, scope: "packages" })), files.slice(3))
    assert.deepEqual(paths(yield* call("script_search", { ...glob, scope: "all" })), files)
  })

  test.live("gives pages: the cursor of one leads to the next, and each file is in one page", function* () {
    const names = ["A", "B", "C", "D", "E"]
    const { call, refuse } = yield* project(Object.fromEntries(names.map((name) => [`Assets/${name}.cs`, "hit();"])))
    const seen: Array<string> = []
    let startAfter: string | undefined
    do {
      const page: Given = yield* call("script_search", {
        pattern: "hit",
        pageSize: 2,
        ...(startAfter ? { startAfter } : {}),
      })
      seen.push(...paths(page))
      assert.strictEqual(page.truncated, page.cursor !== undefined)
      startAfter = page.cursor
    } while (startAfter !== undefined)
    assert.deepEqual(
      seen,
      names.map((name) => `Assets/${name}.cs`),
    )
    const error = yield* refuse("script_search", { pattern: "hit", startAfter: "Assets/Z.cs" })
    assert.include(error.message, "`startAfter` names no file")
  })

  test.live("keeps a result within maxBytes", function* () {
    const big = `hit(); ${"x".repeat(3_000)}\n`
    const { call } = yield* project({ "Assets/A.cs": big, "Assets/B.cs": big, "Assets/C.cs": big })
    const given = yield* call("script_search", { pattern: "hit", maxBytes: 1_000 })
    assert.isBelow(JSON.stringify(given.results).length, 1_100)
    assert.deepInclude(given, { truncated: true, cursor: "Assets/B.cs" })
  })

  test.live("ends an expression that takes exponential time, while the process goes on", function* () {
    const { call, refuse } = yield* project({ "Assets/A.cs": `${"a".repeat(40)}!` })
    let ticks = 0
    const timer = setInterval(() => ticks++, 10)
    const error = yield* Effect.ensuring(
      refuse("script_search", { pattern: "^(a+)+$", patternType: "regex" }),
      Effect.sync(() => clearInterval(timer)),
    )
    assert.strictEqual(error.reason, "timeout")
    assert.include(error.message, "took more than 2 s of the processor's time and was ended. Use a simpler pattern")
    assert.isAbove(ticks, 10)
    assert.strictEqual((yield* call("script_search", { pattern: "a!" })).files, 1)
  })

  test.each([
    [{ pattern: "(", patternType: "regex" }, "is not a regular expression"],
    [{ pattern: "a", patternType: "regex", flags: ["x"] }, "flags are i, m, s and u"],
    [{}, "`pattern` is missing"],
    [{ pattern: "a".repeat(1_001) }, "more than 1000 characters"],
  ] as const)("refuses %j", function* ([args, message]) {
    const { refuse } = yield* project({})
    assert.include((yield* refuse("script_search", args)).message, message)
  })

  test.live(
    "survives a hostile project: links out and in circles, strange names, bytes that are no text, large files",
    function* () {
      const outside = yield* directory
      const { call, root } = yield* project({
        "Assets/Line\nbreak.cs": "hit();",
        "Assets/Bad.cs": Buffer.from([0xff, 0xfe, 0x68, 0x69, 0x74]),
        "Assets/Large.cs": `hit();${" ".repeat(1_100_000)}`,
        "Assets/.hidden/A.cs": "hit();",
        "Assets/Samples~/A.cs": "hit();",
      })
      symlinkSync("..", join(root, "Assets/Up"))
      symlinkSync(".", join(root, "Assets/Same"))
      symlinkSync(outside, join(root, "Assets/Out"))
      mkdirSync(join(root, "Assets", ...Array.from({ length: 80 }, () => "d")), { recursive: true })
      const given = yield* call("script_search", { pattern: "hit" })
      assert.deepEqual(paths(given), ["Assets/Bad.cs", "Assets/Line\nbreak.cs"])
      assert.isAtLeast(given.skipped, 4)
    },
  )
})
