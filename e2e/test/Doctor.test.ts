/** `zain doctor` and `zain mcp` with the real agents (issue 6, "Done when"). */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
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
    readonly capabilities?: Readonly<Record<string, unknown>>
    readonly steps: ReadonlyArray<{ readonly name: string; readonly isOk: boolean }>
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

describe("zain doctor with the real agents", () => {
  it.live("Codex 0.153.4: its own MCP server works, and the agent server is for later ones", () =>
    Effect.gen(function* () {
      const place = yield* DoctorPlace.make
      const { code, report } = yield* doctor(place, "codexNative")
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(notWell(report), ["Codex: agent-version warning"])
      assert.include(only(report, "agent-version").cause, "CodexTransportFactory.native()")
      assert.deepInclude(report.agents[0], { version: "0.153.4", login: { state: "not-needed" } })
      const [own] = report.servers
      assert.strictEqual(own?.subject, "Codex's own MCP server")
      assert.strictEqual(own?.protocolVersion, "2025-11-25")
      assert.deepStrictEqual(own?.capabilities, { tools: { listChanged: true } })
      assert.deepStrictEqual(own?.lists["tools"]?.names, ["codex", "codex-reply"])
      rmSync(join(place.directory, "codex/config.toml"))
      const out = yield* doctor(place, "codexNative")
      assert.deepStrictEqual(notWell(out.report), ["Codex: agent-version warning", "Codex: agent-login problem"])
      yield* harmless(place)
    }),
  )

  it.live("Codex 0.169.0: the removed mcp-server and its replacement, which answers; logged out is a problem", () =>
    Effect.gen(function* () {
      const place = yield* DoctorPlace.make
      const { code, report } = yield* doctor(place, "codex")
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(notWell(report), [])
      assert.match(only(report, "agent-own-server").what, /removed in 0\.154.*zain-codex-mcp.*local\(\)/)
      assert.deepInclude(report.agents[0], { version: "0.169.0", login: { state: "not-needed" } })
      const [server] = report.servers
      assert.strictEqual(server?.subject, "zain-codex-mcp")
      assert.deepStrictEqual(server?.lists["tools"]?.names, ["codex", "codex-reply"])
      assert.deepStrictEqual(
        server?.steps.map(({ isOk, name }) => `${name} ${isOk}`),
        ["open true", "initialize true", "tools/list true"],
      )
      rmSync(join(place.directory, "codex/config.toml"))
      const out = yield* doctor(place, "codex")
      assert.strictEqual(out.code, 1)
      assert.deepStrictEqual(notWell(out.report), ["Codex: agent-login problem"])
      assert.strictEqual(only(out.report, "agent-login").fix, "codex login")
      yield* harmless(place)
    }),
  )

  it.live(
    "Codex 0.169.0: a configuration that it cannot use is a problem, where it would say that it is logged out",
    () =>
      Effect.gen(function* () {
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
      }),
  )

  it.live("Claude Code: both servers answer; logged out is a problem", () =>
    Effect.gen(function* () {
      const place = yield* DoctorPlace.make
      const { code, report, stdout } = yield* doctor(place, "claudeCode", talkative)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(notWell(report), [])
      assert.deepInclude(report.agents[0], { version: "2.1.329" })
      assert.strictEqual(report.agents[0]?.login?.state, "in")
      const [server, own] = report.servers
      assert.deepStrictEqual(server?.lists["tools"]?.names, ["claude-code", "claude-code-reply"])
      assert.include(own?.lists["tools"]?.names ?? [], "Agent")
      assert.notInclude(stdout, place.directory)
      assert.notInclude(stdout, String(place.env["ANTHROPIC_API_KEY"]))
      const out = yield* doctor(place, "claudeCode", { ...talkative, ANTHROPIC_API_KEY: undefined })
      assert.strictEqual(out.code, 1)
      assert.deepStrictEqual(notWell(out.report), ["Claude Code: agent-login problem"])
      assert.strictEqual(only(out.report, "agent-login").fix, "claude auth login")
      yield* harmless(place)
    }),
  )
})

