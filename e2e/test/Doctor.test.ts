/** `zain doctor` and `zain mcp` with the real agents (issue 6, "Done when"). */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { test } from "../../packages/core/test/Test.ts"
import * as DoctorPlace from "../src/DoctorPlace.ts"
import { root } from "../src/Programs.ts"

type Place = Effect.Success<typeof DoctorPlace.make>

interface Finding {
  readonly kind: string
  readonly status: string
  readonly subject: string
  readonly what: string
  readonly cause?: string
  readonly fix?: string
}
interface Listed {
  readonly name: string
  readonly transport: string
  readonly target: string
  readonly status: string
  readonly report?: { readonly lists: Readonly<Record<string, { readonly names?: ReadonlyArray<string> }>> }
}
interface Report {
  readonly status: string
  readonly agents: ReadonlyArray<{
    readonly name: string
    readonly version?: string
    readonly login?: { readonly state: string }
  }>
  readonly servers: ReadonlyArray<{
    readonly subject: string
    readonly protocolVersion?: string
    readonly lists: Readonly<Record<string, { readonly names?: ReadonlyArray<string> }>>
  }>
  readonly findings: ReadonlyArray<Finding>
}

const read = <A = Report>({ exitCode, stderr, stdout }: Effect.Success<ReturnType<Place["zain"]>>) => {
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
const notWell = ({ findings }: Report) =>
  findings.flatMap(({ kind, status, subject }) => (status === "ok" ? [] : [`${subject}: ${kind} ${status}`]))
const only = ({ findings }: Report, kind: string): Finding => {
  const [found, ...others] = findings.filter((one) => one.kind === kind)
  assert.lengthOf(others, 0)
  return found ?? assert.fail(`There is no finding ${kind}.`)
}

/** No turn, nobody outside, nobody left. */
const harmless = Effect.fnUntraced(function* ({ alive, model, strangers }: Place) {
  assert.deepStrictEqual(yield* model.requests, [])
  assert.deepStrictEqual(strangers, [])
  assert.deepStrictEqual(alive(), [])
})

/** What keeps Claude Code quiet is the doctor's to say. */
const talkative = Object.fromEntries(
  [
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_AUTOUPDATER",
  ].map((name) => [name, undefined]),
)

/** `doctor`: what it says of a program, and of the same one once `logout` has run. `servers`: each with tools that it has. */
const machines: ReadonlyArray<{
  readonly name: string
  readonly program: DoctorPlace.Agent
  readonly login: string
  readonly always?: ReadonlyArray<string>
  readonly says?: readonly [kind: string, words: RegExp]
  readonly servers: ReadonlyArray<readonly [subject: string, ...tools: ReadonlyArray<string>]>
  readonly fix: string
  readonly out: string
}> = [
  {
    name: "Codex 0.153.4: its own MCP server works, and the agent server is for later ones",
    program: "codexNative",
    login: "not-needed",
    always: ["Codex: agent-version warning"],
    says: ["agent-version", /CodexTransportFactory\.native\(\)/],
    servers: [["Codex's own MCP server", "codex", "codex-reply"]],
    fix: "codex login",
    out: "Codex: agent-login problem",
  },
  {
    name: "Codex 0.169.0: the removed mcp-server and its replacement, which answers",
    program: "codex",
    login: "not-needed",
    says: ["agent-own-server", /removed in 0\.154.*zain-codex-mcp.*local\(\)/],
    servers: [["zain-codex-mcp", "codex", "codex-reply"]],
    fix: "codex login",
    out: "Codex: agent-login problem",
  },
  {
    name: "Claude Code 2.1.329: both servers answer",
    program: "claudeCode",
    login: "in",
    servers: [
      ["zain-claude-code-mcp", "claude-code", "claude-code-reply"],
      ["Claude Code's own MCP server", "Agent"],
    ],
    fix: "claude auth login",
    out: "Claude Code: agent-login problem",
  },
]

describe("zain doctor with the real agents", () => {
  test.live.each(machines)(
    "$name; logged out is a problem",
    function* ({ always = [], fix, login, name, out, program, ...known }) {
      const place = yield* DoctorPlace.make
      const { code, report, stdout } = yield* doctor(place, program, talkative)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(notWell(report), always)
      const [agent] = report.agents
      assert.include(name, agent?.version ?? "no version")
      assert.strictEqual(agent?.login?.state, login)
      if (known.says !== undefined) {
        const { cause = "", what } = only(report, known.says[0])
        assert.match(what + cause, known.says[1])
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
      assert.deepStrictEqual(notWell(later.report), [...always, out])
      assert.strictEqual(only(later.report, "agent-login").fix, fix)
      yield* harmless(place)
    },
  )

  test.live(
    "Codex 0.169.0: a configuration that it cannot use is a problem, where it would report a login",
    function* () {
      const place = yield* DoctorPlace.make
      writeFileSync(join(place.directory, "codex/config.toml"), "model = 'm'\nmodel_provider = 7\n")
      const { code, report } = yield* doctor(place, "codex")
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(notWell(report), ["Codex: agent-config problem"])
      assert.match(
        only(report, "agent-config").what,
        /Invalid configuration.*config\.toml:2:18: invalid type: integer `7`/,
      )
      assert.notInclude(JSON.stringify(report), "codex login")
      yield* harmless(place)
    },
  )
})

/** The words of a command line of a server that declares this, and has a tool `ping`. */
const toldTo = (capabilities: object) => [
  process.execPath,
  join(root, "packages/cli/test/doctor/fixtures/server.mjs"),
  JSON.stringify({
    capabilities,
    lists: { "tools/list": { tools: [{ name: "ping", inputSchema: { type: "object" } }] } },
  }),
]

describe("what Claude Code makes of an entry, and what zain mcp says of it", () => {
  test.live(
    "no capabilities: no tool of it; a command beside a url, and `disabled`: it connects; streamableHttp: none",
    function* () {
      const place = yield* DoctorPlace.make
      const entry = (capabilities: object, rest: object = {}) => {
        const [command, ...args] = toldTo(capabilities)
        return { command, args, ...rest }
      }
      const url = "http://127.0.0.1:1/mcp"
      const mcpServers = {
        both: entry({ tools: {} }, { url }),
        off: entry({ tools: {} }, { disabled: true }),
        camel: { type: "streamableHttp", url },
        hidden: entry({}),
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
      const { report } = read<{ servers: ReadonlyArray<Listed & { findings: ReadonlyArray<Finding> }> }>(
        yield* place.zain(["mcp", "check", ".mcp.json", "--json"]),
      )
      const said = Object.fromEntries(
        report.servers.map(({ findings, name, status }) => [
          name,
          [status, ...findings.map(({ kind }) => kind)].join(),
        ]),
      )
      assert.match(said["both"] ?? "", /^ok/)
      assert.match(said["off"] ?? "", /^warning/)
      assert.match(said["camel"] ?? "", /,entry-ignored/)
      assert.match(said["hidden"] ?? "", /^problem.*,tools-undeclared/)
      assert.deepStrictEqual(place.strangers, [])
    },
  )
})

describe("zain mcp with files that the real agents have written", () => {
  test.live("claude mcp add, and codex mcp add", function* () {
    const place = yield* DoctorPlace.make
    const server = toldTo({ tools: {} })
    const [hidden, secret] = [toldTo({}), "secret-of-a-server-1"]
    const added = [
      yield* place.agent("claudeCode", [
        ...["mcp", "add", "-s", "project", "good", "-e", `API_KEY=${secret}`, "--"],
        ...server,
      ]),
      yield* place.agent("claudeCode", ["mcp", "add", "-s", "local", "hidden", "--", ...hidden]),
      yield* place.agent("claudeCode", [
        ...["mcp", "add", "-s", "user", "-t", "http", "web", "http://127.0.0.1:1/mcp"],
        ...["-H", `Authorization: Bearer ${secret}`],
      ]),
      yield* place.agent("codex", ["mcp", "add", "good", "--env", `API_KEY=${secret}`, "--", ...server]),
      yield* place.agent("codex", ["mcp", "add", "web", "--url", "http://127.0.0.1:1/mcp"]),
    ]
    assert.deepStrictEqual(
      added.map(({ exitCode, stderr }) => [exitCode, stderr]).filter(([code]) => code !== 0),
      [],
    )
    const { CLAUDE_CONFIG_DIR = "", CODEX_HOME = "" } = place.env
    const files = [".mcp.json", join(CLAUDE_CONFIG_DIR, ".claude.json"), join(CODEX_HOME, "config.toml")]
    const list = read<{ servers: ReadonlyArray<Listed> }>(yield* place.zain(["mcp", "list", ...files, "--json"]))
    assert.strictEqual(list.code, 0)
    assert.deepStrictEqual(
      list.report.servers.map(({ name, transport }) => `${name} ${transport}`),
      ["good stdio", "web http", "hidden stdio", "good stdio", "web http"],
    )
    const { stderr, ...ended } = yield* place.zain(["mcp", "check", ...files, "--json"])
    const check = read<{ servers: ReadonlyArray<Listed> }>({ stderr, ...ended })
    assert.strictEqual(check.code, 1)
    assert.deepStrictEqual(
      check.report.servers.map(({ name, status }) => `${name} ${status}`),
      ["good ok", "web problem", "hidden problem", "good ok", "web problem"],
    )
    assert.deepStrictEqual(check.report.servers[0]?.report?.lists["tools"]?.names, ["ping"])
    assert.lengthOf(stderr.trim().split("\n"), 5)
    assert.notInclude(list.stdout + check.stdout + stderr, secret)
    yield* harmless(place)
  })
})
