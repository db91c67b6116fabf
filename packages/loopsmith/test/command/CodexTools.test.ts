/**
 * A Codex that can do nothing but answer.
 */
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as CodexTools from "../../src/command/CodexTools.ts"
import * as Log from "../../src/command/Log.ts"
import { directory } from "./Directory.ts"

/** The configuration for a program that is this script, and what was logged meanwhile. */
const configFor = (script: string) =>
  Effect.gen(function* () {
    const home = yield* directory
    const program = join(home, "codex")
    writeFileSync(program, `#!/bin/sh\necho "$*" > args\nenv > env\n${script}\n`)
    chmodSync(program, 0o755)
    const lines: Array<string> = []
    const log = Log.layer({ level: "warn", mask: (text) => text, write: (line) => void lines.push(line) })
    const env = { PATH: "/usr/bin:/bin", CODEX_HOME: "/there", GH_TOKEN: "not for a list" }
    const config = yield* CodexTools.none({ program, env, cwd: home }).pipe(Effect.provide(log))
    return { config, lines, read: (name: string) => readFileSync(join(home, name), "utf8") }
  })

describe("Codex as a judge or a writer", () => {
  it.live("has no tools of its own, and none of its user's MCP servers: a document can ask it for nothing", () =>
    Effect.gen(function* () {
      const listed = JSON.stringify([
        { name: "files", enabled: true },
        { name: 'odd."one', transport: {} },
      ])
      const { config, lines, read } = yield* configFor(`printf '%s' '${listed}'`)
      assert.deepStrictEqual(config["mcp_servers"], { files: { enabled: false }, 'odd."one': { enabled: false } })
      assert.deepInclude(config["features"], { shell_tool: false, unified_exec: false, apps: false, plugins: false })
      assert.strictEqual(config["web_search"], "disabled")
      assert.strictEqual(read("args"), "mcp list --json\n")
      assert.include(read("env"), "CODEX_HOME=/there")
      assert.notInclude(read("env"), "GH_TOKEN")
      assert.deepStrictEqual(lines, [])
    }),
  )

  for (const [what, script] of [
    ["fails", "echo unknown command >&2; exit 2"],
    ["says no JSON", "echo no servers"],
    ["says other JSON", "echo '{}'"],
  ] as const)
    it.live(`is judged by all the same where the list ${what}, and that is logged`, () =>
      Effect.gen(function* () {
        const { config, lines } = yield* configFor(script)
        assert.isUndefined(config["mcp_servers"])
        assert.deepInclude(config["features"], { shell_tool: false })
        assert.strictEqual(lines.length, 1)
        assert.match(lines[0] ?? "", /WARN {2}Codex does not tell which MCP servers it has/)
      }),
    )
})
