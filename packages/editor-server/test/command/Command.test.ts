/**
 * The command as people start it: its arguments, its transports, its files and its exit codes.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { connect } from "node:net"
import { networkInterfaces } from "node:os"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { blenderCommand } from "@zain/editor-blender/BlenderCommand"
import * as Replay from "@zain/editor-link/infrastructure/record/Replay"
import * as FakeUnity from "@zain/editor-unity/fake/FakeUnity"
import * as FakeUnityLoop from "@zain/editor-unity-loop/fake/FakeUnityLoop"
import { unityLoopCommand } from "@zain/editor-unity-loop/UnityLoopCommand"
import { unityLoop } from "@zain/editor-unity-loop/UnityLoopProfile"
import { directory } from "@zain/testkit/Directory"
import { listening } from "@zain/testkit/Listening"
import { test } from "@zain/testkit/Test"
import { Effect, Result, type Scope } from "effect"
import * as Editors from "../../../editor-link/testing/Editors.ts"
import { eventually } from "../../../tool-server/testing/TestServer.ts"
import * as CommandLine from "../../src/command/CommandLine.ts"
import { commands } from "../../src/command/Profiles.ts"
import { answer, begin, call, initialize, run } from "../../testing/command/Started.ts"

/** Listens on `host`, on a free port, and hands every connection on to a port of 127.0.0.1. */
const relay = (to: number, host: string) =>
  listening((socket) => {
    const onward = connect({ port: to, host: "127.0.0.1" })
    for (const end of [socket, onward]) end.on("error", () => {})
    socket.pipe(onward).pipe(socket)
  }, host)

describe("the command's arguments", () => {
  test("what is wrong is one sentence (editors 000.1)", function* () {
    const wrong: ReadonlyArray<readonly [args: string, words: RegExp, env?: Readonly<Record<string, string>>]> = [
      ["godot", /Unknown profile or command "godot"/],
      ["unity-loop tcp", /expected stdio, http, sse or ws/],
      ["unity-loop --editor localhost", /takes HOST:PORT/],
      ["unity-loop --editor a:1 --editor b:2", /require names/],
      ["unity-loop --fake --client-rule x", /--client-rule/],
      ["unity --launch", /--launch is not for unity/],
      ["unity --language fr", /--language takes en or ja/],
      ["blender --editor example.org:1", /listens on 127\.0\.0\.1 alone/],
      ["blender http", /MCP_PORT takes a whole number/, { MCP_PORT: "x" }],
      ["blender --code maybe", /--code takes on or off/],
      ["blender --file a.blend", /--file requires --launch/],
      ["blender --launch --editor 1", /--launch and --editor contra/],
      ["blender --launch --fake", /--launch and --fake contra/],
    ]
    for (const [args, words, env = {}] of wrong) {
      const sentence = yield* Effect.flip(Effect.fromResult(CommandLine.parse(args.split(" "), env, commands)))
      assert.match(sentence, words)
      assert.notInclude(sentence, "\n")
    }
    const launch = { code: true, file: undefined, files: undefined }
    const started = (more: object) => blenderCommand.launch?.({ ...launch, ...more }, {}) ?? Effect.void
    const { environment = () => Result.succeed({}) } = blenderCommand
    const unusable: ReadonlyArray<readonly [Effect.Effect<unknown, Error | string, Scope.Scope>, RegExp]> = [
      [Effect.fromResult(unityLoopCommand.target({ UNITY_TCP_PORT: "0" })), /UNITY_TCP_PORT is "0"/],
      [Effect.fromResult(environment({ MCP_LOG_LEVEL: "loud" })), /MCP_LOG_LEVEL takes debug, info/],
      [started({ file: "/no/such.blend" }), /--file: \/no\/such.*not a file/],
      [started({ files: "/no/such" }), /--files: .* not a directory/],
      [Replay.read("/no/such"), /Cannot replay \/no\/such/],
    ]
    for (const [effect, words] of unusable) assert.match(String(yield* Effect.flip(effect)), words)
  })

  test.live.each<readonly [string, ReadonlyArray<string>, RegExp, number]>([
    ["one of the command", ["unity", "--launch"], /--launch is not for unity\. See zain-editor-mcp --help\./, 2],
    ["one of the environment", ["unity-loop"], /UNITY_TCP_PORT is not set/, 1],
  ])(
    "a wrong value, %s, ends it with one sentence, and nothing on standard output (editors 000.1)",
    function* ([, args, words, code]) {
      const server = yield* run(args)
      assert.strictEqual(yield* server.exit, code)
      assert.match(server.errors(), words)
      assert.deepStrictEqual([server.errors().trim().split("\n").length, server.lines.length], [1, 0])
    },
  )
})

