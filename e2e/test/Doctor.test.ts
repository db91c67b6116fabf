/** `zain doctor` and `zain mcp` with the real agents. */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import type { DoctorReport } from "../../packages/cli/src/doctor/Doctor.ts"
import type { Printed } from "../../packages/cli/src/mcp/ServerTable.ts"
import * as FakeAgents from "../../packages/cli/testing/doctor/FakeAgents.ts"
import * as Zain from "../../packages/cli/testing/doctor/Zain.ts"
import * as DoctorPlace from "../src/DoctorPlace.ts"

type Place = Effect.Success<typeof DoctorPlace.make>

const read = <A = DoctorReport>({ exitCode, stderr, stdout }: Effect.Success<ReturnType<Place["zain"]>>) => {
  try {
    return { code: exitCode, report: JSON.parse(stdout) as A, stdout }
  } catch {
    throw new Error(`No JSON: ${stdout}${stderr}`)
  }
}
/** What `zain doctor` says of an agent of which this program is on PATH. */
const doctor = (place: Place, program: DoctorPlace.Agent, env?: Readonly<Record<string, string | undefined>>) => {
  const provider = program === "claudeCode" ? "claude-code" : "codex"
  // The first start of a program that was only now unpacked can take long.
  const args = ["doctor", "--provider", provider, "--json", "--timeout", "2 minutes"]
  return Effect.map(place.zain(args, [program], env), read)
}
/** No turn, no connection to another host, no process left. */
const harmless = Effect.fnUntraced(function* ({ alive, model, strangers }: Place) {
  assert.deepStrictEqual(yield* model.requests, [])
  assert.deepStrictEqual(strangers, [])
  assert.deepStrictEqual(alive(), [])
})

/** What keeps Claude Code quiet is the doctor's to say. */
const talkative = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: undefined,
  DISABLE_TELEMETRY: undefined,
  DISABLE_ERROR_REPORTING: undefined,
  DISABLE_AUTOUPDATER: undefined,
}

/** The scripted model's key has a name that turns do not receive unless it is passed. */
const key = "Codex: agent-key warning"

/** `doctor`: what it says of a program, and of the same one once `logout` has run. `servers`: each with tools that it has. */
const machines = [
  {
    name: "Codex 0.153.4: its own MCP server works, and the agent server is for later ones",
    program: "codexNative" as const,
    login: "not-needed",
    always: ["Codex: agent-version warning", key],
    finding: "agent-version",
    says: /CodexTransportFactory\.native\(\)/,
    servers: [["Codex's own MCP server", "codex", "codex-reply"]],
    fix: "codex login",
    out: "Codex: agent-login problem",
  },
  {
    name: "Codex 0.171.0: the removed mcp-server and its replacement, which answers",
    program: "codex" as const,
    login: "not-needed",
    always: [key],
    finding: "agent-own-server",
    says: /removed in 0\.154.*zain-codex-mcp.*local\(\)/,
    servers: [["zain-codex-mcp", "codex", "codex-reply"]],
    fix: "codex login",
    out: "Codex: agent-login problem",
  },
  {
    name: "Claude Code 2.1.332: both servers answer",
    program: "claudeCode" as const,
    login: "in",
    servers: [
      ["zain-claude-code-mcp", "claude-code", "claude-code-reply"],
      ["Claude Code's own MCP server", "Agent"],
    ],
    fix: "claude auth login",
    out: "Claude Code: agent-login problem",
  },
]

/** Configurations with which no turn of a real agent succeeds. */
const wrong: ReadonlyArray<
  { readonly title: string; readonly kind: string; readonly says: RegExp; readonly env?: Record<string, undefined> } & (
    | { readonly toml: (usual: string) => string }
    | { readonly file: string; readonly text: string }
  )
