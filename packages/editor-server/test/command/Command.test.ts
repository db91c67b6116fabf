/**
 * The command as people start it: its arguments, its transports, its files and its exit codes.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { connect } from "node:net"
import { networkInterfaces } from "node:os"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as FakeUnity from "@zain/editor-unity/fake/FakeUnity"
import * as FakeUnityLoop from "@zain/editor-unity-loop/fake/FakeUnityLoop"
import { directory } from "@zain/testkit/Directory"
import { listening } from "@zain/testkit/Listening"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { eventually } from "../../../tool-server/testing/TestServer.ts"
import { answer, begin, call, initialize, run } from "../../testing/command/Started.ts"

/** Listens on `host`, on a free port, and hands every connection on to a port of 127.0.0.1. */
const relay = (to: number, host: string) =>
  listening((socket) => {
    const onward = connect({ port: to, host: "127.0.0.1" })
    for (const end of [socket, onward]) end.on("error", () => {})
    socket.pipe(onward).pipe(socket)
  }, host)

describe("the command's arguments", () => {
  test.live.each<readonly [string, ReadonlyArray<string>, Readonly<Record<string, string>>, RegExp, number]>([
    ["a port that is not set", ["unity-loop"], {}, /UNITY_TCP_PORT is not set/, 1],
    ["a port that is none", ["unity-loop"], { UNITY_TCP_PORT: "0" }, /UNITY_TCP_PORT is "0"/, 1],
    [
      "a bridge of Blender on another host",
      ["blender", "--editor", "example.org:1"],
      {},
      /listens on 127\.0\.0\.1 alone/,
      2,
    ],
    [
      "a port of Blender's front that is none",
      ["blender", "http"],
      { MCP_PORT: "x" },
      /MCP_PORT takes a whole number/,
      2,
    ],
    ["a level that is none", ["blender", "--fake"], { MCP_LOG_LEVEL: "loud" }, /MCP_LOG_LEVEL takes debug, info/, 1],
    ["an unknown profile", ["godot"], {}, /Unknown profile or command "godot"/, 2],
    ["an unknown transport", ["unity-loop", "tcp"], {}, /expected stdio, http, sse or ws/, 2],
    ["an editor without a port", ["unity-loop", "--editor", "localhost"], {}, /takes HOST:PORT/, 2],
    ["two editors without names", ["unity-loop", "--editor", "a:1", "--editor", "b:2"], {}, /require names/, 2],
    ["a rule that is none", ["unity-loop", "--fake", "--client-rule", "x"], {}, /--client-rule/, 2],
    ["an option of another profile", ["unity", "--launch"], {}, /--launch is not for unity/, 2],
    ["an unknown language", ["unity", "--language", "fr"], {}, /--language takes en or ja/, 2],
    ["code that is neither on nor off", ["blender", "--code", "maybe"], {}, /--code takes on or off/, 2],
    ["a file without --launch", ["blender", "--file", "a.blend"], {}, /--file requires --launch/, 2],
    ["an editor beside --launch", ["blender", "--launch", "--editor", "1"], {}, /--launch and --editor contra/, 2],
    ["a fake beside --launch", ["blender", "--launch", "--fake"], {}, /--launch and --fake contra/, 2],
    [
      "a scene that is not there",
      ["blender", "--launch", "--file", "/no/such.blend"],
      {},
      /--file: \/no\/such.*not a file/,
      1,
    ],
    [
      "a directory that is not there",
      ["blender", "--launch", "--files", "/no/such"],
      {},
      /--files: .* not a directory/,
      1,
    ],
    ["a recording that is not there", ["unity-loop", "--replay", "/no/such"], {}, /Cannot replay \/no\/such/, 1],
  ])(
    "%s ends it with one sentence, and nothing on standard output (editors 000.1)",
    function* ([, args, env, words, code]) {
      const server = yield* run(args, env)
      assert.strictEqual(yield* server.exit, code)
      assert.match(server.errors(), words)
      assert.deepStrictEqual([server.errors().trim().split("\n").length, server.lines.length], [1, 0])
    },
  )
})

