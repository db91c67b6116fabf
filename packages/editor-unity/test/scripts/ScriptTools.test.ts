import { execFile } from "node:child_process"
import { cpSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Worker } from "node:worker_threads"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { type Given, project } from "../../testing/scripts/ScriptProjects.ts"

describe("script_create_class", () => {
  const path = "Assets/New/Deep/Foe.cs"

  test.live("shows the class, and writes it once apply is true", function* () {
    const { call, read, root } = yield* project({})
    const args = {
      path,
      className: "Foe",
      namespace: "Game.Foes",
      baseType: "MonoBehaviour",
      usings: "System, System.Linq",
    }
    const shown = yield* call("script_create_class", args)
    assert.deepInclude(shown, { applied: false })
    assert.deepEqual(readdirSync(join(root, "Assets")), [".keep"])
    yield* call("script_create_class", { ...args, apply: true })
    const text = `using UnityEngine;
using System;
using System.Linq;

namespace Game.Foes
{
    public class Foe : MonoBehaviour
    {
    }
}
`
    assert.strictEqual(read(path), text)
    assert.strictEqual(shown.text, text)
    assert.deepEqual(readdirSync(join(root, "Assets/New/Deep")), ["Foe.cs"])
  })

  test.live("writes a partial class without a namespace", function* () {
    const { call, read } = yield* project({})
    yield* call("script_create_class", { path, className: "Foe", partial: true, apply: true })
    assert.strictEqual(read(path), "public partial class Foe\n{\n}\n")
  })

  test.live.each([
    ["a file that is there", { path: "Assets/There.cs" }, "is there already"],
    ["a file in the package cache", { path: "Library/PackageCache/x@1/A.cs" }, "Embed the package"],
    ["a path out of the project", { path: "Assets/Out/A.cs" }, "through a link"],
    ["a class that is a keyword", { className: "class" }, "is not a C# identifier"],
    ["a namespace with a space", { namespace: "A B" }, "namespace"],
    ["a base that is code", { baseType: "A { } class B" }, "is not a type"],
    ["a using that is code", { usings: "System; class X {}" }, "is not a namespace"],
  ] as const)("refuses %s", function* ([, args, message]) {
    const outside = yield* directory
    const { refuse, root } = yield* project({ "Assets/There.cs": "" })
    symlinkSync(outside, join(root, "Assets/Out"))
    const error = yield* refuse("script_create_class", { path, className: "Foe", apply: true, ...args })
    assert.include(error.message, message)
    assert.deepEqual(readdirSync(outside), [])
  })
})

describe("script_packages_list", () => {
  const files = {
    "Packages/manifest.json": JSON.stringify({
      dependencies: {
        "com.unity.inputsystem": "1.7.0",
        "com.unity.modules.ui": "1.0.0",
        "com.me.git": "https://host/me.git#1",
        "com.me.local": "file:../local",
      },
    }),
    "Packages/packages-lock.json": JSON.stringify({
      dependencies: {
        "com.unity.inputsystem": { version: "1.7.1", depth: 0, source: "registry" },
        "com.unity.modules.ui": { version: "1.0.0", depth: 0, source: "builtin" },
        "com.unity.deep": { version: "2.0.0", depth: 1, source: "registry" },
        "com.odd": null,
      },
    }),
    "Packages/com.me.own/package.json": JSON.stringify({ name: "com.me.own", version: "0.1.0" }),
    "Library/PackageCache/com.unity.inputsystem@1.7.1/package.json": "{}",
  }

  test.live("joins manifest, lock file, embedded packages and cache", function* () {
    const { call } = yield* project(files)
    const given = yield* call("script_packages_list")
    assert.deepEqual(given.packages, [
      { name: "com.me.git", version: "https://host/me.git#1", source: "git", isDirect: true },
      { name: "com.me.local", version: "file:../local", source: "local", isDirect: true },
      { name: "com.me.own", version: "0.1.0", source: "embedded", isDirect: true, path: "Packages/com.me.own" },
      { name: "com.odd", version: "", source: "registry", isDirect: false },
      { name: "com.unity.deep", version: "2.0.0", source: "registry", isDirect: false },
      {
        name: "com.unity.inputsystem",
        version: "1.7.1",
        source: "registry",
        isDirect: true,
        path: "Library/PackageCache/com.unity.inputsystem@1.7.1",
      },
    ])
    const all = yield* call("script_packages_list", { includeBuiltIn: true })
    assert.include(
      all.packages.map(({ name }: Given) => name),
      "com.unity.modules.ui",
    )
  })

  test.live("names the file that is no JSON, or nested too deep", function* () {
    const { call, refuse, write } = yield* project({})
    assert.deepEqual((yield* call("script_packages_list")).packages, [])
    for (const text of ["{", `{"a":${"[".repeat(100)}${"]".repeat(100)}}`]) {
      write("Packages/manifest.json", text)
      assert.include((yield* refuse("script_packages_list")).message, "Packages/manifest.json cannot be read")
    }
  })
})

