import { spawnSync } from "node:child_process"
import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
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

/** Runs a script of the shell as root of namespaces of its own, where it may mount. */
const mounting = (script: string, path: string) => {
  const program = fileURLToPath(new URL("fixtures/thread-store.ts", import.meta.url))
  const words = ["-rm", "sh", "-ec", script, process.execPath, "--conditions=zain-source", program]
  return spawnSync("unshare", words, { encoding: "utf8", env: { ...process.env, XDG_STATE_HOME: path } })
}
const canMount = mounting('mount -t tmpfs none "$XDG_STATE_HOME"', "/tmp").status === 0

describe.runIf(canMount)("`ThreadStore`, where mounts are permitted,", () => {
  test.live.each([
    { what: "a read-only mount", why: "EROFS: read-only file system", script: "mount -o remount,bind,ro $at" },
    {
      what: "a full disk",
      why: "ENOSPC: no space left on device",
      script: "cat /dev/zero > $at/all 2> /dev/null || true",
    },
    {
      what: "a directory without write permission",
      why: "EACCES: permission denied",
      script: 'chmod 500 $at; exec setpriv --bounding-set=-dac_override "$0" "$@"',
    },
  ])("names $what, the cause and the remedy (promise 35)", function* ({ script, why }) {
    const path = yield* directory
    const mounted = 'at="$XDG_STATE_HOME"; mount -t tmpfs -o size=64k none "$at"'
    const { stderr, stdout } = mounting(`${mounted}; ${script}; exec "$0" "$@"`, path)
    const line = `invalid-config \`mode\` must be remembered with the thread, and the directory ${path}/zain/test cannot be written (${why}). Set XDG_STATE_HOME of the agent's server, with local() in \`env\`, to a directory that can be written.`
    assert.deepStrictEqual([stdout, stderr], [`${line}\n${line}\n`, ""])
  })
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
