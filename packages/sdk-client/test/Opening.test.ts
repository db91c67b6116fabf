import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { type ConnectionUnavailable, type McpError, maxErrorMessageBytes } from "@zain/core/McpError"
import * as ProgramName from "@zain/process/ProgramName"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { client, config } from "../testing/Server.ts"

const openFails = Effect.fnUntraced(function* (given: McpConnectionConfig.McpConnectionConfig) {
  const error = yield* Effect.flip((yield* client).openSession(given))
  assert.strictEqual(error.delivery, "not-sent")
  assert.isAtMost(error.message.length, maxErrorMessageBytes)
  return error
})

const unavailable = (error: McpError): ConnectionUnavailable => {
  assert.strictEqual(error._tag, "ConnectionUnavailable", error.message)
  return error as ConnectionUnavailable
}

const command = (name: string, args: ReadonlyArray<string> = [], options: object = {}) =>
  McpConnectionConfig.stdio({ command: name, args, connectTimeout: "4 minutes", ...options })

describe("openSession without a working server (rule-2.failed-open; promises 6 and 10)", () => {
  test.live("fails with spawn-failed when the command is below a file", function* () {
    const file = join(yield* directory, "agent")
    writeFileSync(file, "")
    const { message, reason } = unavailable(yield* openFails(command(join(file, "agent"))))
    assert.strictEqual(reason, "spawn-failed")
    assert.include(message, "was not found")
  })

  test.live.each([
    { what: "prints and exits", given: command("echo", ["hello"]) },
    { what: "exits without output", given: command("true") },
    { what: "echoes its input", given: command("cat") },
  ])("fails with not-an-mcp-server for a program that $what", function* ({ given }) {
    assert.strictEqual(unavailable(yield* openFails(given)).reason, "not-an-mcp-server")
  })

  test.live(
    "fails with server-exited, the exit code and redacted standard error when the server exits immediately",
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
    { why: "was not found", script: "no-such-agent --key $API_KEY", code: 127 },
    { why: "is not executable", script: "./plain --key $API_KEY", code: 126 },
  ])(
    "fails with spawn-failed and standard error when the command starts another program that $why",
    function* ({ code, script, why }) {
      const cwd = yield* directory
      writeFileSync(join(cwd, "plain"), "", { mode: 0o600 })
      const said = `echo sk-secret-value >&2; exec ${script}`
      const given = command("sh", ["-c", said], { cwd, env: { API_KEY: "sk-secret-value" } })
      const { diagnostics, message, reason } = unavailable(yield* openFails(given))
      assert.strictEqual(reason, "spawn-failed")
      assert.strictEqual(diagnostics?.exitCode, code)
      const start = `sh could not be started: exit code ${code} means that a program ${why}. Check the command, its arguments, and PATH. Last stderr output: <redacted>`
      assert.strictEqual(message.slice(0, start.length), start)
      assert.notInclude(inspect({ diagnostics, message }), "sk-secret")
    },
  )

  test.live("fails with a Zain server's own sentence about a missing program", function* () {
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

  it.each([
    ["by its script if Node runs one", ["--no-warnings", "/nowhere/my-agent.js"], "my-agent"],
    ["by the file name with its extension if the name alone is generic", ["/nowhere/index.mjs"], "index.mjs"],
    ["by a script without an extension", ["/nowhere/bin/my-agent", "--config", "settings.ts"], "my-agent"],
    [
      "by its script, not by a module of --import",
      ["--import", "/nowhere/hook.js", "/nowhere/my-agent.js"],
      "my-agent",
    ],
    ["by its script, not by a module of -r", ["-r", "/nowhere/hook.cjs", "/nowhere/my-agent.mjs"], "my-agent"],
    ["by its script, not by a condition", ["-C", "a.js", "--", "/nowhere/my-agent.js", "b.js"], "my-agent"],
    ["by its script, not by a loader", ["--loader", "/nowhere/a.mjs", "/nowhere/my-agent.mts"], "my-agent"],
    ["by its command, not by an argument of -e", ["-e", "process.exit(1)", "a.js"], process.execPath],
    ["by its command, not by an argument of --print", ["--print", "process.exit(1)", "a.js"], process.execPath],
    ["by its command if the script is the directory `.`", [".", "a.js"], process.execPath],
    ["by its command if Node runs no script", ["-e", "process.exit(1)"], process.execPath],
  ] as const)("names the server %s", (_, args, name) => {
    assert.strictEqual(ProgramName.of({ command: process.execPath, args }), name)
  })

  test.live("redacts a secret in the server's refusal, and omits the arguments of a missing command", function* () {
    const refusing = yield* openFails(config(["refuse-initialize"], { env: { API_KEY: "sk-secret-value" } }))
    assert.include(refusing.message, "not today, <redacted>")
    const missing = yield* openFails(command("no-such-agent", ["--token=sk-secret-value"]))
    for (const error of [refusing, missing]) {
      assert.notInclude(inspect(error, { depth: 9, showHidden: true }), "sk-secret")
    }
  })

  test.live("raises no warning of too many listeners for twelve clients at once", function* () {
    const warnings: Array<string> = []
    const warn = ({ message }: Error) => void warnings.push(message)
    process.on("warning", warn)
    const listeners = process.listenerCount("exit")
    yield* Effect.scoped(
      Effect.gen(function* () {
        for (let count = 0; count < 12; count++) yield* Effect.flip((yield* client).openSession(command("true")))
      }),
    )
    process.off("warning", warn)
    assert.deepStrictEqual(warnings, [])
    assert.strictEqual(process.listenerCount("exit"), listeners)
  })
})