describe("the code index", () => {
  test.live("is built, says what is stale, and parses only what was changed", function* () {
    const { call, write } = yield* project({ "Assets/A.cs": "class A { int a; }", "Packages/own/B.cs": "class B {}" })
    assert.deepInclude(yield* call("code_index_status"), { ready: false, files: 0, stale: 2 })
    assert.deepInclude(yield* call("code_index_build"), { files: 2, parsed: 2, symbols: 3, basis: "by syntax" })
    assert.deepInclude(yield* call("code_index_status"), { ready: true, files: 2, symbols: 3, stale: 0 })
    write("Assets/A.cs", "class A { int a; int changed; }")
    assert.deepInclude(yield* call("code_index_status"), { ready: false, stale: 1 })
    assert.deepInclude(yield* call("code_index_update", { paths: ["Assets/A.cs"] }), {
      files: 1,
      parsed: 1,
      symbols: 3,
    })
    assert.deepInclude(yield* call("code_index_build", { throttleMs: 1, retry: 1 }), {
      files: 2,
      parsed: 0,
      symbols: 4,
    })
  })

  test.live("names files that cannot be read, and goes on", function* () {
    const { call, refuse } = yield* project({ "Assets/A.cs": " ".repeat(2_097_153), "Assets/B.cs": "class B {}" })
    const built = yield* call("code_index_build")
    assert.deepInclude(built, { files: 2, parsed: 1, incomplete: true })
    assert.include(built.failed[0], "Assets/A.cs is larger")
    assert.include((yield* refuse("code_index_update", { paths: ["../A.cs"] })).message, "is not one of a script")
  })
})

describe("the tools", () => {
  test.live("end their thread when they are interrupted: nothing keeps the process", function* () {
    const { root } = yield* project({ "Assets/A.cs": `${"a".repeat(60)}!` })
    const tools = new URL("../../src/scripts/ScriptTools.ts", import.meta.url)
    const program = `
      import * as Effect from "effect/Effect"
      import { ScriptTools } from ${JSON.stringify(tools.href)}
      const search = ScriptTools.script_search(
        { pattern: "^(a+)+$", patternType: "regex" },
        { project: Effect.succeed(${JSON.stringify(root)}), progress: () => {} },
      )
      await Effect.runPromise(Effect.timeoutOption(search, 500))
      console.log("interrupted")`
    const cwd = fileURLToPath(new URL("../..", import.meta.url))
    const args = ["--conditions=zain-source", "--input-type=module", "--eval", program]
    const { stdout } = yield* Effect.promise(() =>
      promisify(execFile)(process.execPath, args, { cwd, timeout: 60_000 }),
    )
    assert.strictEqual(stdout, "interrupted\n")
  })

  test.live("find the parser and the grammar beside the bundle, with no package around", function* () {
    const bare = yield* directory
    const dist = fileURLToPath(new URL("../../../editor-server/dist", import.meta.url))
    cpSync(dist, bare, { recursive: true })
    const thread = new Worker(join(bare, "zain-editor-csharp.js"))
    const answer = yield* Effect.promise(
      () =>
        new Promise<Given>((resolve, reject) => {
          thread.once("message", resolve)
          thread.once("error", reject)
          thread.postMessage({ number: 1, name: "outline", input: { text: "class A { }" } })
        }),
    )
    yield* Effect.promise(() => thread.terminate())
    assert.strictEqual(answer.output?.symbols[0].kind, "class", answer.failure)
  })
})
