/** How an agent's command is started. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { client } from "../testing/Server.ts"
import * as ScriptedServer from "./ScriptedServer.ts"

describe("a command (promise 18)", () => {
  const args = [
    ...["plain", "", " ", "two words", "$(touch /tmp/no)", "`id`", "$HOME", "; exit 1", "| cat"],
    ...["> file", "&", "*", "?", "~", "'", '"', "\\", "\\\\", "%41", "+", "a=b", "--flag", "-"],
    ...["--", "line\nbreak", "tab\t", "日本語", "👩‍👩‍👧", "é", "#", "a?arg=b&cwd=/"],
  ]

  test.live("receives its arguments unchanged, without a shell", function* () {
    const { ask } = yield* ScriptedServer.session({ args })
    assert.deepStrictEqual(JSON.parse(yield* ask("argv")), args)
  })

  test.live("is found on PATH only: its working directory provides neither a program nor variables", function* () {
    const cwd = yield* directory
    const program = fileURLToPath(new URL("../testing/fixtures/server.mjs", import.meta.url))
    writeFileSync(join(cwd, "node"), "#!/bin/sh\nexit 1\n", { mode: 0o755 })
    writeFileSync(join(cwd, ".env"), "FROM_A_FILE=yes\n")
    writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { x: { command: "false" } } }))
    const adapter = yield* client
    const given = McpConnectionConfig.stdio({ command: "node", args: [program], cwd })
    const id = yield* adapter.openSession(given)
    const { content } = yield* adapter.execute(id, { content: "environment" })
    const seen: Record<string, string> = JSON.parse(content)
    assert.isUndefined(seen["FROM_A_FILE"])
    assert.strictEqual(seen["PATH"], process.env["PATH"])
    yield* adapter.closeSession(id)
  })
})
