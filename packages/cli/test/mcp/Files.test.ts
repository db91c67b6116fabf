/** `zain mcp list` and `zain mcp check` with the files of agents and editors. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as FakeAgents from "../../testing/doctor/FakeAgents.ts"
import { entry, good } from "../../testing/doctor/FakeAgents.ts"
import * as Zain from "../../testing/doctor/Zain.ts"
import { inHome, untilEmpty } from "../../testing/run/Home.ts"
import { inShort, mcp, named, variable, write } from "./McpFiles.ts"

describe("zain mcp list without a file", () => {
  inHome("shows the servers in effect here, of the project, of Claude Code and of Codex", function* (home) {
    const nothing = yield* mcp(home, "list", [])
    assert.deepStrictEqual([nothing.code, nothing.report.files], [0, []])
    const log = join(home.path, "log")
    const { args, command } = entry({ ...good, log })
    write(home, ".mcp.json", { mcpServers: { project: { command, args } } })
    write(home, ".cursor/mcp.json", { mcpServers: { cursor: { url: "https://example.com/mcp" } } })
    write(home, ".vscode/mcp.json", { servers: { code: { url: "https://example.com/mcp" } } })
    const [here, elsewhere] = ["here", "elsewhere"].map((name) => ({ mcpServers: { [name]: { command: "x" } } }))
    const projects = { [home.work]: here, [`${home.work}.other`]: elsewhere }
    write(home, "../.claude.json", { mcpServers: { user: { command: "x" } }, projects })
    write(home, "../.codex/config.toml", '[mcp_servers.codex]\ncommand = "x"\n')
    const { code, report } = yield* mcp(home, "list", [])
    assert.deepStrictEqual(inShort(report), ["project", "cursor", "code", "codex", "user", "here"])
    assert.strictEqual(code, 0)
    assert.isFalse(existsSync(log))
    // Without servers a file is left out; an invalid one is not.
    write(home, "../.codex/config.toml", 'model = "m"\n')
    write(home, ".cursor/mcp.json", "{")
    const wrong = yield* mcp(home, "list", [])
    assert.strictEqual(wrong.code, 2)
    assert.match(wrong.errors, /^zain mcp: \S*\.cursor\/mcp\.json: Not JSON.*\n$/)
  })
})

describe("zain mcp list", () => {
  inHome(
    "shows the servers of .mcp.json, of .claude.json with its projects, of VS Code and of Codex",
    function* (home) {
      const toml = [
        'model = "m"',
        "[mcp_servers.plain]",
        'command = "npx"',
        'args = ["-y", "a server"]',
        "[mcp_servers.plain.env]",
        'API_KEY = "codex-secret-1"',
        "[mcp_servers.off]",
        'command = "x"',
        "enabled = false",
        "[mcp_servers.web]",
        'url = "https://example.com/mcp"',
        'bearer_token_env_var = "TOKEN"',
      ].join("\n")
      const files = [
        write(home, ".mcp.json", { mcpServers: { project: { command: "node", args: ["a.js"] } } }),
        write(home, ".claude.json", {
          oauthAccount: { secret: "never-read-1" },
          mcpServers: { user: { type: "sse", url: "https://example.com/sse" } },
          projects: {
            "/srv/one": { mcpServers: { local: { type: "http", url: "https://example.com/mcp" } } },
            "/srv/two": { mcpServers: { out: { command: "x" } }, disabledMcpServers: ["out"] },
            "/srv/odd": 7,
          },
        }),
        write(home, ".vscode/mcp.json", { servers: { editor: { url: "https://example.com/mcp" } } }),
        write(home, "config.toml", toml),
      ]
      const { code, output, report } = yield* mcp(home, "list", files, { TOKEN: "a-token-of-mine" })
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(
        report.servers.map(({ enabled, path, target, transport }) => [path, transport, target, enabled]),
        [
          ["mcpServers.project", "stdio", "node a.js", true],
          ["mcpServers.user", "sse", "https://example.com/sse", true],
          ["projects./srv/one.mcpServers.local", "http", "https://example.com/mcp", true],
          ["projects./srv/two.mcpServers.out", "stdio", "x", false],
          ["projects./srv/odd", "?", "?", true],
          ["servers.editor", "http", "https://example.com/mcp", true],
          ["mcp_servers.plain", "stdio", "npx -y 'a server'", true],
          ["mcp_servers.off", "stdio", "x", false],
          ["mcp_servers.web", "http", "https://example.com/mcp", true],
        ],
      )
      assert.notMatch(output, /codex-secret-1|never-read-1|a-token-of-mine/)
    },
  )

  inHome(
    "reports an invalid entry by its path, an unset variable by its name, and the other entries",
    function* (home) {
      const mcpServers = {
        bad: { command: "node", args: ["a", 7] },
        empty: {},
        untyped: { url: "https://example.com/mcp" },
        unset: {
          command: variable("NO_SUCH"),
          args: [variable("SET"), variable("ALSO_NOT:-fine")],
          env: { A: variable("NOT_EITHER") },
        },
        socket: { type: "ws", url: "ws://127.0.0.1:1" },
        fine: { command: "node" },
        strange: { command: "node", args: [variable("A; touch x")] },
      }
      const toml =
        '[mcp_servers.both]\ncommand = "x"\nurl = "https://e.com"\n[mcp_servers.token]\nurl = "https://e.com"\nbearer_token_env_var = "NO_TOKEN"\n'
      const files = [write(home, ".mcp.json", { mcpServers }), write(home, "config.toml", toml)]
      const { code, report } = yield* mcp(home, "list", files, { SET: "yes" })
      assert.strictEqual(code, 1)
      const whats = report.servers.map(({ findings, name }) => [name, ...findings.map(({ what }) => what)])
      assert.deepStrictEqual(whats, [
        ["bad", "`mcpServers.bad.args.1` is not valid."],
        ["empty", "It has neither `command` nor `url`."],
        ["untyped", "It has a `url` and no `type`: Claude Code skips it."],
        ["unset", "Variables have no value: NO_SUCH, NOT_EITHER."],
        ["socket", 'Its transport is "ws", which is not checked here.'],
        ["fine"],
        ["strange", '"A; touch x": not the name of a variable.'],
        ["both", "It has both `command` and `url`."],
        ["token", "A variable has no value: NO_TOKEN."],
      ])
    },
  )

  inHome("redacts secrets in arguments, URLs and variables; shows references unexpanded", function* (home) {
    const mcpServers = {
      one: {
        command: "x",
        args: ["--api-key", "secret-1-abc", "--token=secret-2-abc", "-v", `KEY=${variable("FROM_HOST")}`],
      },
      two: { type: "http", url: "https://u:secret-3-abc@e.com/s/abc123def456ghi789/mcp?k=secret-4-abc" },
      three: { type: "http", url: "https://e.com/mcp", headers: { Authorization: "Bearer secret-5-abc" } },
    }
    const { output, report } = yield* mcp(home, "list", [write(home, ".mcp.json", { mcpServers })], {
      FROM_HOST: "from-host-value",
    })
    assert.notMatch(output, /secret-\d|abc123def|from-host/)
    assert.strictEqual(
      named(report, "one").target,
      `x --api-key <redacted> --token=<redacted> -v 'KEY=${variable("FROM_HOST")}'`,
    )
    assert.strictEqual(named(report, "two").target, "https://<redacted>@e.com/s/<redacted>/mcp?…")
  })

  inHome("exits with 2 for an unreadable file without quoting its content, and shows the others", function* (home) {
    const files = [
      write(home, ".mcp.json", { mcpServers: { fine: { command: "node" } } }),
      write(home, "broken.json", '{"token": "secret-1-abc" x'),
      write(home, "broken.toml", 'token = "secret-2-abc" x'),
      write(home, "wrong.json", { mcpServers: ["secret-3-abc"] }),
      "none.json",
    ]
    const { code, errors, output, report } = yield* mcp(home, "list", files)
    assert.strictEqual(code, 2)
    assert.deepStrictEqual(
      report.files.map(({ error }) => error),
      [
        undefined,
        "Not JSON: line 1, column 26.",
        "Not TOML: line 1, column 24.",
        "In the file, `mcpServers` is not valid.",
        "File not found.",
      ],
    )
    assert.strictEqual(named(report, "fine").status, "ok")
    assert.notMatch(output + errors, /secret-\d/)
    assert.match(errors, /zain mcp: ~?.*none\.json: File not found\.\n/)
    const usage = yield* Zain.run(home, ["mcp", "check"])
    assert.strictEqual(usage.code, 2)
  })
})

describe("zain mcp check", () => {
  inHome(
    "prints each command before it starts it, probes four at once, and prints the doctor's fixes",
    function* (home) {
      const log = join(home.path, "log")
      const servers = Array.from({ length: 6 }, (_, at) => [`good-${at}`, entry({ ...good, log })])
      const mcpServers = {
        ...Object.fromEntries(servers),
        hidden: entry({ ...good, capabilities: {} }),
        off: { ...entry({ ...good, log }), disabled: true },
      }
      const { code, errors, report } = yield* mcp(home, "check", [write(home, "any.json", { mcpServers })])
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(report.servers.filter(({ status }) => status === "ok").length, servers.length + 1)
      assert.strictEqual(Zain.only(named(report, "hidden").findings, "tools-undeclared").status, "problem")
      assert.strictEqual(named(report, "good-0").report?.lists["tools"]?.count, 1)
      assert.isUndefined(named(report, "off").report)
      const lines = errors.trim().split("\n")
      assert.lengthOf(lines, servers.length + 1)
      for (const line of lines) assert.match(line, /^[\w-]+: starting .+server\.mjs/)
      let max = 0
      let alive = 0
      for (const word of readFileSync(log, "utf8").trim().split("\n")) {
        alive += word === "start" ? 1 : -1
        max = Math.max(max, alive)
      }
      assert.isAtMost(max, 4)
      assert.isAtLeast(max, 2)
      yield* untilEmpty(home)
    },
  )

  inHome("expands variables as Claude Code does, and starts a project's servers in its directory", function* (home) {
    const [command = "", server = "", settings = ""] = FakeAgents.serverCommand(good)
    mkdirSync(join(home.work, "project"))
    writeFileSync(join(home.work, "project/server.mjs"), readFileSync(server))
    const mcpServers = {
      one: { command: variable("NODE_PROGRAM"), args: [variable("WHERE:-./server.mjs"), settings] },
    }
    const file = write(home, "project/.mcp.json", { mcpServers })
    const { code, errors } = yield* mcp(home, "check", [file], { NODE_PROGRAM: command })
    assert.strictEqual(code, 0)
    assert.include(errors, `one: starting '${variable("NODE_PROGRAM")}' '${variable("WHERE:-./server.mjs")}' `)
  })

  inHome("passes Codex's variables, applies its timeout, and skips disabled servers", function* (home) {
    const { args, command } = entry({ ...good, silent: ["initialize"] })
    const words = (list: ReadonlyArray<string>) => `[${list.map((one) => `'${one}'`).join(", ")}]`
    const script = "if (process.env.A !== 'b' || process.env.PASSED !== 'on' || process.env.OTHER) process.exit(3)"
    const rest = readFileSync(FakeAgents.serverCommand(good)[1] ?? "", "utf8")
    const checking = write(home, "checking.mjs", `${script}\n${rest}`)
    const toml = [
      `[mcp_servers.slow]\ncommand = '${command}'\nargs = ${words(args)}\nstartup_timeout_sec = 0.4`,
      `[mcp_servers.env]\ncommand = 'node'\nargs = ${words([checking, JSON.stringify(good)])}\ncwd = '${home.work}'`,
      "env_vars = ['PASSED']\nenv = { A = 'b' }",
      "[mcp_servers.off]\ncommand = 'false'\nenabled = false",
    ].join("\n")
    const env = { PASSED: "on", OTHER: "out" }
    const { code, errors, report } = yield* mcp(home, "check", [write(home, "config.toml", toml)], env)
    assert.strictEqual(code, 1)
    assert.include(Zain.only(named(report, "slow").findings, "handshake").what, "timed out after 400ms")
    assert.strictEqual(named(report, "env").status, "ok")
    assert.notInclude(errors, "off: starting")
    yield* untilEmpty(home)
  })

  inHome("finds no program of the working directory by its name alone", function* (home) {
    const log = join(home.path, "log")
    const folder = join(home.work, "node_modules/.bin")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "local-server"), `#!/bin/sh\necho started > '${log}'\n`, { mode: 0o755 })
    const file = write(home, ".mcp.json", { mcpServers: { one: { command: "local-server" } } })
    const { code, report } = yield* mcp(home, "check", [file], { PATH: FakeAgents.pathOf(home, folder) })
    assert.strictEqual(code, 1)
    assert.include(Zain.only(named(report, "one").findings, "handshake").what, "was not found")
    assert.isFalse(existsSync(log))
  })

  inHome.each(["SIGINT", "SIGKILL"] as const)(
    "ends its processes when it receives %s (promises 11, 12)",
    function* (home, signal) {
      const log = join(home.path, "log")
      const servers = Object.fromEntries(
        ["one", "two"].map((name) => [name, entry({ ...good, log, silent: ["initialize"] })]),
      )
      const file = write(home, ".mcp.json", { mcpServers: servers })
      const zain = yield* home.run(["mcp", "check", file], { PATH: FakeAgents.pathOf(home) })
      yield* home.until(() => existsSync(log) && readFileSync(log, "utf8") === "start\nstart\n")
      zain.kill(signal)
      assert.strictEqual(yield* zain.exit, signal === "SIGINT" ? 130 : "SIGKILL")
      assert.strictEqual(zain.output(), "")
      yield* untilEmpty(home)
    },
  )

  inHome("prints invisible characters of a command escaped before it starts", function* (home) {
    const file = write(home, ".mcp.json", { mcpServers: { one: { command: "true", args: ["a\u001b[2K\nb\u202e"] } } })
    const { errors } = yield* mcp(home, "check", [file])
    assert.strictEqual(errors, "one: starting true 'a\\u{1b}[2K\\u{a}b\\u{202e}'\n")
  })
})
