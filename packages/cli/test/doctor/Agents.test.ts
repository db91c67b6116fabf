/** `zain doctor` on machines with agents of many kinds, and with none. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as FakeAgents from "../../testing/doctor/FakeAgents.ts"
import * as Zain from "../../testing/doctor/Zain.ts"
import { inHome } from "../../testing/run/Home.ts"

const { doctor, examined } = Zain

describe("zain doctor: which agents are there (docs/guides/doctor.md)", () => {
  inHome("no agent is a problem, with install commands", function* (home) {
    const { code, report } = yield* doctor(home)
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(Zain.inShort(report.findings), [
      "Codex: agent-missing warning",
      "Claude Code: agent-missing warning",
      "Agents: agent-missing problem",
    ])
    const { fix } = report.findings.at(-1) ?? {}
    assert.strictEqual(fix, "npm install --global @openai/codex, or npm install --global @anthropic-ai/claude-code")
    assert.strictEqual(report.status, "problem")
  })

  inHome("one agent suffices; the missing other is a problem only with --provider", function* (home) {
    FakeAgents.install(home, FakeAgents.codex("0.169.0"))
    const both = yield* doctor(home)
    assert.strictEqual(both.code, 0)
    assert.deepStrictEqual(Zain.inShort(both.report.findings), ["Claude Code: agent-missing warning"])
    const one = yield* doctor(home, ["--provider", "claude-code"])
    assert.strictEqual(one.code, 1)
    assert.deepStrictEqual(Zain.inShort(one.report.findings), ["Claude Code: agent-missing problem"])
  })

  inHome("both agents are reported with their facts, and the time of each step", function* (home) {
    FakeAgents.install(home, FakeAgents.codex("0.169.0", FakeAgents.accounts.chatgpt))
    FakeAgents.install(home, FakeAgents.claude())
    const { code, output, report } = yield* doctor(home)
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(Object.keys(report), [
      "version",
      "status",
      "platform",
      "agents",
      "servers",
      "findings",
      "notChecked",
    ])
    assert.strictEqual(report.version, 1)
    assert.strictEqual(report.platform.node, process.versions.node)
    const [codex, claude] = report.agents
    assert.deepInclude(codex, { name: "codex", program: "~/bin/codex", version: "0.169.0" })
    assert.deepStrictEqual(codex?.login, { state: "in", how: "ChatGPT" })
    assert.deepInclude(claude, { name: "claude-code", program: "~/bin/claude", version: "2.1.329" })
    assert.deepStrictEqual(claude?.login, { state: "in", how: "api_key" })
    assert.deepStrictEqual(
      report.servers.map(({ subject, lists }) => [subject, lists["tools"]?.names?.join(" ")]),
      [
        ["zain-codex-mcp", "codex codex-reply"],
        ["zain-claude-code-mcp", "claude-code claude-code-reply"],
        ["Claude Code's own MCP server", "Agent SendMessage"],
      ],
    )
    for (const { capabilities, protocolVersion, steps } of report.servers) {
      assert.strictEqual(protocolVersion, "2025-11-25")
      assert.property(capabilities, "tools")
      assert.deepStrictEqual(
        steps.map(({ name }) => name),
        "resources" in (capabilities ?? {})
          ? ["open", "initialize", "tools/list", "resources/list", "resources/templates/list"]
          : ["open", "initialize", "tools/list"],
      )
      assert.isTrue(steps.every(({ isOk, millis }) => isOk && millis >= 0))
    }
    assert.isTrue(report.agents.every(({ steps }) => steps.length === 3 && steps.every(({ millis }) => millis >= 0)))
    // Personal data of the user.
    assert.notInclude(output, "somebody@example.com")
    assert.notInclude(output, home.path)
  })
})

describe("zain doctor: versions of Codex (docs/guides/doctor.md)", () => {
  inHome.each(["0.154.0", "1.0.0"])(
    "Codex %s: the removed mcp-server is reported with its replacement, and never started",
    function* (home, version) {
      const { code, report } = yield* examined(home, FakeAgents.codex(version))
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(Zain.inShort(report.findings), [])
      const { what } = Zain.only(report.findings, "agent-own-server")
      assert.match(what, /removed in 0\.154.*zain-codex-mcp.*CodexTransportFactory\.local\(\)/)
      assert.deepStrictEqual(
        report.servers.map(({ subject }) => subject),
        ["zain-codex-mcp"],
      )
      assert.isFalse(FakeAgents.asked(home, "codex").some((args) => args.includes("mcp-server")))
    },
  )

  inHome("0.0.0 is reported as a placeholder, and the agent is checked", function* (home) {
    const { code, report } = yield* examined(home, FakeAgents.codex("0.0.0"))
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(Zain.inShort(report.findings), ["Codex: agent-version warning"])
    assert.include(Zain.only(report.findings, "agent-version").what, "Its version is 0.0.0, a placeholder")
    assert.deepStrictEqual(
      report.servers.map(({ subject }) => subject),
      ["zain-codex-mcp"],
    )
  })

  inHome("a CODEX_HOME without a directory is the only problem, with a fix", function* (home) {
    FakeAgents.install(home, FakeAgents.codex("0.169.0"))
    writeFileSync(join(home.path, "file"), "")
    for (const CODEX_HOME of ["/nowhere/at/all", join(home.path, "file")]) {
      const { code, report } = yield* doctor(home, ["--provider", "codex"], { CODEX_HOME })
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(Zain.inShort(report.findings), ["Codex: agent-config problem"])
      const { fix, what } = Zain.only(report.findings, "agent-config")
      assert.match(what, /^CODEX_HOME is .*(at\/all|file), which is not a directory\.$/)
      assert.match(fix ?? "", /^unset CODEX_HOME, .*mkdir -p .*codex login$/)
    }
    const { code } = yield* doctor(home, ["--provider", "codex"], { CODEX_HOME: home.path })
    assert.strictEqual(code, 0)
  })

  inHome("a program that prints no version is started once", function* (home) {
    const { code, report } = yield* examined(home, { agent: "codex", says: "hello", account: FakeAgents.accounts.key })
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(Zain.inShort(report.findings), ["Codex: agent-version problem"])
    assert.deepStrictEqual(FakeAgents.asked(home, "codex"), ["--version"])
  })
})

describe("zain doctor: login, as the agent itself reports it", () => {
  inHome.each([
    ["none", "out", "problem", "codex login"],
    ["notNeeded", "not-needed", "ok", undefined],
    ["key", "in", "ok", undefined],
  ] as const)("Codex: account %s is %s", function* (home, [account, state, status, fix]) {
    const { report } = yield* examined(home, FakeAgents.codex("0.169.0", FakeAgents.accounts[account]))
    const found = Zain.only(report.findings, "agent-login")
    assert.strictEqual(report.agents[0]?.login?.state, state)
    assert.deepStrictEqual([found.status, found.fix], [status, fix])
  })

  inHome("Codex: a logged-out agent with a model at the user's address is a warning", function* (home) {
    for (const config of [{ openai_base_url: "http://127.0.0.1:1/v1" }, { model_provider: "mine" }]) {
      const { code, report } = yield* examined(home, {
        ...FakeAgents.codex("0.169.0", FakeAgents.accounts.none),
        config,
      })
      const found = Zain.only(report.findings, "agent-login")
      assert.deepStrictEqual([code, found.status, found.fix], [0, "warning", "codex login"])
    }
  })

  inHome("Codex: the directories that its user trusts are reported", function* (home) {
    const projects = { "/srv/a": { trust_level: "trusted" }, "/srv/b": { trust_level: "untrusted" } }
    const { report } = yield* examined(home, { ...FakeAgents.codex("0.169.0"), config: { projects } })
    const { status, what } = Zain.only(report.findings, "agent-trusts")
    assert.strictEqual(status, "ok")
    assert.strictEqual(what, "Its user trusts /srv/a. Zain applies their settings only with `trustProject`.")
  })

  inHome("Codex: an app-server without the method is a warning", function* (home) {
    const { report } = yield* examined(home, FakeAgents.codex("0.169.0", "refused"))
    assert.deepStrictEqual(Zain.inShort(report.findings), ["Codex: agent-login warning"])
  })

  inHome(
    "Claude Code: a version without `auth status` is not started with it, because it would read a prompt",
    function* (home) {
      const { code, report } = yield* examined(
        home,
        FakeAgents.claude(FakeAgents.statuses.key, "Usage: claude [options] [prompt]\n"),
      )
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(Zain.inShort(report.findings), ["Claude Code: agent-login warning"])
      assert.notInclude(FakeAgents.asked(home, "claude"), "auth status --json")
    },
  )
})

describe("zain doctor's output", () => {
  inHome("has status, cause and fix, without secrets and colours, in a pipe", function* (home) {
    const secret = "sk-abcdefghij0123456789"
    FakeAgents.install(home, { agent: "codex", says: `who? ${secret} and hunter2hunter2 \u001b[31m`, account: null })
    const env = { OPENAI_API_KEY: "hunter2hunter2" }
    const { code, errors, output } = yield* Zain.run(home, ["doctor", "--provider", "codex"], env)
    assert.strictEqual(code, 1)
    assert.strictEqual(errors, "")
    assert.match(output, /^Platform\n {2}ok {6}zain /)
    assert.include(
      output,
      "\n  problem agent-version: codex --version prints no version: who? <redacted> and <redacted>\n",
    )
    assert.include(output, "\n          Fix:   npm install --global @openai/codex\n")
    assert.match(
      output,
      /\n1 problem\. No turn was run, no model was called, and nothing was charged\.\nNot checked: .+\.\n$/,
    )
    assert.notInclude(output, "\u001b")
  })

  inHome("has marks and colours, in lines that fit, on a terminal", function* (home) {
    FakeAgents.install(home, FakeAgents.codex("0.169.0", FakeAgents.accounts.none))
    const env = { PATH: FakeAgents.pathOf(home) }
    const zain = yield* home.terminal(["doctor", "--provider", "codex"], env)
    assert.strictEqual(yield* zain.exit, 1)
    assert.include(zain.output(), "\u001b[32m✔ ")
    assert.include(zain.output(), "\u001b[31m✖ ")
    assert.include(zain.output(), "\u001b[36mcodex login")
  })

  inHome("has wrong usage on standard error, and starts nothing", function* (home) {
    FakeAgents.install(home, FakeAgents.codex("0.169.0"))
    for (const args of [
      ["--provider", "other"],
      ["--timeout", "soon"],
      ["--timeout", "Infinity"],
      ["--server", ""],
      ["--server", "'open"],
      ["--server", "http://127.0.0.1:1", "--bearer-token-env", "NO_SUCH_VARIABLE"],
    ]) {
      const { code, errors, output } = yield* Zain.run(home, ["doctor", ...args])
      assert.strictEqual(code, 2, args.join(" "))
      assert.match(errors, /^zain doctor: .+\nSee zain doctor --help\.\n$/s)
      assert.strictEqual(output, "")
    }
    assert.deepStrictEqual(FakeAgents.asked(home, "codex"), [])
  })
})