describe("the command over stdio", () => {
  test.live("it serves a fake editor, whose tools a client that does not ask again has at once", function* () {
    const server = yield* run(["unity-loop", "--fake"])
    const result = yield* begin(server)
    assert.include(JSON.stringify(result?.["tools"]), "get-hierarchy")
    server.send(call(2, "create-game-object", { Name: "chair" }))
    server.send(call(3, "get-hierarchy", {}))
    assert.include(JSON.stringify(yield* answer(server, 3)), "chair")
    server.child.stdin.end()
    assert.strictEqual(yield* server.exit, 0)
  })

  test.live.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s ends it with 0, also during a call that the editor does not answer (editors 000.18)",
    function* (signal) {
      const unity = yield* FakeUnityLoop.start()
      const server = yield* run(["unity-loop"], { UNITY_TCP_PORT: String(unity.port) })
      yield* begin(server)
      unity.control.fault("silence")
      server.send(call(2, "get-hierarchy", {}))
      yield* eventually(() => unity.seen.some((seen) => seen._tag === "Frame" && seen.text.includes("get-hierarchy")))
      server.child.kill(signal)
      assert.strictEqual(yield* server.exit, 0)
    },
  )

  test.live(
    "MCP_DEBUG writes every line of a call with its id to a private file, and no line to standard output (editors 000.19, 000.26)",
    function* () {
      const server = yield* run(["unity-loop", "--fake"], { MCP_DEBUG: "1", UNITY_TOKEN: "not-for-a-log-4711" })
      yield* begin(server)
      server.send(call(2, "create-game-object", { Name: "not-for-a-log-4711" }))
      yield* answer(server, 2)
      server.child.stdin.end()
      yield* server.exit
      for (const line of server.lines) assert.doesNotThrow(() => JSON.parse(line))
      const logs = join(server.home, ".claude", "uloopmcp-logs")
      const [name = ""] = readdirSync(logs)
      const text = readFileSync(join(logs, name), "utf8")
      const calls = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .filter((line) => line.call !== undefined)
      assert.strictEqual(new Set(calls.map((line) => line.call)).size, 1)
      assert.deepStrictEqual(
        calls.map(({ client, event }) => [client, event]),
        [
          ["windsurf", "create-game-object begins"],
          ["windsurf", "queued"],
          ["windsurf", "sent"],
          ["windsurf", "answered"],
          ["windsurf", "ends"],
        ],
      )
      for (const { editor, level } of calls) if (level === "debug") assert.match(editor, /^127\.0\.0\.1:\d+$/)
      assert.strictEqual(statSync(join(logs, name)).mode & 0o777, 0o600)
      assert.notInclude(text, "4711")
    },
  )

  test.live(
    "MCP_DEBUG writes a line with its level for initialize and for each change of the connection, and no secret (editors 000.26)",
    function* () {
      const unity = yield* FakeUnityLoop.start()
      const env = { UNITY_TCP_PORT: String(unity.port), MCP_DEBUG: "1", UNITY_TOKEN: "windsurf-4711" }
      const server = yield* run(["unity-loop"], env)
      const clientInfo = { name: "windsurf-4711", version: "9" }
      server.send({ ...initialize, params: { ...initialize.params, clientInfo } })
      yield* answer(server, 1)
      const logs = join(server.home, ".claude", "uloopmcp-logs")
      const text = () => readFileSync(join(logs, readdirSync(logs)[0] ?? ""), "utf8")
      unity.control.fault("other-protocol", { greeting: true })
      yield* unity.control.reload
      yield* unity.control.reopen
      yield* eventually(() => text().includes('"reconnected"'))
      yield* unity.control.quit
      yield* eventually(() => text().includes('"connection failed"'))
      server.child.stdin.end()
      yield* server.exit
      const lines = text()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .filter(({ event }) => event !== "noise")
      const at = `127.0.0.1:${unity.port}`
      assert.deepStrictEqual(
        lines.map(({ detail, editor, event, level }) => [level, event, editor, detail?.slice(0, 24)]),
        [
          ["info", "initialize", undefined, "<redacted> 9"],
          ["debug", "connecting", at, undefined],
          ["info", "connected", at, undefined],
          ["warn", "lost", at, "reloading"],
          ["debug", "connecting", at, undefined],
          ["error", "handshake failed", at, "The program at 127.0.0.1"],
          ["info", "reconnected", at, undefined],
          ["warn", "lost", at, "quitting"],
          ["debug", "connecting", at, undefined],
          ["warn", "connection failed", at, "Cannot reach Unity at 12"],
        ],
      )
      assert.notInclude(text(), "4711")
    },
  )

  test.live("a client that begins with Content-Length is answered in that framing (editors 004.6)", function* () {
    const server = yield* run(["unity-loop", "--fake"])
    let heard = ""
    server.child.stdout.on("data", (piece: string) => {
      heard += piece
    })
    const text = JSON.stringify(initialize)
    server.send(`Content-Length: ${text.length}\r\n\r\n${text}`)
    const answer = () => {
      const [, length, body] = /^Content-Length: (\d+)\r\n\r\n(.*)$/s.exec(heard) ?? []
      return body !== undefined && Buffer.byteLength(body) === Number(length) ? JSON.parse(body) : undefined
    }
    yield* eventually(() => answer() !== undefined)
    assert.deepInclude(answer(), { id: 1 })
  })

  test.live(
    "initialize is answered without an editor, long before --sync-wait ends, and calls say why it cannot be reached (editors 000.2, 000.4)",
    function* () {
      const server = yield* run(["unity-loop", "--sync-wait", "1h"], { UNITY_TCP_PORT: "1" })
      const { serverInfo, tools } = (yield* begin(server)) ?? {}
      assert.deepStrictEqual([(serverInfo as { readonly name: string }).name, tools], ["zain-unity-loop-mcp", []])
      server.send(call(2, "get-hierarchy", {}))
      const { result } = yield* answer(server, 2)
      const content = result?.["structuredContent"] as { readonly error: Record<string, unknown> } | undefined
      assert.deepInclude(content?.error, { code: "DISCOVERY_ERROR", delivery: "not-sent", retryable: true })
      assert.include(String(content?.error["message"]), "Cannot reach Unity at 127.0.0.1:1: connection refused")
    },
  )

  test.live("a known catalogue is in the first answer without the editor (editors 000.4, 000.25)", function* () {
    const cache = yield* directory
    const unity = yield* FakeUnityLoop.start()
    const env = { UNITY_TCP_PORT: String(unity.port) }
    const first = yield* run(["unity-loop", "--cache-dir", cache], env)
    yield* begin(first)
    yield* eventually(() => readdirSync(cache).some((name) => name.endsWith(".json")))
    first.child.stdin.end()
    yield* first.exit
    yield* unity.control.quit
    const second = yield* run(["unity-loop", "--cache-dir", cache], env)
    assert.include(JSON.stringify((yield* begin(second))?.["tools"]), "get-hierarchy")
  })
})

