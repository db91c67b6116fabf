import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { inWords } from "./Session.ts"

/** A Codex as a script: it logs its arguments, prints a version, and is a minimal MCP server. */
const script = (version: string, log: string) => `#!/usr/bin/env node
const { appendFileSync } = require("node:fs")
appendFileSync(${JSON.stringify(log)}, process.argv.slice(2).join(" ") + "\\n")
if (process.argv[2] === "--version") {
  console.log("codex-cli ${version}")
  process.exit(0)
}
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
const answers = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "codex", version: "1" } },
  "tools/call": { structuredContent: { threadId: "thread", content: "hello" }, content: [] },
}
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line)
  if (id !== undefined) say({ id, result: answers[method] ?? {} })
}).on("close", () => process.exit(0))
`

/** A directory that is removed with the test, a Codex in it, and the log of its arguments. */
const installed = Effect.fnUntraced(function* (version: string) {
  const folder = yield* directory
  const [command, log] = [join(folder, "codex"), join(folder, "calls")]
  const write = (text: string) => writeFileSync(command, text, { mode: 0o755 })
  write(script(version, log))
  writeFileSync(log, "")
  const codex = yield* CodexMcpClientAdapter.make({ profile: "native" })
  return {
    codex,
    open: (options?: CodexTransportFactory.NativeOptions) => codex.openSession(local(command, options)),
    folder,
    command,
    write,
    install: (other: string) => write(script(other, log)),
    calls: () => readFileSync(log, "utf8").trim().split("\n"),
  }
})

const local = (command: string, options: CodexTransportFactory.NativeOptions = {}) =>
  CodexTransportFactory.native({ connectTimeout: "4 minutes", ...options, command })

describe("the version of a Codex, read before it is started (decision 6)", () => {
  test.live.each(["0.154.0", "0.169.0", "0.160.0-alpha.3", "1.0.0"])(
    "%s fails with not-an-mcp-server and the command that installs an older one (seed 2.3)",
    function* (version) {
      const { calls, command, open } = yield* installed(version)
      const error = yield* Effect.flip(open())
      assert.strictEqual(inWords(error), "ConnectionUnavailable not-an-mcp-server not-sent")
      assert.include(error.message, `${command} is Codex ${version}`)
      assert.match(error.message, /npm install @openai\/codex@0\.153\.4/)
      assert.deepStrictEqual(calls(), ["--version"])
      assert.strictEqual((yield* Effect.flip(open())).reason, "not-an-mcp-server")
    },
  )

  test.live("0.153.4 opens a session, which answers (seed 2.1, 2.2)", function* () {
    const { calls, codex, open } = yield* installed("0.153.4")
    const id = yield* open()
    const { content, provider, threadId } = yield* codex.execute(id, { content: "a" })
    assert.deepStrictEqual([content, provider, threadId], ["hello", "codex", "thread"])
    assert.deepStrictEqual(calls(), ["--version", "mcp-server"])
  })

  test.live("is read once for each program file, and again after the file is replaced", function* () {
    const { calls, install, open } = yield* installed("0.153.4")
    const versions = () => calls().filter((call) => call === "--version").length
    yield* open()
    yield* open()
    assert.strictEqual(versions(), 1)
    install("0.169.0-replaced")
    const error = yield* Effect.flip(open())
    assert.strictEqual(error.reason, "not-an-mcp-server")
    assert.strictEqual(versions(), 2)
    install("0.153.4")
    yield* open()
    assert.strictEqual(versions(), 3)
  })

  test.live("is read from the command on PATH", function* () {
    const { calls, codex, folder, install } = yield* installed("0.154.0")
    const onPath = local("codex", { env: { PATH: `${folder}${delimiter}${process.env["PATH"]}` } })
    assert.strictEqual((yield* Effect.flip(codex.openSession(onPath))).reason, "not-an-mcp-server")
    install("0.153.4")
    yield* codex.openSession(onPath)
    yield* codex.openSession(onPath)
    assert.deepStrictEqual(calls(), ["--version", "--version", "mcp-server", "mcp-server"])
  })

  test.live("that is never printed fails with connect-timeout, and the process is ended", function* () {
    const { folder, open, write } = yield* installed("0.153.4")
    const pidFile = join(folder, "pid")
    write(`#!/bin/sh\necho $$ > ${pidFile}\nexec sleep 60\n`)
    // A limit that passes before the program has started leaves no process to check: then a longer one is tried.
    for (let connectTimeout = 700; !existsSync(pidFile); connectTimeout *= 4) {
      const error = yield* Effect.flip(open({ connectTimeout }))
      assert.strictEqual(inWords(error), "ConnectionUnavailable connect-timeout not-sent")
    }
    const pid = Number(readFileSync(pidFile, "utf8"))
    assert.isAbove(pid, 0)
    assert.throws(() => process.kill(pid, 0), /ESRCH/)
  })
})
