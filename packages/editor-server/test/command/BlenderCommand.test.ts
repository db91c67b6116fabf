/**
 * The profile `blender` as people start it: over a pipe and over HTTP, with a fake and with bridges that are found by files.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as AddOnZip from "@zain/editor-blender/AddOnZip"
import * as FakeBlender from "@zain/editor-blender/fake/FakeBlender"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect, Redacted } from "effect"
import { answer, begin, call, run, type Server } from "../../testing/command/Started.ts"

const runtime = Effect.gen(function* () {
  const root = yield* directory
  return { env: { XDG_RUNTIME_DIR: root, TMPDIR: root }, bridges: join(root, "zain-editors") }
})

const ended = Effect.fnUntraced(function* (server: Server) {
  server.child.stdin.end()
  return yield* server.exit
})

describe("zain-editor-mcp blender", () => {
  test.live("--fake serves a fake Blender over a pipe, and ends with it", function* () {
    const server = yield* run(["blender", "--fake"])
    const result = yield* begin(server)
    assert.deepInclude(result, { serverName: "Blender GraphQL MCP" })
    server.send(call(2, "command.apply", { steps: [{ create: { primitive: "cube", name: "Chair" } }] }))
    assert.include(JSON.stringify(yield* answer(server, 2)), "Chair")
    server.send({ jsonrpc: "2.0", id: 3, method: "resources/read", params: { uri: "blender://object/Chair" } })
    assert.include(JSON.stringify(yield* answer(server, 3)), "vertices")
    assert.strictEqual(yield* ended(server), 0)
  })

  test.live("the bundle has the whole bridge: its add-on is that of the sources (editors 003.26)", function* () {
    const { exit, home } = yield* run(["addon", "bundled.zip"])
    assert.strictEqual(yield* exit, 0)
    yield* AddOnZip.write(join(home, "source.zip"))
    assert.isTrue(readFileSync(join(home, "bundled.zip")).equals(readFileSync(join(home, "source.zip"))))
  })

  test.live(
    "without Blender it answers initialize and lists its tools; a call says how Blender is started (editors 003.2)",
    function* () {
      const { env } = yield* runtime
      const server = yield* run(["blender"], env)
      yield* begin(server)
      server.send({ jsonrpc: "2.0", id: 2, method: "tools/list" })
      assert.include(JSON.stringify(yield* answer(server, 2)), "command_apply")
      server.send(call(3, "scene.undo", {}))
      assert.include(JSON.stringify(yield* answer(server, 3)), "Start the bridge")
      assert.strictEqual(yield* ended(server), 0)
    },
  )

  test.live("check and list find a bridge by its file, and --record leaves its token out", function* () {
    const { bridges, env } = yield* runtime
    const editor = yield* FakeBlender.start({ directory: bridges, project: "/work/chair.blend" })
    const check = yield* run(["check", "blender", "--json"], env)
    assert.strictEqual(yield* check.exit, 0)
    assert.include(check.lines.join(""), "/work/chair.blend")
    const list = yield* run(["list", "--json"], env)
    yield* list.exit
    assert.include(list.lines.join(""), `"profile":"blender","editor":"127.0.0.1:${editor.port}"`)
    const record = join(env.XDG_RUNTIME_DIR, "record.jsonl")
    const server = yield* run(["blender", "--editor", String(process.pid), "--record", record], env)
    yield* begin(server)
    const args = { steps: [{ create: { primitive: "cube", name: "Chair" } }] }
    server.send(call(2, "command.apply", args))
    yield* answer(server, 2)
    assert.strictEqual(yield* ended(server), 0)
    const recorded = readFileSync(record, "utf8")
    assert.include(recorded, '"token":"[token]"')
    assert.notInclude(recorded, Redacted.value(editor.token))
    const replayed = yield* run(["blender", "--replay", record], env)
    yield* begin(replayed)
    replayed.send(call(2, "command.apply", args))
    assert.include(JSON.stringify(yield* answer(replayed, 2)), "1 step carried out.")
    assert.strictEqual(yield* ended(replayed), 0)
  })
})