describe("the command over stdio", () => {
  test.live("SIGHUP ends it with 0, also during a call that the editor does not answer (editors 000.18)", function* () {
    const unity = yield* FakeUnityLoop.start()
    const server = yield* run(["unity-loop"], { UNITY_TCP_PORT: String(unity.port) })
    yield* begin(server)
    unity.control.fault("silence")
    server.send(call(2, "get-hierarchy", {}))
    yield* eventually(() => unity.seen.some((seen) => seen._tag === "Frame" && seen.text.includes("get-hierarchy")))
    server.child.kill("SIGHUP")
    assert.strictEqual(yield* server.exit, 0)
  })

  test.live(
    "MCP_DEBUG writes every line of a call with its id, and one with its level for initialize and for each change of the connection, to a private file: no line to standard output, and no secret (editors 000.19, 000.26)",
    function* () {
      const unity = yield* FakeUnityLoop.start()
      const env = { UNITY_TCP_PORT: String(unity.port), MCP_DEBUG: "1", UNITY_TOKEN: "windsurf-4711" }
      const server = yield* run(["unity-loop"], env)
      const clientInfo = { name: "windsurf-4711", version: "9" }
      server.send({ ...initialize, params: { ...initialize.params, clientInfo } })
      yield* answer(server, 1)
      server.send({ jsonrpc: "2.0", method: "notifications/initialized" })
      server.send(call(2, "create-game-object", { Name: "windsurf-4711" }))
      yield* answer(server, 2)
      const logs = join(server.home, ".claude", "uloopmcp-logs")
      const file = () => join(logs, readdirSync(logs)[0] ?? "")
      const text = () => readFileSync(file(), "utf8")
      unity.control.fault("other-protocol", { greeting: true })
      yield* unity.control.reload
      yield* unity.control.reopen
      yield* eventually(() => text().includes('"reconnected"'))
      yield* unity.control.quit
      yield* eventually(() => text().includes('"connection failed"'))
      server.child.stdin.end()
      yield* server.exit
      for (const line of server.lines) assert.doesNotThrow(() => JSON.parse(line))
      const lines = text()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .filter(({ event }) => event !== "noise")
      const at = `127.0.0.1:${unity.port}`
      const calls = lines.filter((line) => line.call !== undefined)
      assert.strictEqual(new Set(calls.map((line) => line.call)).size, 1)
      assert.deepStrictEqual(
        calls.map(({ client, event, editor }) => [client, event, editor]),
        [
          ["<redacted>", "create-game-object begins", undefined],
          ["<redacted>", "queued", at],
          ["<redacted>", "sent", at],
          ["<redacted>", "answered", at],
          ["<redacted>", "ends", undefined],
        ],
      )
      assert.deepStrictEqual(
        lines
          .filter((line) => line.call === undefined)
          .map(({ detail, editor, event, level }) => [level, event, editor, detail?.slice(0, 24)]),
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
      assert.strictEqual(statSync(file()).mode & 0o777, 0o600)
      assert.notInclude(text(), "4711")
    },
  )

  test.live("a client that begins with Content-Length is answered in that framing (editors 004.6)", function* () {
    const server = yield* run(["unity-loop", "--fake"])
    let output = ""
    server.child.stdout.on("data", (piece: string) => {
      output += piece
    })
    const text = JSON.stringify(initialize)
    server.send(`Content-Length: ${text.length}\r\n\r\n${text}`)
    const answer = () => {
      const [, length, body] = /^Content-Length: (\d+)\r\n\r\n(.*)$/s.exec(output) ?? []
      return body !== undefined && Buffer.byteLength(body) === Number(length) ? JSON.parse(body) : undefined
    }
    yield* eventually(() => answer() !== undefined)
    assert.deepInclude(answer(), { id: 1 })
  })

  test.live(
    "initialize is answered without an editor, long before --sync-wait ends, calls say why it cannot be reached, and SIGINT ends it with 0 (editors 000.2, 000.4, 000.18)",
    function* () {
      const server = yield* run(["unity-loop", "--sync-wait", "1h"], { UNITY_TCP_PORT: "1" })
      const { serverInfo, tools } = (yield* begin(server)) ?? {}
      assert.deepStrictEqual([(serverInfo as { readonly name: string }).name, tools], ["zain-unity-loop-mcp", []])
      server.send(call(2, "get-hierarchy", {}))
      const { result } = yield* answer(server, 2)
      const content = result?.["structuredContent"] as { readonly error: Record<string, unknown> } | undefined
      assert.deepInclude(content?.error, { code: "DISCOVERY_ERROR", delivery: "not-sent", retryable: true })
      assert.include(String(content?.error["message"]), "Cannot reach Unity at 127.0.0.1:1: connection refused")
      server.child.kill("SIGINT")
      assert.strictEqual(yield* server.exit, 0)
    },
  )

  test.live("a known catalogue is in the first answer without the editor (editors 000.4, 000.25)", function* () {
    const cacheDirectory = yield* directory
    const unity = yield* FakeUnityLoop.start()
    const target = { host: "127.0.0.1", port: unity.port }
    yield* Editors.client(yield* Editors.server(unityLoop, [target], { cacheDirectory }))
    yield* eventually(() => readdirSync(cacheDirectory).some((name) => name.endsWith(".json")))
    yield* unity.control.quit
    const server = yield* run(["unity-loop", "--cache-dir", cacheDirectory], { UNITY_TCP_PORT: String(unity.port) })
    assert.include(JSON.stringify((yield* begin(server))?.["tools"]), "get-hierarchy")
  })
})

describe("a recording (editors House 3)", () => {
  test.live(
    "of a fake editor, whose tools a client that does not ask again has at once, gives the same answers when it is replayed, and is readable for its owner alone",
    function* () {
      const file = join(yield* directory, "recording.jsonl")
      const talk = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
        const server = yield* run(["unity-loop", ...args])
        assert.include(JSON.stringify((yield* begin(server))?.["tools"]), "get-hierarchy")
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
        assert.strictEqual(yield* server.exit, 0)
        return answers
      })
      const recorded = yield* talk(["--fake", "--record", file])
      assert.include(JSON.stringify(recorded[1]), "chair")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.deepStrictEqual(yield* talk(["--replay", file]), recorded)
    },
  )
})

