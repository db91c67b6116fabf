import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as ScriptFiles from "../../src/scripts/ScriptFiles.ts"

const change = (root: string, name: string, after: string): ScriptFiles.Change => {
  const place = join(root, name)
  const { mode, mtimeMs, size } = statSync(place)
  const before = statSync(place).isFile() ? readFileSync(place, "utf8") : ""
  return { file: { path: name, place, hasMark: false, mode: mode & 0o777, mtimeMs, size }, before, after }
}

describe("writing scripts", () => {
  test("changes none of several files where one was changed since it was read", function* () {
    const root = yield* directory
    for (const name of ["A.cs", "B.cs"]) writeFileSync(join(root, name), "old")
    const changes = [change(root, "A.cs", "new"), change(root, "B.cs", "new")]
    writeFileSync(join(root, "B.cs"), "odd")
    utimesSync(join(root, "B.cs"), 1, 1)
    const error = yield* Effect.flip(ScriptFiles.apply(changes))
    assert.include(error.message, "B.cs was not changed: it was changed meanwhile")
    assert.strictEqual(error.delivery, "not-sent")
    assert.strictEqual(readFileSync(join(root, "A.cs"), "utf8"), "old")
    assert.deepEqual(readdirSync(root).sort(), ["A.cs", "B.cs"])
  })

  test("gives files their old content back where a later one cannot be replaced", function* () {
    const root = yield* directory
    writeFileSync(join(root, "A.cs"), "old")
    mkdirSync(join(root, "B.cs"))
    const error = yield* Effect.flip(ScriptFiles.apply([change(root, "A.cs", "new"), change(root, "B.cs", "new")]))
    assert.include(error.message, "B.cs was not changed: EISDIR. No file was changed")
    assert.strictEqual(readFileSync(join(root, "A.cs"), "utf8"), "old")
    assert.deepEqual(readdirSync(root).sort(), ["A.cs", "B.cs"])
  })

  test("does not replace a file by a new one", function* () {
    const root = yield* directory
    writeFileSync(join(root, "A.cs"), "old")
    const error = yield* Effect.flip(ScriptFiles.create("A.cs", join(root, "A.cs"), "new"))
    assert.include(error.message, "it is there already")
    assert.strictEqual(readFileSync(join(root, "A.cs"), "utf8"), "old")
    assert.deepEqual(readdirSync(root), ["A.cs"])
  })
})