const toldServer = join(root, "packages/cli/test/doctor/fixtures/server.mjs")
const toldTo = (capabilities: object) => [
  toldServer,
  JSON.stringify({
    capabilities,
    lists: { "tools/list": { tools: [{ name: "ping", inputSchema: { type: "object" } }] } },
  }),
]

/** The servers and tools that Claude Code has by a configuration, or by a file of one. */
const offered = (place: Place, config: string) =>
  Effect.map(
    place.agent("claudeCode", [
      ...["-p", "hello", "--output-format", "stream-json", "--verbose", "--strict-mcp-config"],
      ...["--mcp-config", config],
    ]),
    ({ stdout }) => {
      const init = stdout.split("\n").find((line) => line.includes('"subtype":"init"')) ?? "{}"
      const { mcp_servers = [], tools = [] } = JSON.parse(init) as {
        readonly mcp_servers?: ReadonlyArray<{ readonly name: string; readonly status: string }>
        readonly tools?: ReadonlyArray<string>
      }
      return { servers: mcp_servers.map(({ name, status }) => `${name} ${status}`), tools }
    },
  )

describe("a server that declares empty capabilities", () => {
  it.live("is what the real Claude Code takes no tool from, which the doctor says; tools: {} is enough for both", () =>
    Effect.gen(function* () {
      const place = yield* DoctorPlace.make
      for (const [capabilities, isOffered] of [
        [{}, false],
        [{ tools: {} }, true],
      ] as const) {
        const command = [process.execPath, ...toldTo(capabilities)]
        const config = { mcpServers: { told: { command: command[0], args: command.slice(1) } } }
        const { servers, tools } = yield* offered(place, JSON.stringify(config))
        assert.deepStrictEqual(servers, ["told connected"])
        assert.strictEqual(tools.includes("mcp__told__ping"), isOffered)
        const line = command.map((word) => `'${word}'`).join(" ")
        const { code, report } = read(yield* place.zain(["doctor", "--server", line, "--json"]))
        assert.strictEqual(code, isOffered ? 0 : 1)
        assert.deepStrictEqual(
          report.findings.map(({ kind }) => kind),
          ["platform", "handshake", isOffered ? "tools" : "tools-undeclared"],
        )
      }
      assert.deepStrictEqual(place.strangers, [])
    }),
  )
})

describe("what Claude Code makes of an entry, and what zain mcp says of it", () => {
  it.live("a command beside a url, and `disabled`: it connects; streamableHttp is left out", () =>
    Effect.gen(function* () {
      const place = yield* DoctorPlace.make
      const [command, ...args] = [process.execPath, ...toldTo({ tools: {} })]
      const url = "http://127.0.0.1:1/mcp"
      const mcpServers = {
        both: { command, args, url },
        off: { command, args, disabled: true },
        camel: { type: "streamableHttp", url },
      }
      writeFileSync(join(place.work, ".mcp.json"), JSON.stringify({ mcpServers }))
      const { servers } = yield* offered(place, ".mcp.json")
      assert.deepStrictEqual(servers.toSorted(), ["both connected", "off connected"])
      const { report } = read<{ servers: ReadonlyArray<Listed & { findings: ReadonlyArray<Finding> }> }>(
        yield* place.zain(["mcp", "check", ".mcp.json", "--json"]),
      )
      assert.deepStrictEqual(
        report.servers.slice(0, 2).map(({ name, status }) => `${name} ${status}`),
        ["both ok", "off warning"],
      )
      assert.include(
        (report.servers[2]?.findings ?? []).map(({ kind }) => kind),
        "entry-ignored",
      )
    }),
  )
})

describe("zain mcp with files that the real agents have written", () => {
  it.live("claude mcp add, and codex mcp add", () =>
    Effect.gen(function* () {
      const place = yield* DoctorPlace.make
      const server = [process.execPath, ...toldTo({ tools: {} })]
      const [hidden, secret] = [[process.execPath, ...toldTo({})], "secret-of-a-server-1"]
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
    }),
  )
})
