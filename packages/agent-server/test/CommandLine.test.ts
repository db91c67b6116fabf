/**
 * The options of the commands, and the messages about invalid ones.
 */
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, vi } from "@effect/vitest"
import * as ProgramPath from "@zain/process/ProgramPath"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Duration, Effect, Result } from "effect"
import { eventually } from "../../tool-server/testing/TestServer.ts"
import * as ServerCommandLine from "../src/ServerCommandLine.ts"
import * as ServerMain from "../src/ServerMain.ts"
import { start } from "../testing/ServerProcess.ts"

const about = { name: "zain-codex-mcp", program: "codex", title: "Codex" }

const parse = (line: string) => ServerCommandLine.parse(line.split(" ").filter(Boolean), about)

const parsed = (argv: ReadonlyArray<string>): ServerCommandLine.Serve => {
  const command = Result.getOrThrow(ServerCommandLine.parse(argv, about))
  assert.strictEqual(command._tag, "Serve")
  return command as ServerCommandLine.Serve
}

describe("a command line", () => {
  it("defaults to stdio and the agent's program", () => {
    const { acceptTimeout, approvalTimeout, modelTimeout, ...rest } = parsed([])
    const none = { agentArgs: [], passed: [], roots: [] }
    assert.deepStrictEqual(rest, {
      ...{ _tag: "Serve", isShared: false, transport: { kind: "stdio" }, command: "codex" },
      ...none,
    })
    const limits = [approvalTimeout, acceptTimeout, modelTimeout].map(Duration.toSeconds)
    assert.deepStrictEqual(limits, [300, 30, Number.POSITIVE_INFINITY])
    assert.deepStrictEqual(parsed(["stdio"]).transport, { kind: "stdio" })
  })

  it("passes everything after -- to the agent", () => {
    const args = ["--config", "a=b", "http", "--", "--help"]
    assert.deepStrictEqual(parsed(["--env", "A", "--env", "B_2", "--", ...args]).agentArgs, args)
    assert.deepStrictEqual(parsed(["--env", "A", "--env", "B_2", "--", ...args]).passed, ["A", "B_2"])
  })

  it("defaults to loopback and a free port (promise 25)", () => {
    assert.deepStrictEqual(parsed(["http"]).transport, {
      kind: "http",
      host: "127.0.0.1",
      port: 0,
      tokenFile: undefined,
      allowedHosts: [],
      allowedOrigins: [],
      maxSessions: undefined,
      sessionIdle: undefined,
      json: false,
    })
  })

  it("accepts every option of http and sse", () => {
    const line =
      "sse --host 0.0.0.0 --port 8931 --token-file /t --allow-host a:1 --allow-host b --allow-origin https://c"
    const { transport } = parsed([...line.split(" "), "--max-sessions", "7", "--session-idle", "30 minutes", "--json"])
    assert.deepStrictEqual(transport, {
      kind: "sse",
      host: "0.0.0.0",
      port: 8931,
      tokenFile: "/t",
      allowedHosts: ["a:1", "b"],
      allowedOrigins: ["https://c"],
      maxSessions: 7,
      sessionIdle: Duration.minutes(30),
      json: true,
    })
  })

  const wrong: ReadonlyArray<readonly [line: string, said: string]> = [
    ["websocket", "websocket"],
    ["stdio http", "Unexpected argument `http`"],
    ["--nope", "--nope"],
    ["http --port", "--port"],
    ["http --port 70000", "--port takes a whole number from 0 to 65535"],
    ["http --port 1e3", "--port"],
    ["http --max-sessions 0", "--max-sessions takes a whole number from 1"],
    ["http --session-idle soon", "--session-idle takes a duration"],
    ["--approval-timeout 0", "--approval-timeout takes a duration"],
    ["--model-timeout -5", "--model-timeout"],
    ["--port 1", "--port is for http and sse only"],
    ["stdio --json", "--json is for http and sse only"],
    ["--env A=secret", "--env takes the name of a variable"],
  ]
  for (const [line, said] of wrong) {
    it(`is rejected with the cause: ${line}`, () => {
      const refused = parse(line)
      assert.isTrue(Result.isFailure(refused))
      if (Result.isFailure(refused)) {
        assert.include(refused.failure, said)
        assert.notInclude(refused.failure, "secret")
      }
    })
  }

  it("has every option in its help, whose examples are valid", () => {
    const help = ServerCommandLine.help(about)
    const options = [...help.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(([, name]) => name)
    assert.lengthOf(options, 17)
    for (const option of options) {
      const given = parse(`http --${option}`)
      assert.isFalse(Result.isFailure(given) && given.failure.includes("Unknown option"), option)
    }
    const examples = help.slice(help.indexOf("Examples:")).split("\n").slice(1, -1)
    assert.isAbove(examples.length, 2)
    for (const example of examples) {
      assert.isTrue(Result.isSuccess(parse(example.trim().replace(/^zain-codex-mcp ?/, ""))), example)
    }
  })
})

describe("a program on PATH", () => {
  test("is found where it is executable, and never through the working directory (promise 18)", function* () {
    const home = yield* directory
    const program = join(home, "agent")
    writeFileSync(program, "", { mode: 0o644 })
    const env = { PATH: `.:relative::${home}` }
    assert.isUndefined(ProgramPath.find("agent", env))
    chmodSync(program, 0o755)
    assert.strictEqual(ProgramPath.find("agent", env), program)
    assert.strictEqual(ProgramPath.find(program, {}), program)
    assert.isUndefined(ProgramPath.find(home, {}))
    assert.isUndefined(ProgramPath.find("package.json", { PATH: `.:${["", ""].join(":")}` }))
  })
})

/** What a command writes, and its exit code, for arguments that it refuses or answers at once. */
const worked = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) {
  const written = { stdout: "", stderr: "" }
  yield* Effect.addFinalizer(() => Effect.sync(() => void vi.restoreAllMocks().unstubAllEnvs()))
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  for (const name of ["stdout", "stderr"] as const) {
    const write = (text: string, done: () => void) => {
      written[name] += text
      done()
      return true
    }
    vi.spyOn(process[name], "write").mockImplementation(write as typeof process.stdout.write)
  }
  const about = { name: "zain-memory-mcp", program: "sh", title: "Memory", install: "remember it", environment: [] }
  const code = yield* ServerMain.work({ ...about, agent: () => assert.fail() }, args)
  return { code, ...written }
})