describe("a recording (editors House 3)", () => {
  test.live("gives the same answers when it is replayed, and is readable for its owner alone", function* () {
    const file = join(yield* directory, "talk.jsonl")
    const talk = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
      const server = yield* run(["unity-loop", ...args])
      yield* begin(server)
      const answers: Array<unknown> = []
      for (const [id, name] of [
        [2, "create-game-object"],
        [3, "get-hierarchy"],
        [4, "no-such-tool"],
      ] as const) {
        server.send(call(id, name, id === 2 ? { Name: "chair" } : {}))
        answers.push(yield* answer(server, id))
      }
      server.child.stdin.end()
      yield* server.exit
      return answers
    })
    const recorded = yield* talk(["--fake", "--record", file])
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    assert.deepStrictEqual(yield* talk(["--replay", file]), recorded)
  })
})

describe("zain-editor-mcp check (editors House 7)", () => {
  test.live("it names each step that worked, and exits with 0", function* () {
    const unity = yield* FakeUnityLoop.start()
    const server = yield* run(["check", "unity-loop", "--json", "--editor", `127.0.0.1:${unity.port}`])
    assert.strictEqual(yield* server.exit, 0)
    const { editors, madeFor } = JSON.parse(server.lines[0] ?? "")
    assert.deepStrictEqual(
      editors[0].steps.map(({ name }: { name: string }) => name),
      ["connect", "handshake", "project", "tools"],
    )
    assert.include(madeFor, "uloopmcp")
  })

  test.live("it says what to do about the step that failed, and exits with 1", function* () {
    const unity = yield* FakeUnityLoop.start()
    const args = ["check", "unity-loop", "--project", "/other", "--editor", `127.0.0.1:${unity.port}`]
    const server = yield* run(args)
    assert.strictEqual(yield* server.exit, 1)
    const text = server.lines.join("\n")
    assert.include(text, "✓ connect")
    assert.include(text, "✗ project")
    assert.include(text, "change --project")
    assert.include(text, "not tried in a real one")
  })

  test.live("it warns of an editor of `unity` that other machines may reach, and still exits with 0", function* () {
    const unity = yield* FakeUnity.start()
    const addresses = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ family, internal }) => family === "IPv4" && !internal)
    const port = yield* relay(unity.port, "0.0.0.0")
    const open = yield* run(["check", "unity", "--json", "--editor", `127.0.0.1:${port}`])
    assert.strictEqual(yield* open.exit, 0)
    const { editors, madeFor } = JSON.parse(open.lines[0] ?? "")
    assert.include(madeFor, "com.akiojin.unity-mcp-server")
    assert.lengthOf(editors[0].warnings, Math.min(1, addresses.length))
    for (const { address } of addresses) assert.include(editors[0].warnings[0], `${address}:${port}`)
    if (addresses.length > 0) assert.match(editors[0].warnings[0], /3\.2\.0 or later.*firewall/)
    const shown = yield* run(["check", "unity", "--editor", `127.0.0.1:${port}`])
    assert.strictEqual(yield* shown.exit, 0)
    assert.strictEqual(shown.lines.join("\n").includes("! warning"), addresses.length > 0)
  })

  test.live("it does not warn of an editor that listens on 127.0.0.1 alone", function* () {
    const unity = yield* FakeUnity.start()
    const server = yield* run(["check", "unity", "--json", "--editor", `127.0.0.1:${unity.port}`])
    assert.strictEqual(yield* server.exit, 0)
    assert.deepStrictEqual(JSON.parse(server.lines[0] ?? "").editors[0].warnings, [])
  })
})
