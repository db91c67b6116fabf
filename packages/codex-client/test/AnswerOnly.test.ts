/**
 * Codex without tools.
 */
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as HostGuard from "@zain/process/HostGuard"
import { gone } from "@zain/testkit/Alive"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect, Layer } from "effect"
import * as CodexNoTools from "../src/native/CodexNoTools.ts"

/** A program with this script, and the configuration for it. */
const codexOf = Effect.fnUntraced(function* (script: string) {
  const home = yield* directory
  const program = join(home, "codex")
  writeFileSync(program, `#!/bin/sh\necho "$*" > args\nenv > env\n${script}\n`)
  chmodSync(program, 0o755)
  const guarded = yield* Layer.build(HostGuard.layer)
  const env = {
    PATH: "/usr/bin:/bin",
    CODEX_HOME: "/there",
    OPENAI_API_KEY: "its-own",
    GH_TOKEN: "no",
    ANTHROPIC_API_KEY: "no",
  }
  return {
    config: CodexNoTools.config({ program, env, passed: { MY_KEY: "for-codex" }, cwd: home }).pipe(
      Effect.provideContext(guarded),
    ),
    read: (name: string) => readFileSync(join(home, name), "utf8"),
  }
})

/** An app-server that answers each method with these texts. */
const answering = (answers: Readonly<Record<string, string>>) =>
  [
    "while read -r line; do case $line in",
    ...Object.entries(answers).map(([method, answer]) => `*'"${method}"'*) printf '%s\\n' '${answer}' ;;`),
    "esac; done",
  ].join("\n")

const result = (id: number, value: unknown) => JSON.stringify({ id, result: value })

const servers = { files: { command: "files", enabled: true }, 'odd."one': {} }
const skill = { name: "foo", path: "/home/me/.codex/skills/foo/SKILL.md", scope: "user", enabled: true }
const usual = {
  initialize: result(1, {}),
  "config/read": `{"method":"configWarning","params":{}}\nno JSON\n{"id":3,"method":"ask"}\n${result(2, { config: { mcp_servers: servers } })}`,
  "skills/list": result(3, { data: [{ cwd: "/", skills: [skill], errors: [] }] }),
}

describe("`CodexAnswerOnly`", () => {
  test.live("switches off Codex's own tools, and every MCP server and skill of the user", function* () {
    const { config: made, read } = yield* codexOf(answering(usual))
    const config = yield* made
    assert.deepStrictEqual(config["mcp_servers"], { files: { enabled: false }, 'odd."one': { enabled: false } })
    assert.deepInclude(config["features"], { shell_tool: false, unified_exec: false, apps: false, plugins: false })
    assert.deepStrictEqual(config["skills"], {
      include_instructions: false,
      bundled: { enabled: false },
      config: [
        { name: skill.name, enabled: false },
        { path: skill.path, enabled: false },
      ],
    })
    assert.strictEqual(config["web_search"], "disabled")
    assert.match(read("args"), /^app-server /)
    for (const passed of ["CODEX_HOME=/there", "OPENAI_API_KEY=its-own", "MY_KEY=for-codex"])
      assert.include(read("env"), passed)
    for (const other of ["GH_TOKEN", "ANTHROPIC_API_KEY"]) assert.notInclude(read("env"), other)
  })

  const refusal = '{"id":2,"error":{"code":-32600,"message":"unknown variant config/read"}}'
  for (const [what, script, reason, said] of [
    ["does not know the request", answering({ ...usual, "config/read": refusal }), "server-error", "unknown variant"],
    [
      "answers in another form",
      answering({ ...usual, "skills/list": result(3, []) }),
      "server-error",
      "unexpected form",
    ],
    [
      "answers for no directory",
      answering({ ...usual, "skills/list": result(3, { data: [] }) }),
      "server-error",
      "unexpected form",
    ],
    [
      "sends a too long line",
      "head -c 17000000 /dev/zero | tr '\\0' x; cat > /dev/null",
      "message-too-large",
      "sent a line",
    ],
    ["exits", "echo for-codex is refused >&2; exit 2", "server-exited", "<redacted> is refused"],
    ["does not answer", "sleep 600 & echo $! > pid; cat > /dev/null", "connect-timeout", "did not answer within 10s"],
  ] as const)
    test.live(`fails to open a session, which may be retried, when Codex ${what}`, function* () {
      const { config, read } = yield* codexOf(script)
      const error = yield* Effect.flip(config)
      assert.deepInclude(error, { _tag: "ConnectionUnavailable", reason, delivery: "not-sent" })
      assert.include(error.message, "did not list the MCP servers and skills")
      assert.include(error.message, said)
      if (reason === "connect-timeout") yield* gone(Number(read("pid")))
    })

  test.live("leaves no process of the request behind (promise 11)", function* () {
    const { config, read } = yield* codexOf(`sleep 600 & echo $! > pid\n${answering(usual)}`)
    yield* config
    yield* gone(Number(read("pid")))
  })
})
