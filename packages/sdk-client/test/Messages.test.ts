/** Messages of errors: the remedy is complete, however long the quoted text of the server is. */
import { assert, describe } from "@effect/vitest"
import { McpConnectionConfig } from "@zain/core"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { client } from "../testing/Server.ts"
import * as ScriptedServer from "./ScriptedServer.ts"

const long = "No. ".repeat(750)
const euros = "€".repeat(3_000)

const lengthOf = (text: string) => new TextEncoder().encode(text).length

/** The message of an execute that the server answers with this error. */
const answered = Effect.fnUntraced(function* (code: number, message: unknown) {
  const { say } = yield* ScriptedServer.session()
  return (yield* Effect.flip(say([ScriptedServer.line({ id: "<id>", error: { code, message } })], true))).message
})

/** The message of an openSession that fails, for a script run by Node. */
const refused = Effect.fnUntraced(function* (program: string) {
  const adapter = yield* client
  const args = ["-e", program]
  const config = McpConnectionConfig.stdio({ command: process.execPath, args, connectTimeout: "4 minutes" })
  return (yield* Effect.flip(adapter.openSession(config))).message
})

const refusing = (message: string) => `process.stdin.once("data", (text) => {
  const { id } = JSON.parse(String(text).split("\\n")[0])
  console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32600, message: ${JSON.stringify(message)} } }))
})`

const advice = {
  [-32602]: "Check that it is the server of this adapter's agent.",
  [-32000]: "The prompt may have run; check before a retry.",
} as const

describe("an error's message ends with the remedy (docs/concepts/errors.md)", () => {
  test.live.each([
    [-32602, "server.mjs rejected the call (-32602)."],
    [-32000, "server.mjs answered the call with an error (-32000)."],
  ] as const)("after a JSON-RPC error without a message, %i", function* ([code, start]) {
    for (const words of ["", "  \n", undefined]) {
      assert.strictEqual(yield* answered(code, words), `${start} ${advice[code]}`)
    }
  })

  test.live.each([
    [-32602, long],
    [-32602, euros],
    [-32000, long],
    [-32000, euros],
  ] as const)("after a JSON-RPC error with a message that is too long to quote, %i", function* ([code, words]) {
    const message = yield* answered(code, words)
    assert.isTrue(message.endsWith(`… ${advice[code]}`), message)
    assert.isAtMost(lengthOf(message), 700)
  })

  test.live("after an error of the handshake that is too long to quote", function* () {
    const message = yield* refused(refusing(long))
    assert.include(message, "is not an MCP server: MCP error -32600: No.")
    assert.match(message, /… Check the command and its arguments\.$/)
  })

  test.live.each([
    [{ error: { code: 1, message: { toString: 0 } } }, "its answer to initialize is malformed at error."],
    [{ error: {} }, "its answer to initialize is malformed at error."],
    [{ result: [] }, "its answer to initialize is malformed at its root."],
  ])("after an answer to initialize that is %j", function* ([answer, why]) {
    // A message whose id is no id answers nothing.
    const answers = [
      { id: { toString: 0 }, result: {} },
      { id: "0", ...(answer as object) },
    ].map((one) => ({ jsonrpc: "2.0", ...one }))
    const program = `process.stdin.once("data", () => ${JSON.stringify(answers)}.forEach((one) => console.log(JSON.stringify(one))))`
    assert.include(yield* refused(program), `is not an MCP server: ${why}`)
  })

  test.live("after a quoted sentence, with a single full stop", function* () {
    assert.match(yield* refused(refusing("Not today.")), /: Not today\. Check the command and its arguments\.$/)
  })
})

describe("an exit code of a missing program (docs/concepts/errors.md)", () => {
  test.live("is reported with the remedy, unless the last line is a sentence of a Zain server", function* () {
    for (const said of ["sh: Boo", `${process.execPath}: Boo`, "my-agent-mcp: There is none.", "zain-codex-mcp: it"]) {
      const message = yield* refused(`process.stderr.write(${JSON.stringify(said)}, () => process.exit(127))`)
      assert.include(message, "exit code 127 means that a program was not found. Check the command")
      assert.isTrue(message.endsWith(`Last stderr output: ${said}`), message)
    }
  })

  test.live("is reported as the last sentence that a Zain server writes, whatever command started it", function* () {
    const said = "zain-codex-mcp: It begins.\nzain-codex-mcp: There is no codex. Install it.\nThe rest: Boo.\n"
    const message = yield* refused(`process.stderr.write(${JSON.stringify(said)}, () => process.exit(127))`)
    assert.strictEqual(message, "There is no codex. Install it.")
  })
})
