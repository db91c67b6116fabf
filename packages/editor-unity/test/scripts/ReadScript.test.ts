import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { project } from "../../testing/scripts/ScriptProjects.ts"

describe("script_read", () => {
  test("gives the lines asked for, without carriage returns and byte order mark, and counts all", function* () {
    const { call } = yield* project({ "Assets/A.cs": "\uFEFFone\r\ntwo\r\nthree" })
    const given = yield* call("script_read", { path: "Assets/A.cs", startLine: 1, endLine: 2 })
    assert.deepEqual(given, { path: "Assets/A.cs", startLine: 1, endLine: 2, totalLines: 3, text: "one\ntwo" })
    const all = yield* call("script_read", { path: "Assets/A.cs", startLine: 2, endLine: 99 })
    assert.strictEqual(all.text, "two\nthree")
  })

  test("stops at maxBytes and names the line to go on with", function* () {
    const { call } = yield* project({ "Assets/A.cs": "aaaa\nbbbb\ncccc" })
    const given = yield* call("script_read", { path: "Assets/A.cs", maxBytes: 11 })
    assert.deepInclude(given, { text: "aaaa\nbbbb", endLine: 2, truncated: true, nextStartLine: 3 })
    const short = yield* call("script_read", { path: "Assets/A.cs", maxBytes: 2 })
    assert.deepInclude(short, { text: "aa", truncated: true })
  })

  test("refuses lines that are not there", function* () {
    const { refuse } = yield* project({ "Assets/A.cs": "one\ntwo" })
    const beyond = yield* refuse("script_read", { path: "Assets/A.cs", startLine: 5 })
    assert.include(beyond.message, "Assets/A.cs has 2 lines")
    const turned = yield* refuse("script_read", { path: "Assets/A.cs", startLine: 2, endLine: 1 })
    assert.include(turned.message, "endLine 1 is before startLine 2")
  })

  test("reads a file that is not UTF-8 and says so", function* () {
    const { call } = yield* project({ "Assets/A.cs": Buffer.from([0x61, 0xff, 0x62]) })
    const given = yield* call("script_read", { path: "Assets/A.cs" })
    assert.strictEqual(given.text, "a\uFFFDb")
    assert.include(given.note, "UTF-8")
  })

  test("refuses a path that names no script that can be read in one sentence, not sent", function* () {
    const { refuse, root } = yield* project({ "Assets/Large.cs": "a".repeat(2_097_153) })
    mkdirSync(join(root, "Assets/Folder.cs"))
    execFileSync("mkfifo", [join(root, "Assets/Pipe.cs")])
    const paths = [
      ["../A.cs", "is not one of a script"],
      ["Assets/../../A.cs", "is not one of a script"],
      ["/etc/passwd", "is not one of a script"],
      ["ProjectSettings/A.cs", "is not one of a script"],
      ["Assets/\0.cs", "is not one of a script"],
      ["Assets/A.txt", "is not a C# file"],
      ["Assets/Missing.cs", "There is no file Assets/Missing.cs"],
      ["Assets/Folder.cs", "is not a regular file"],
      ["Assets/Pipe.cs", "is not a regular file"],
      ["Assets/Large.cs", "is larger than 2097152 bytes"],
    ] as const
    for (const [path, message] of paths) {
      const error = yield* refuse("script_read", { path })
      assert.include(error.message, message)
      assert.strictEqual(error.delivery, "not-sent")
    }
  })

  test("follows links within the project and refuses those that lead out", function* () {
    const outside = yield* directory
    const { call, refuse, root, write } = yield* project({ "Assets/Real.cs": "class Real {}" })
    write("secret.cs", "class Secret {}")
    symlinkSync("Real.cs", join(root, "Assets/Inner.cs"))
    symlinkSync("../secret.cs", join(root, "Assets/Root.cs"))
    symlinkSync(outside, join(root, "Assets/Out"))
    symlinkSync("Nowhere.cs", join(root, "Assets/Dangling.cs"))
    assert.strictEqual((yield* call("script_read", { path: "Assets/Inner.cs" })).text, "class Real {}")
    for (const path of ["Assets/Root.cs", "Assets/Out/A.cs", "Assets/Dangling.cs"]) {
      const error = yield* refuse("script_read", { path })
      assert.include(error.message, "through a link")
      assert.strictEqual(error.reason, "security-blocked")
    }
  })
})
