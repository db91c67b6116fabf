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
import { answer, begin, call, run } from "../../testing/command/Started.ts"

const errorOf = (result: Readonly<Record<string, unknown>> | undefined) =>
  (result?.["structuredContent"] as { readonly error: Readonly<Record<string, unknown>> } | undefined)?.error

describe("zain-editor-mcp unity", () => {
  test.live(
    "without Unity it writes nothing before the client does, answers, leaves standard error empty, and ends with 0 at the end of its input; Unity is where variables name it (editors 004.6, 004.8, 004.16, 004.18)",
    function* () {
      const server = yield* run(["unity"], { UNITY_HOST: "127.0.0.1", UNITY_PORT: "1" })
      const sent = server.lines.length
      yield* begin(server)
      server.send(call(2, "ping", {}))
      assert.include(String(errorOf((yield* answer(server, 2)).result)?.["message"]), "127.0.0.1:1")
      server.child.stdin.end()
      assert.strictEqual(yield* server.exit, 0)
      assert.deepStrictEqual([sent, server.lines.length, server.errors()], [0, 2, ""])
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

  test.live(
    "arguments win over variables, --client-rule over the table of clients; a `.unity/config.json` changes nothing, and no file is written beside it (editors 004.16, House 7)",
    function* () {
      const unity = yield* FakeUnity.start()
      const env = { UNITY_HOST: "192.0.2.1", UNITY_PORT: "1", UNITY_COMMAND_TIMEOUT: "20000" }
      const args = ["unity", "--editor", `127.0.0.1:${unity.port}`, "--timeout", "50ms"]
      const rule = ["--client-rule", "windsurf=refetches,max-tools=39"]
      const server = yield* run([...args, ...rule], env, (home) => {
        mkdirSync(join(home, ".unity"))
        writeFileSync(join(home, ".unity", "config.json"), '{"unity":{"host":"192.0.2.1","port":1}}')
      })
      yield* begin(server)
      server.send({ jsonrpc: "2.0", id: 2, method: "tools/list" })
      assert.lengthOf((yield* answer(server, 2)).result?.["tools"] as ReadonlyArray<unknown>, 39)
      unity.control.fault("silence")
      server.send(call(3, "ping", { message: "here" }))
      assert.include(String(errorOf((yield* answer(server, 3)).result)?.["message"]), "timed out after 0.05 s")
      assert.isTrue(unity.seen.some((seen) => seen._tag === "Frame" && seen.text.includes("here")))
      server.child.stdin.end()
      yield* server.exit
      assert.deepStrictEqual(readdirSync(server.home, { recursive: true }).sort(), [".unity", ".unity/config.json"])
      assert.include(readFileSync(join(server.home, ".unity", "config.json"), "utf8"), "192.0.2.1")
    },
  )
})

describe("zain-editor-mcp list (editors House 7)", () => {
  test.live("finds the editors at the usual ports of this machine", function* () {
    const usual = Array.from({ length: 10 }, (_, at) => FakeUnity.start({ port: 6_400 + at }))
    const unity = yield* Effect.firstSuccessOf(usual)
    const list = yield* run(["list"])
    assert.strictEqual(yield* list.exit, 0)
    assert.match(list.lines.join("\n"), new RegExp(`^127\\.0\\.0\\.1:${unity.port}  unity +\\S`, "m"))
  })
})
