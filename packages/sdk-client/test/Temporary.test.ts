/** The directory for temporary files of a session's process. */
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { environment, session } from "../testing/Server.ts"

/** A directory that is TMPDIR of this program until the Scope ends. */
const temporary = Effect.fnUntraced(function* (name: string) {
  const path = join(yield* directory, name)
  mkdirSync(path)
  yield* environment({ TMPDIR: path })
  return path
})

const seenBy = ({ ask }: Effect.Success<ReturnType<typeof session>>) =>
  Effect.map(ask("environment"), ({ content }) => String(JSON.parse(content).TMPDIR))

describe("TMPDIR of a session's process (promise 18)", () => {
  test.live("has at most 60 bytes: it is made in /tmp if TMPDIR of the host is too long for that", function* () {
    const path = yield* temporary("é".repeat(30))
    const one = yield* session()
    const own = yield* seenBy(one)
    assert.strictEqual(dirname(own), "/tmp")
    assert.deepStrictEqual(readdirSync(path), [])
    yield* one.adapter.closeSession(one.id)
    assert.isFalse(existsSync(own))
  })

  test.live("is made in /tmp if TMPDIR of the host does not exist", function* () {
    const path = yield* temporary("t")
    rmSync(path, { recursive: true })
    const one = yield* session()
    const own = yield* seenBy(one)
    assert.strictEqual(dirname(own), "/tmp")
    yield* one.adapter.closeSession(one.id)
    assert.isFalse(existsSync(own))
  })

  test.live("is the caller's TMPDIR of `env`, which is not removed", function* () {
    const path = yield* temporary("t")
    const one = yield* session([], { env: { TMPDIR: path } })
    assert.strictEqual(yield* seenBy(one), path)
    yield* one.adapter.closeSession(one.id)
    assert.isTrue(existsSync(path))
  })
})
