import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { test } from "../../core/test/Test.ts"
import { directory } from "../../process/test/Directory.ts"
import * as ThreadStore from "../src/ThreadStore.ts"

const open = (path: string) =>
  ThreadStore.make({ XDG_STATE_HOME: path }, "test", Schema.String, (text) => (text === "plan" ? ["mode"] : []))
const id = "01234567-89ab-cdef-0123-456789abcdef"

test("`ThreadStore.get` returns the record that was written last, also by another server", function* () {
  const path = yield* directory
  const [one, other] = [open(path), open(path)]
  yield* one.put(id, "first")
  yield* other.put(id, "second")
  assert.deepStrictEqual([yield* one.get(id), yield* other.get(id)], ["second", "second"])
})

test("`ThreadStore` fails for a record that must be remembered where the directory cannot be written (promise 35)", function* () {
  const path = yield* directory
  yield* open(path).put(id, "first")
  rmSync(join(path, "zain"), { recursive: true })
  writeFileSync(join(path, "zain"), "")
  const store = open(path)
  for (const failing of [store.check("plan"), store.put(id, "plan")]) {
    const { message, reason } = yield* Effect.flip(failing)
    assert.strictEqual(reason, "invalid-config")
    assert.match(
      message,
      /^`mode` must be remembered .*\/zain\/test cannot be written \(ENOTDIR: not a directory\)\. Set XDG_STATE_HOME/,
    )
  }
  assert.isUndefined(yield* store.get(id))
  yield* store.check("first")
})

test("`ThreadStore.check` writes nothing that stays", function* () {
  const path = yield* directory
  yield* open(path).check("plan")
  assert.deepStrictEqual(readdirSync(join(path, "zain/test")), [])
})

test("`ThreadStore.get` returns a record that cannot be written until the process ends", function* () {
  const path = join(yield* directory, "file")
  writeFileSync(path, "")
  const store = open(path)
  yield* store.put(id, "first")
  assert.deepStrictEqual([yield* store.get(id), yield* open(path).get(id)], ["first", undefined])
})
