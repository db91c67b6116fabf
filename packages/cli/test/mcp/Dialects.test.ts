/** Members of files that clients reject, ignore or read unexpectedly. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { entry, good } from "../../testing/doctor/FakeAgents.ts"
import { refusing } from "../../testing/doctor/Serving.ts"
import * as Zain from "../../testing/doctor/Zain.ts"
import { type Home, inHome } from "../../testing/run/Home.ts"
import * as McpFiles from "./McpFiles.ts"
import { inShort, variable, write } from "./McpFiles.ts"

const mcp = (
  home: Home,
  verb: "list" | "check",
  name: string,
  content: object | string,
  env: Readonly<Record<string, string>> = {},
) => McpFiles.mcp(home, verb, [write(home, name, content)], env)

describe("Codex's file (0.169)", () => {
  inHome(
    "members that Codex rejects are problems; ignored `headers` are a warning; disabled servers have no problems",
    function* (home) {
      const url = 'url = "https://e.com"'
      const toml = [
        `[mcp_servers.a]\n${url}\nbearer_token = "x"`,
        `[mcp_servers.b]\n${url}\nargs = ["x"]\nenv = { A = "b" }`,
        '[mcp_servers.c]\ncommand = "x"\nhttp_headers = { A = "b" }',
        `[mcp_servers.d]\n${url}\nheaders = { A = "b" }`,
        '[mcp_servers.e]\ncommand = "x"\nurl = "y"\nenabled = false',
      ].join("\n")
      const { code, report } = yield* mcp(home, "list", "config.toml", toml)
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(inShort(report), [
        "a entry-invalid problem",
        "b entry-invalid problem",
        "c entry-invalid problem",
        "d entry-ignored warning",
        "e entry-disabled ok",
      ])
      assert.include(report.servers[1]?.findings[0]?.what, "It has `args`, `env` beside `url`.")
    },
  )

  inHome("values of env_vars are redacted for any name", function* (home) {
    const script = "console.error(process.env.PLAIN); process.exitCode = 3"
    const toml = `[mcp_servers.one]\ncommand = '${process.execPath}'\nargs = ['-e', "${script}"]\nenv_vars = ['PLAIN']\n`
    const { output } = yield* mcp(home, "check", "config.toml", toml, { PLAIN: "a-value-of-mine" })
    assert.include(output, "Last stderr output: <redacted>")
    assert.notInclude(output, "a-value-of-mine")
  })
})

describe("Claude Code's file (2.1)", () => {
  inHome(
    "a file cannot hide a command by declaring it secret, nor break the report with ordinary words",
    function* (home) {
      const { args, command } = entry()
      const env = {
        FIELD: "name",
        B_TOKEN: "tools",
        C_KEY: "warning",
        D_SECRET: args[0] ?? "",
        E: "status",
        F: "findings",
      }
      const { code, errors, report } = yield* mcp(home, "check", ".mcp.json", {
        mcpServers: { one: { command, args, env } },
      })
      assert.strictEqual(code, 0)
      assert.include(errors, `one: starting ${command} ${args[0]} `)
      assert.deepStrictEqual(inShort(report), ["one handshake ok tools ok"])
    },
  )

  inHome("values of variables are redacted in the server's output", function* (home) {
    const settings = { ...good, exit: 3, words: "boom from-host-value" }
    const { command, args } = entry(settings)
    const words = args.map((arg) => arg.replace("from-host-value", variable("PLAIN")))
    const { errors, output } = yield* mcp(
      home,
      "check",
      ".mcp.json",
      { mcpServers: { one: { command, args: words } } },
      {
        PLAIN: "from-host-value",
      },
    )
    assert.include(output, "boom <redacted>")
    assert.notInclude(output + errors, "from-host-value")
  })
})

describe("VS Code's file", () => {
  inHome(
    "accepts comments, trailing commas and its own variables; suggests `export` for environment variables alone",
    function* (home) {
      const text = `{
      // a comment
      "servers": {
        "one": { "command": "x", "args": ["${variable("userHome")}", "${variable("workspaceFolderBasename")}"], },
        "two": { "command": "x", "env": { "A": "${variable("input:key")}", "B": "${variable("env:NO_SUCH")}" } }, /* b */
      },
    }`
      const { code, report } = yield* mcp(home, "list", ".vscode/mcp.json", text)
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(inShort(report), ["one", "two entry-variable-unset problem entry-not-checked warning"])
      assert.strictEqual(report.servers[1]?.findings[0]?.fix, "export NO_SUCH=…")
      const strict = yield* mcp(home, "list", ".mcp.json", '{ "mcpServers": {}, }')
      assert.strictEqual(strict.code, 2)
    },
  )
})

describe("a server that requires credentials", () => {
  inHome("is reported with its own client's way to pass them", function* (home) {
    const url = `${(yield* refusing(401)).origin}/mcp`
    const fixOf = (name: string, content: object | string) =>
      Effect.map(
        mcp(home, "check", name, content),
        ({ report }) => Zain.only(report.servers[0]?.findings ?? [], "handshake").fix,
      )
    const codex = yield* fixOf("config.toml", `[mcp_servers."a; b"]\nurl = "${url}"\n`)
    assert.include(codex, 'bearer_token_env_var = "NAME"')
    assert.include(codex, "codex mcp login 'a; b'")
    assert.include(yield* fixOf(".mcp.json", { mcpServers: { one: { type: "http", url } } }), "/mcp in Claude Code")
    assert.include(yield* fixOf(".vscode/mcp.json", { servers: { one: { url } } }), variable("input:token"))
  })
})

describe("files without servers, or with very many", () => {
  inHome.each([
    ["a.json", "{}", /none of `mcpServers`, `projects` and `servers`/],
    ["b.toml", "model = 'm'", /no \[mcp_servers\.NAME\]/],
  ])("%s is an error that names the expected members", function* (home, [name, content, error]) {
    const { code, report } = yield* mcp(home, "list", name as string, content as string)
    assert.strictEqual(code, 2)
    assert.match(report.files[0]?.error ?? "", error as RegExp)
  })

  inHome("600 entries are 500 rows and a note in a pipe", function* (home) {
    const all = Array.from({ length: 600 }, (_, at) => [`server-${at}`, { command: "x" }])
    const { report } = yield* mcp(home, "list", ".mcp.json", { mcpServers: Object.fromEntries(all) })
    assert.lengthOf(report.servers, 600)
    const { output } = yield* Zain.run(home, ["mcp", "list", ".mcp.json"])
    const lines = output.trimEnd().split("\n")
    assert.lengthOf(lines, 502)
    assert.match(lines.at(-1) ?? "", /100 more; --json prints all/)
  })

  inHome("no control character of a file reaches the JSON", function* (home) {
    const { output, report } = yield* mcp(home, "list", ".mcp.json", {
      mcpServers: { "a\u009b2J\u007f": { command: "x" } },
    })
    assert.notMatch(output, /[\u007f-\u009f]/)
    assert.strictEqual(report.servers[0]?.name, "a\u009b2J\u007f")
    assert.isFalse(existsSync(join(home.path, "log")))
  })
})