describe("a command", () => {
  test.each([
    ["usage", "--help", /Usage: zain-memory-mcp/],
    ["version", "-v", /^\d+\.\d+\.\d+\n$/],
  ] as const)("prints its %s", function* ([, option, said]) {
    const { code, stderr, stdout } = yield* worked([option])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(stdout, said)
  })

  const failures: ReadonlyArray<readonly [string, ReadonlyArray<string>, code: number, stderr: RegExp, env?: object]> =
    [
      ["2 when it is used wrongly", ["--nope"], 2, /^zain-memory-mcp: .*--nope.* See .* --help\.$/],
      [
        "127, as shells do, when there is no agent, and says how to get it",
        [],
        127,
        /The program sh was not found on PATH \(\/nowhere\)\. Install it with "remember it", add its directory to PATH, or set its path with `command` of local\(\) or --command of zain-memory-mcp\.$/,
        { PATH: "/nowhere" },
      ],
      [
        "127, and names the beginning of a long PATH in one line",
        [],
        127,
        /was not found on PATH \(\/a\\u\{a\}:\/b{100,200}…\)\. Install it/,
        { PATH: `/a\n:/${"b".repeat(5_000)}` },
      ],
      [
        "127 when the named agent is not there",
        ["--command", "/nowhere/agent"],
        127,
        /The program \/nowhere\/agent was not found\. Correct the path of sh with .* or --command of zain-memory-mcp, or leave it out/,
      ],
      [
        "126, as shells do, when the named agent is not executable",
        ["--command", "/dev/null"],
        126,
        /The program \/dev\/null may not be executed\. Check its permissions\. Set the path of sh with .* or --command of zain-memory-mcp, or leave/,
      ],
      [
        "126 when the named agent is a directory",
        ["--command", "/tmp"],
        126,
        /The program \/tmp is a directory\. Set the path of sh with .* or --command of zain-memory-mcp, or leave/,
      ],
      [
        "2 when a root is not a directory",
        ["--root", "/tmp", "--root", "/dev/null/lost"],
        2,
        /^zain-memory-mcp: --root \/dev\/null\/lost is not an existing directory\.$/,
      ],
    ]
  test.each(failures)("exits with %s", function* ([, args, code, said, env = {}]) {
    const { stderr, stdout, ...ended } = yield* worked(args, env as Record<string, string>)
    assert.deepStrictEqual([ended.code, stdout], [code, ""])
    assert.match(stderr.trim(), said)
  })

  test.live("exits with 1 when it would listen to others without a token (promise 26)", function* () {
    const server = yield* start(["http", "--host", "0.0.0.0"])
    assert.strictEqual(yield* server.exit, 1)
    assert.deepStrictEqual(server.lines, [])
    assert.match(server.errors().trim(), /--token-file/)
    assert.notInclude(server.errors(), "\n    at ")
  })

  test.live.each([
    ["prints its address, with --json as one line of JSON", true],
    ["continues when its standard output is closed", false],
  ] as const)("%s, and ends at SIGTERM", function* ([_, isRead]) {
    const server = yield* start(["http", "--json"])
    if (!isRead) server.child.stdout.destroy()
    yield* eventually(() => server.errors().endsWith("/mcp\n"))
    const url = server.errors().replace("Listening on ", "").trim()
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
    if (isRead) assert.propertyVal(yield* server.message(() => true), "url", url)
    const { status } = yield* Effect.promise(() => fetch(url, { headers: { origin: "http://evil.example" } }))
    assert.strictEqual(status, 403)
    server.child.kill("SIGTERM")
    assert.strictEqual(yield* server.exit, 143)
    assert.strictEqual(server.errors(), `Listening on ${url}\n`)
    assert.lengthOf(server.lines, isRead ? 1 : 0)
  })
})
