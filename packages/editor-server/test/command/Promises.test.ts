/**
 * What the command promises of its process: its streams, its files and its end.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as FakeUnity from "@zain/editor-unity/fake/FakeUnity"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { eventually } from "../../../tool-server/testing/TestServer.ts"
import { answer, begin, call, initialize, run } from "../../testing/command/Started.ts"

const errorOf = (result: Readonly<Record<string, unknown>> | undefined) =>
  (result?.["structuredContent"] as { readonly error: Readonly<Record<string, unknown>> } | undefined)?.error

describe("zain-editor-mcp unity without Unity", () => {
  test.live(
    "it writes nothing before the client does, answers, leaves standard error empty, and ends with 0 at the end of its input (editors 004.6, 004.8, 004.18)",
    function* () {
      const server = yield* run(["unity", "--editor", "127.0.0.1:1"])
      const sent = server.lines.length
      server.send(initialize)
      yield* answer(server, 1)
      server.child.stdin.end()
      assert.strictEqual(yield* server.exit, 0)
      assert.deepStrictEqual([sent, server.lines.length, server.errors()], [0, 1, ""])
    },
  )

  test.live(
    "it ends at the end of its input, and interrupts a call that waits an hour for Unity (editors 000.18, 004.18)",
    function* () {
      const unity = yield* FakeUnity.start()
      const logs = yield* directory
      const args = ["unity", "--editor", `127.0.0.1:${unity.port}`, "--grace", "1h", "--log-dir", logs]
      const server = yield* run(args, { MCP_DEBUG: "1" })
      yield* begin(server)
      server.send(call(2, "ping", {}))
      yield* answer(server, 2)
      yield* unity.control.quit
      server.send(call(3, "ping", {}))
      const lines = () =>
        readdirSync(logs).flatMap(
          (name) => readFileSync(join(logs, name), "utf8").match(/"event":"(queued|ends)".*/g) ?? [],
        )
      yield* eventually(() => lines().length === 3)
      server.child.stdin.end()
      assert.strictEqual(yield* server.exit, 0)
      assert.match(lines().at(-1) ?? "", /"ends".*"interrupted or refused,/)
    },
  )
})

describe("the settings of zain-editor-mcp unity", () => {
  test.live("arguments win over variables (editors 004.16)", function* () {
    const unity = yield* FakeUnity.start()
    const env = { UNITY_HOST: "127.0.0.1", UNITY_PORT: "1", UNITY_COMMAND_TIMEOUT: "20" }
    const server = yield* run(["unity", "--editor", `127.0.0.1:${unity.port}`, "--timeout", "50ms"], env)
    yield* begin(server)
    unity.control.fault("silence")
    server.send(call(2, "ping", { message: "here" }))
    assert.include(String(errorOf((yield* answer(server, 2)).result)?.["message"]), "timed out after 0.05 s")
    assert.isTrue(unity.seen.some((seen) => seen._tag === "Frame" && seen.text.includes("here")))
    const other = yield* run(["unity"], env)
    yield* begin(other)
    other.send(call(2, "ping", {}))
    assert.include(String(errorOf((yield* answer(other, 2)).result)?.["message"]), "127.0.0.1:1")
  })

  test.live("a `.unity/config.json` changes nothing, and no file is written beside it (editors 004.16)", function* () {
    const unity = yield* FakeUnity.start()
    const server = yield* run(["unity", "--editor", `127.0.0.1:${unity.port}`], {}, (home) => {
      mkdirSync(join(home, ".unity"))
      writeFileSync(join(home, ".unity", "config.json"), '{"unity":{"host":"192.0.2.1","port":1}}')
    })
    yield* begin(server)
    server.send(call(2, "create_gameobject", { name: "Chair" }))
    assert.notStrictEqual((yield* answer(server, 2)).result?.["isError"], true)
    server.child.stdin.end()
    yield* server.exit
    assert.deepStrictEqual(readdirSync(server.home, { recursive: true }).sort(), [".unity", ".unity/config.json"])
    assert.include(readFileSync(join(server.home, ".unity", "config.json"), "utf8"), "192.0.2.1")
  })
})

describe("the other commands (editors House 7)", () => {
  test.live("list finds the editors at the usual ports of this machine, as text and as JSON", function* () {
    const usual = Array.from({ length: 10 }, (_, at) => FakeUnity.start({ port: 6_400 + at }))
    const unity = yield* Effect.firstSuccessOf(usual)
    const editor = `127.0.0.1:${unity.port}`
    const [text, json] = [yield* run(["list"]), yield* run(["list", "--json"])]
    assert.deepStrictEqual([yield* text.exit, yield* json.exit], [0, 0])
    assert.match(text.lines.join("\n"), new RegExp(`^${editor}  unity +\\S`, "m"))
    const { editors } = JSON.parse(json.lines.join("")) as {
      readonly editors: ReadonlyArray<{ readonly editor: string; readonly profile: string }>
    }
    assert.deepInclude(
      editors.find((one) => one.editor === editor),
      { profile: "unity" },
    )
  })

  test.live("--client-rule goes before the table of clients", function* () {
    const server = yield* run(["unity", "--fake", "--client-rule", "windsurf=refetches,max-tools=39"])
    yield* begin(server)
    server.send({ jsonrpc: "2.0", id: 2, method: "tools/list" })
    assert.lengthOf((yield* answer(server, 2)).result?.["tools"] as ReadonlyArray<unknown>, 39)
  })
})