describe("zain-editor-mcp check (editors House 7)", () => {
  const addresses = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)

  test.live(
    "it names each step that worked, warns of an editor that other machines may reach, and of no other, and exits with 0",
    function* () {
      const unity = yield* FakeUnity.start()
      const port = yield* relay(unity.port, "0.0.0.0")
      const editors = [`open=127.0.0.1:${port}`, `own=127.0.0.1:${unity.port}`].flatMap((one) => ["--editor", one])
      const server = yield* run(["check", "unity", "--json", ...editors])
      assert.strictEqual(yield* server.exit, 0)
      const { editors: checked, madeFor } = JSON.parse(server.lines[0] ?? "")
      assert.include(madeFor, "com.akiojin.unity-mcp-server")
      for (const { steps } of checked)
        assert.deepStrictEqual(
          steps.map(({ name }: { name: string }) => name),
          ["connect", "handshake", "project", "tools"],
        )
      const [open, own] = checked
      assert.deepStrictEqual(own.warnings, [])
      assert.lengthOf(open.warnings, Math.min(1, addresses.length))
      for (const { address } of addresses) assert.include(open.warnings[0], `${address}:${port}`)
      if (addresses.length > 0) assert.match(open.warnings[0], /3\.2\.0 or later.*firewall/)
    },
  )

  test.live("it says what to do about the step that failed, with its warnings, and exits with 1", function* () {
    const unity = yield* FakeUnity.start()
    const port = yield* relay(unity.port, "0.0.0.0")
    const server = yield* run(["check", "unity", "--project", "/other", "--editor", `127.0.0.1:${port}`])
    assert.strictEqual(yield* server.exit, 1)
    const text = server.lines.join("\n")
    assert.include(text, "✓ connect")
    assert.include(text, "✗ project")
    assert.include(text, "change --project")
    assert.include(text, "not tried in a real one")
    assert.strictEqual(text.includes("! warning"), addresses.length > 0)
  })
})