> = [
  {
    title: "a value of Codex's configuration",
    toml: () => "model = 'm'\nmodel_provider = 7\n",
    kind: "agent-config",
    says: /Invalid configuration.*config\.toml:2:18: invalid type: integer `7`/,
  },
  {
    title: "a `profile` of Codex's configuration",
    toml: (usual) => `# Mine\nprofile = "x"\n${usual}\n[profiles.x]\nmodel = "n"\n`,
    kind: "agent-config",
    says: /legacy `profile = "x"` config is no longer supported.*Remove `profile` from \S*config\.toml:2,/,
  },
  {
    title: "a required MCP server of Codex",
    toml: (usual) => `${usual}\n[mcp_servers.gone]\ncommand = "/no/such/command"\nrequired = true\n`,
    kind: "agent-start",
    says: /required MCP servers failed to initialize: gone: No such file.*Correct \S*config\.toml:\d+,/,
  },
  {
    title: "a key of Codex's model provider",
    toml: (usual) => usual,
    env: { SCRIPTED_MODEL_API_KEY: undefined },
    kind: "agent-key",
    says: /SCRIPTED_MODEL_API_KEY, which is not set: every turn will fail\./,
  },
  {
    title: "settings of Claude Code that are no JSON",
    file: "claude/settings.json",
    text: '{ "permissions": { "deny": ["Bash(touch *)"] }, }',
    kind: "agent-config",
    says: /settings\.json: Invalid or malformed JSON/,
  },
  {
    title: "a value of Claude Code's settings",
    file: "claude/settings.json",
    text: '{ "permissions": { "deny": ["Bash(touch *)"], "defaultMode": "yolo" } }',
    kind: "agent-config",
    says: /settings\.json: permissions\.defaultMode: Invalid value/,
  },
  {
    title: "a rule of Claude Code's settings that is malformed",
    file: "claude/settings.json",
    text: '{ "permissions": { "deny": ["Bash(touch *"] } }',
    kind: "agent-config",
    says: /settings\.json: permissions\.deny: the rule "Bash\(touch \*" is malformed/,
  },
  {
    title: "a configuration of Claude Code that it refuses",
    file: "claude/.claude.json",
    text: '{ "mcpServers":',
    kind: "agent-protocol",
    says: /claude -p exited with code 1.*\.claude\.json/,
  },
]

describe("`zain doctor` with the real agents reports", () => {
  test.live.each(machines)(
    "$name, and a problem when it is logged out",
    function* ({ always = [], fix, login, name, out, program, ...known }) {
      const place = yield* DoctorPlace.make
      const { code, report, stdout } = yield* doctor(place, program, talkative)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(Zain.inShort(report.findings), always)
      const [agent] = report.agents
      assert.include(name, agent?.version ?? "no version")
      assert.strictEqual(agent?.login?.state, login)
      if (known.says !== undefined) {
        const { cause = "", what } = Zain.only(report.findings, known.finding)
        assert.match(what + cause, known.says)
      }
      assert.deepStrictEqual(
        report.servers.map(({ protocolVersion, subject }) => [subject, protocolVersion]),
        known.servers.map(([subject]) => [subject, "2025-11-25"]),
      )
      for (const [at, [, ...tools]] of known.servers.entries()) {
        assert.includeMembers([...(report.servers[at]?.lists["tools"]?.names ?? [])], tools)
      }
      assert.notInclude(stdout, place.directory)
      assert.notInclude(stdout, String(place.env["ANTHROPIC_API_KEY"]))
      rmSync(join(place.directory, "codex/config.toml"))
      const later = yield* doctor(place, program, { ...talkative, ANTHROPIC_API_KEY: undefined })
      assert.strictEqual(later.code, 1)
      assert.deepStrictEqual(Zain.inShort(later.report.findings), [...always.filter((one) => one !== key), out])
      assert.strictEqual(Zain.only(later.report.findings, "agent-login").fix, fix)
      yield* harmless(place)
    },
  )

  test.live.each(wrong)("a problem for $title, which `run` would meet", function* ({ kind, says, title, ...given }) {
    const place = yield* DoctorPlace.make
    const config = join(place.directory, "codex/config.toml")
    if ("toml" in given) writeFileSync(config, given.toml(readFileSync(config, "utf8")))
    else writeFileSync(join(place.directory, given.file), given.text)
    const { code, report } = yield* doctor(place, "toml" in given ? "codex" : "claudeCode", given.env)
    assert.strictEqual(code, 1)
    const found = Zain.only(
      report.findings.filter(({ status }) => status === "problem"),
      kind,
    )
    assert.match(`${found.what} ${found.cause} ${found.fix}`, says, title)
    assert.notInclude(JSON.stringify(report), "codex login")
    yield* harmless(place)
  })
})

/** The settings of a server that declares this, and has a tool `ping`. */
const having = (capabilities: object) => {
  const tools = [{ name: "ping", inputSchema: { type: "object" } }]
  return { capabilities, lists: { "tools/list": { tools } } }
}

