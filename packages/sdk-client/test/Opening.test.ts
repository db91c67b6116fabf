import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import { assert, describe } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { type ConnectionUnavailable, type McpError, messageLimit } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import { test } from "../../core/test/Test.ts"
import { directory } from "../../process/test/Directory.ts"
import * as SdkMcpClient from "../src/SdkMcpClient.ts"
import { client, config, throwing } from "./Server.ts"

const openFails = Effect.fnUntraced(function* (given: McpConnectionConfig.McpConnectionConfig) {
  const error = yield* Effect.flip((yield* client).openSession(given))
  assert.strictEqual(error.delivery, "not-sent")
  assert.isAtMost(error.message.length, messageLimit)
  return error
})

const unavailable = (error: McpError): ConnectionUnavailable => {
  assert.strictEqual(error._tag, "ConnectionUnavailable", error.message)
  return error as ConnectionUnavailable
}

const command = (name: string, args: ReadonlyArray<string> = [], options: object = {}) =>
  McpConnectionConfig.stdio({ command: name, args, connectTimeout: "4 minutes", ...options })

describe("openSession against what is no server (design §4, rule 2; promises 6 and 10)", () => {
  test.live("a missing command is spawn-failed, and the message says which and what to do", function* () {
    const { message, reason } = unavailable(yield* openFails(command("no-such-agent")))
    assert.strictEqual(reason, "spawn-failed")
    assert.match(message, /no-such-agent was not found\. Install it/)
  })

  test.live("a file that may not be executed, and a directory that is not there, are told apart", function* () {
    const home = yield* directory
    const file = join(home, "agent")
    writeFileSync(file, "", { mode: 0o600 })
    assert.match((yield* openFails(command(file))).message, /may not be executed/)
    assert.match((yield* openFails(command("cat", [], { cwd: join(home, "none") }))).message, /does not exist/)
  })

  test.live.each([
    { what: "prints and leaves", given: command("echo", ["hello"]) },
    { what: "prints garbage and fails", given: config(["garbage", "exit-at-once=3"]) },
    { what: "leaves without a word", given: command("true") },
    { what: "echoes what it hears", given: command("cat") },
    { what: "refuses initialize", given: config(["refuse-initialize"]) },
    { what: "answers initialize with something else", given: config(["wrong-initialize"]) },
  ])("a program that $what is not-an-mcp-server", function* ({ given }) {
    assert.strictEqual(unavailable(yield* openFails(given)).reason, "not-an-mcp-server")
  })

  test.live(
    "a server that dies at once is server-exited, with its code and its last words, secrets hidden",
    function* () {
      const dying = config(["stderr=2000000", "exit-at-once=3"], { env: { API_KEY: "sk-secret-value" } })
      const { diagnostics, message, reason } = unavailable(yield* openFails(dying))
      assert.strictEqual(reason, "server-exited")
      assert.strictEqual(diagnostics?.exitCode, 3)
      assert.match(diagnostics?.stderrTail ?? "", /last words of <redacted>$/)
      assert.match(message, /^server\.mjs exited with code 3.*last words of <redacted>$/s)
    },
  )

  test.live.each([
    { why: "is not there", script: "no-such-agent --key $API_KEY", code: 127 },
    { why: "may not be executed", script: "./plain --key $API_KEY", code: 126 },
  ])(
    "a command that another stands behind, which $why, is spawn-failed, with its last words",
    function* ({ code, script, why }) {
      const cwd = yield* directory
      writeFileSync(join(cwd, "plain"), "", { mode: 0o600 })
      const said = `echo sk-secret-value >&2; exec ${script}`
      const given = command("sh", ["-c", said], { cwd, env: { API_KEY: "sk-secret-value" } })
      const { diagnostics, message, reason } = unavailable(yield* openFails(given))
      assert.strictEqual(reason, "spawn-failed")
      assert.strictEqual(diagnostics?.exitCode, code)
      const start = `sh could not be started: its exit code, ${code}, says that a program ${why}. Check the command, its arguments, and PATH. Last stderr output: <redacted>`
      assert.strictEqual(message.slice(0, start.length), start)
      assert.notInclude(inspect({ diagnostics, message }), "sk-secret")
    },
  )

  test.live("a server of ours that says in a sentence of its own which program it lacks says it first", function* () {
    const script = join(yield* directory, "zain-my-agent-mcp.mjs")
    writeFileSync(
      script,
      `process.stderr.write("(node:1) Warning: zain-my-agent-mcp: this is new\\nzain-my-agent-mcp: There is no program my-agent.")
        process.stderr.write(" Its key was " + process.env.API_KEY + ". " + "Install it. ".repeat(20), () => process.exit(127))`,
    )
    const given = command(process.execPath, [script], { env: { API_KEY: "sk-secret-value" } })
    const { diagnostics, message, reason } = unavailable(yield* openFails(given))
    assert.strictEqual(reason, "spawn-failed")
    assert.match(message, /^There is no program my-agent\. Its key was <redacted>\. Install it\. .*Install it\.$/)
    assert.match(diagnostics?.stderrTail ?? "", /Warning/)
  })

  test.live.each([
    ["by its script, where Node runs one", ["--no-warnings", "/nowhere/my-agent.js"], "my-agent"],
    ["with its ending, where the name says nothing", ["/nowhere/index.mjs"], "index.mjs"],
    ["by its script without an ending", ["/nowhere/bin/my-agent", "--config", "settings.ts"], "my-agent"],
    ["not by what Node imports", ["--import", "/nowhere/hook.js", "/nowhere/my-agent.js"], "my-agent"],
    ["nor by what it requires", ["-r", "/nowhere/hook.cjs", "/nowhere/my-agent.mjs"], "my-agent"],
    ["nor by a condition", ["-C", "a.js", "--", "/nowhere/my-agent.js", "b.js"], "my-agent"],
    ["nor by a loader", ["--loader", "/nowhere/a.mjs", "/nowhere/my-agent.mts"], "my-agent"],
    ["nor by an argument of a text", ["-e", "process.exit(1)", "a.js"], process.execPath],
    ["nor of one that is printed", ["--print", "process.exit(1)", "a.js"], process.execPath],
    ["nor by where it stands", [".", "a.js"], process.execPath],
    ["by its command otherwise", ["-e", "process.exit(1)"], process.execPath],
  ] as const)("a server is called %s", function* ([, args, name]) {
    const { message } = yield* openFails(command(process.execPath, args))
    assert.strictEqual(message.slice(0, name.length + 24), `${name} exited with code 1 befo`)
  })

  test.live(
    "a secret that the server says while it refuses does not show, nor do arguments of a command that is not there",
    function* () {
      const refusing = yield* openFails(config(["refuse-initialize"], { env: { API_KEY: "sk-secret-value" } }))
      assert.include(refusing.message, "not today, <redacted>")
      const missing = yield* openFails(command("no-such-agent", ["--token=sk-secret-value"]))
      for (const error of [refusing, missing]) {
        assert.notInclude(inspect(error, { depth: 9, showHidden: true }), "sk-secret")
      }
    },
  )

  test.live("twenty clients at once raise no warning of too many listeners", function* () {
    const warnings: Array<string> = []
    const warn = ({ message }: Error) => void warnings.push(message)
    process.on("warning", warn)
    const listeners = process.listenerCount("exit")
    yield* Effect.scoped(
      Effect.gen(function* () {
        for (let count = 0; count < 20; count++) yield* Effect.flip((yield* client).openSession(command("true")))
      }),
    )
    process.off("warning", warn)
    assert.deepStrictEqual(warnings, [])
    assert.strictEqual(process.listenerCount("exit"), listeners)
  })

  test.live("malformed configurations are invalid-config, by path", function* () {
    const bad = (given: object) => openFails(given as McpConnectionConfig.McpConnectionConfig)
    const cases = [
      [{ serverUrl: "", transport: "stdio" }, "serverUrl"],
      [{ serverUrl: "codex", transport: "stdio" }, "stdio:my-agent"],
      [{ serverUrl: "stdio:codex", transport: "pigeon" }, "transport"],
      [{ ...config(), idleTimeout: "soon" }, "idleTimeout"],
      [{ ...config(), env: { KEY: 7 } }, "env.KEY"],
      [{ ...config(), providerOptions: { modle: "x" } }, "providerOptions.modle"],
      [{ ...config(), providerOptions: { ["x".repeat(5_000)]: 1 } }, "providerOptions.xxx"],
      [{ ...config(), ["y".repeat(5_000)]: 1 }, "yyy"],
    ] as const
    for (const [given, named] of cases) {
      const error = yield* bad(given)
      assert.strictEqual(error.reason, "invalid-config")
      assert.include(error.message, named)
    }
  })

  test.live("a provider without options refuses every option", function* () {
    const adapter = yield* SdkMcpClient.make(throwing)
    const error = yield* Effect.flip(adapter.openSession({ ...config(), providerOptions: { model: "x" } }))
    assert.strictEqual(error.reason, "invalid-config")
    assert.include(error.message, "providerOptions.model")
  })
})
