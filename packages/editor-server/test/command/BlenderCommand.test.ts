/**
 * The profile `blender` as people start it: over a pipe, with a bridge that is found by its file.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as AddOnZip from "@zain/editor-blender/AddOnZip"
import { blender as profile } from "@zain/editor-blender/BlenderProfile"
import * as FakeBlender from "@zain/editor-blender/fake/FakeBlender"
import * as Replay from "@zain/editor-link/infrastructure/record/Replay"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Redacted } from "effect"
import * as Editors from "../../../editor-link/testing/Editors.ts"
import { answer, begin, call, run } from "../../testing/command/Started.ts"

describe("zain-editor-mcp blender", () => {
  test.live("the bundle has the whole bridge: its add-on is that of the sources (editors 003.26)", function* () {
    const { exit, home } = yield* run(["addon", "bundled.zip"])
    assert.strictEqual(yield* exit, 0)
    yield* AddOnZip.write(join(home, "source.zip"))
    assert.isTrue(readFileSync(join(home, "bundled.zip")).equals(readFileSync(join(home, "source.zip"))))
  })

  test.live(
    "list finds a bridge by its file, and so does a server, whose recording has no token, and is replayed",
    function* () {
      const root = yield* directory
      const env = { XDG_RUNTIME_DIR: root, TMPDIR: root }
      const editor = yield* FakeBlender.start({ directory: join(root, "zain-editors"), project: "/work/chair.blend" })
      const list = yield* run(["list", "--json"], env)
      assert.strictEqual(yield* list.exit, 0)
      assert.include(list.lines.join(""), `"profile":"blender","editor":"127.0.0.1:${editor.port}"`)
      assert.include(list.lines.join(""), "/work/chair.blend")
      const record = join(root, "record.jsonl")
      const server = yield* run(["blender", "--record", record], env)
      yield* begin(server)
      const args = { steps: [{ create: { primitive: "cube", name: "Chair" } }] }
      server.send(call(2, "command.apply", args))
      assert.include(JSON.stringify(yield* answer(server, 2)), "1 step carried out.")
      server.child.stdin.end()
      assert.strictEqual(yield* server.exit, 0)
      const recorded = readFileSync(record, "utf8")
      assert.include(recorded, '"token":"[token]"')
      assert.notInclude(recorded, Redacted.value(editor.token))
      const replayed = yield* Replay.read(record)
      const settings = { connect: () => Replay.connect(replayed) }
      const again = yield* Editors.client(yield* Editors.server(profile, [{ host: "127.0.0.1", port: 1 }], settings))
      assert.include(Editors.textOf(yield* again.call("command.apply", args)), "1 step carried out.")
    },
  )
})