describe("Claude Code and `zain mcp` agree on entries:", () => {
  test.live(
    "without capabilities no tools, a command beside a url and `disabled` connect, streamableHttp does not",
    function* () {
      const place = yield* DoctorPlace.make
      const url = "http://127.0.0.1:1/mcp"
      const mcpServers = {
        both: { ...FakeAgents.entry(having({ tools: {} })), url },
        off: { ...FakeAgents.entry(having({ tools: {} })), disabled: true },
        camel: { type: "streamableHttp", url },
        hidden: FakeAgents.entry(having({})),
      }
      writeFileSync(join(place.work, ".mcp.json"), JSON.stringify({ mcpServers }))
      const { stdout } = yield* place.agent("claudeCode", [
        ...["-p", "hello", "--output-format", "stream-json", "--verbose", "--strict-mcp-config"],
        ...["--mcp-config", ".mcp.json"],
      ])
      const init = JSON.parse(stdout.split("\n").find((line) => line.includes('"subtype":"init"')) ?? "{}") as {
        readonly mcp_servers: ReadonlyArray<{ readonly name: string; readonly status: string }>
        readonly tools: ReadonlyArray<string>
      }
      assert.sameMembers(
        init.mcp_servers.map(({ name, status }) => `${name} ${status}`),
        ["both connected", "off connected", "hidden connected"],
      )
      assert.sameMembers(
        init.tools.filter((name) => name.startsWith("mcp__")),
        ["mcp__both__ping", "mcp__off__ping"],
      )
      const { report } = read<Printed>(yield* place.zain(["mcp", "check", ".mcp.json", "--json"]))
      const said = report.servers.map(({ findings, name, status }) =>
        [name, status, ...findings.map(({ kind }) => kind)].join(),
      )
      assert.match(
        said.join("\n"),
        /^both,ok.*\noff,warning.*\ncamel,.*,entry-ignored.*\nhidden,problem.*,tools-undeclared/,
      )
      assert.deepStrictEqual(place.strangers, [])
    },
  )
})

describe("`zain mcp` reads the files of", () => {
  test.live("`claude mcp add` and `codex mcp add`", function* () {
    const place = yield* DoctorPlace.make
    const server = FakeAgents.serverCommand(having({ tools: {} }))
    const hidden = FakeAgents.serverCommand(having({}))
    const secret = "secret-of-a-server-1"
    const url = "http://127.0.0.1:1/mcp"
    const bearer = `Authorization: Bearer ${secret}`
    const additions = [
      ["claudeCode", "-s", "project", "good", "-e", `API_KEY=${secret}`, "--", ...server],
      ["claudeCode", "-s", "local", "hidden", "--", ...hidden],
      ["claudeCode", "-s", "user", "-t", "http", "web", url, "-H", bearer],
      ["codex", "good", "--env", `API_KEY=${secret}`, "--", ...server],
      ["codex", "web", "--url", url],
    ] as const
    for (const [agent, ...args] of additions) {
      const { exitCode, stderr } = yield* place.agent(agent, ["mcp", "add", ...args])
      assert.strictEqual(exitCode, 0, stderr)
    }
    const { CLAUDE_CONFIG_DIR = "", CODEX_HOME = "" } = place.env
    const files = [".mcp.json", join(CLAUDE_CONFIG_DIR, ".claude.json"), join(CODEX_HOME, "config.toml")]
    const list = read<Printed>(yield* place.zain(["mcp", "list", ...files, "--json"]))
    assert.strictEqual(list.code, 0)
    assert.deepStrictEqual(
      list.report.servers.map(({ name, transport }) => `${name} ${transport}`),
      ["good stdio", "web http", "hidden stdio", "good stdio", "web http"],
    )
    const ended = yield* place.zain(["mcp", "check", ...files, "--json"])
    const check = read<Printed>(ended)
    assert.strictEqual(check.code, 1)
    assert.deepStrictEqual(
      check.report.servers.map(({ name, status }) => `${name} ${status}`),
      ["good ok", "web problem", "hidden problem", "good ok", "web problem"],
    )
    assert.deepStrictEqual(check.report.servers[0]?.report?.lists["tools"]?.names, ["ping"])
    assert.lengthOf(ended.stderr.trim().split("\n"), 5)
    assert.notInclude(list.stdout + check.stdout + ended.stderr, secret)
    yield* harmless(place)
  })
})
