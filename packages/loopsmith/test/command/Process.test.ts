/**
 * The command as people start it: its agents, its signals, its exit codes and what it says.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { home, until, untilDead } from "./Command.ts"

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "0" } },
}
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }
const evaluate = (content: string, id = 2) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "evaluate_document", arguments: { content } },
})

/** A port that was free a moment ago. */
const freePort = Effect.promise(
  () =>
    new Promise<number>((resolve, reject) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const address = server.address()
        server.close(() => (typeof address === "object" && address !== null ? resolve(address.port) : reject(address)))
      })
    }),
)

describe("loopsmith serve", () => {
  it.live("serves over stdio with a formula, writes nothing but messages, and ends with its input", () =>
    Effect.gen(function* () {
      const server = yield* (yield* home).run(["serve", "stdio"], { USE_MOCK_EVALUATOR: "true" })
      for (const message of [initialize, initialized, evaluate("# T\n- a\n```x```")]) server.send(message)
      yield* server.says("output", /"id":2/)
      server.child.stdin.end()
      assert.strictEqual(yield* server.exit, 0)
      const answers = server
        .output()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.strictEqual(answers[0].result.serverInfo.name, "loopsmith")
      assert.deepInclude(answers[1].result.structuredContent, { score: 5.2, pass: false })
      assert.strictEqual(answers.length, 2)
      assert.match(server.errors(), /^\S+Z INFO {2}evaluated .*score=5\.2/m)
      assert.notInclude(server.errors(), "# T")
    }),
  )

  it.live("listens at ws://127.0.0.1 until SIGTERM, and frees the port (LoopSmith 2, LoopSmith 8)", () =>
    Effect.gen(function* () {
      const { run } = yield* home
      const port = yield* freePort
      for (const kind of ["ws", "http"]) {
        const server = yield* run(["serve", kind, "--judge", "mock", "--json"], { MCP_PORT: String(port) })
        const line = JSON.parse(yield* server.says("output", /^(.*)\n/))
        assert.deepStrictEqual(line, { url: `${kind}://127.0.0.1:${port}/mcp` })
        const second = yield* run(["serve", kind, "--judge", "mock", "--port", String(port)])
        assert.strictEqual(yield* second.exit, 1)
        assert.match(
          second.errors(),
          new RegExp(`^loopsmith: Cannot listen on 127\\.0\\.0\\.1, port ${port}.*--port\\.\n$`),
        )
        server.child.kill("SIGTERM")
        assert.strictEqual(yield* server.exit, 143)
      }
    }),
  )

  it.live("ends the agent of an evaluation under way at SIGTERM (LoopSmith 8)", () =>
    Effect.gen(function* () {
      const { agent, path, run, starts } = yield* home
      const server = yield* run(["serve", "stdio", "--judge", "claude-code", "--judge-command", agent("hang")])
      for (const message of [initialize, initialized, evaluate("# T")]) server.send(message)
      yield* until(() => starts().length === 1)
      server.child.kill("SIGTERM")
      assert.strictEqual(yield* server.exit, 143)
      yield* untilDead(starts().map(({ pid }) => pid))
      assert.deepStrictEqual(
        readdirSync(path).filter((name) => name.startsWith("loopsmith-")),
        [],
      )
    }),
  )

  it.live(
    "answers a client whose judge failed with -32603 and the last cause, without secrets (LoopSmith 7, LoopSmith 11)",
    () =>
      Effect.gen(function* () {
        const { agent, run } = yield* home
        const env = { MY_API_KEY: "swordfish-1234", LOG_LEVEL: "debug" }
        const options = ["--judge", "claude-code", "--judge-command", agent("leak", "MY_API_KEY"), "--attempts", "1"]
        const server = yield* run(["serve", "stdio", ...options, "--env", "MY_API_KEY"], env)
        for (const message of [initialize, initialized, evaluate("# T")]) server.send(message)
        const { error } = JSON.parse(yield* server.says("output", /^(.*"id":2.*)\n/m))
        assert.strictEqual(error.code, -32603)
        assert.deepInclude(error.data, { retryable: true, attempts: 1 })
        assert.include(error.data.details, "The key <redacted> was refused. Bearer <redacted> was too.")
        yield* server.says("errors", /WARN/)
        for (const said of [server.output(), server.errors()]) assert.notMatch(said, /swordfish|somebody-else/)
        assert.include(server.errors(), "The key <redacted> was refused.")
      }),
  )

  const refused: ReadonlyArray<
    readonly [args: string, env: Readonly<Record<string, string>>, code: number, said: string]
  > = [
    ["serve --nope", {}, 2, "See loopsmith serve --help."],
    [
      "serve",
      { MCP_PORT: "http" },
      2,
      'MCP_PORT takes a whole number from 0 to 65535, not "http". See loopsmith serve --help.',
    ],
    ["serve", {}, 1, "The judge is Codex, and there is no program codex on PATH"],
    ["serve stdio --judge claude-code", {}, 1, 'Install it with "npm install --global @anthropic-ai/claude-code"'],
    ["serve --host 0.0.0.0 --judge mock", {}, 1, "token"],
    ["improve missing.md", {}, 1, "missing.md: It cannot be read: there is no such file or directory."],
    ["improve", {}, 2, "See loopsmith improve --help."],
    ["polish", {}, 2, "See loopsmith --help."],
  ]
  for (const [args, env, code, said] of refused)
    it.live(`says in one line why it does not start, and exits with ${code}: ${args} ${JSON.stringify(env)}`, () =>
      Effect.gen(function* () {
        const command = yield* (yield* home).run(args.split(" "), env)
        assert.strictEqual(yield* command.exit, code)
        assert.match(command.errors(), /^loopsmith: [^\n]*\.\n$/)
        assert.include(command.errors(), said)
        assert.strictEqual(command.output(), "")
      }),
    )

  it.live("tells its version and its help", () =>
    Effect.gen(function* () {
      const { run } = yield* home
      for (const [args, said] of [
        ["--version", /^\d+\.\d+\.\d+\n$/],
        ["improve --help", /^Usage: loopsmith improve/m],
      ] as const) {
        const command = yield* run(args.split(" "))
        assert.strictEqual(yield* command.exit, 0)
        assert.match(command.output(), said)
        assert.strictEqual(command.errors(), "")
      }
    }),
  )
})

describe("loopsmith improve", () => {
  const agents = (judge: string, writer: string) =>
    ["--judge", "claude-code", "--judge-command", judge, "--writer-command", writer] as const

  it.live("drives two agents to the target, and tells each step in a line (LoopSmith 10)", () =>
    Effect.gen(function* () {
      const { agent, file, run, starts } = yield* home
      writeFileSync(file("guide.md"), "# Guide\n$& {{clarity_weight}} 日本語\n")
      const command = yield* run(["improve", "guide.md", ...agents(agent("judge", "5.5,6.9,8.2"), agent("write"))])
      assert.strictEqual(yield* command.exit, 0)
      const original = "# Guide\n$& {{clarity_weight}} 日本語\n"
      assert.strictEqual(readFileSync(file("guide.md"), "utf8"), original)
      assert.strictEqual(readFileSync(file("guide.improved.md"), "utf8"), `${original}Better.\nBetter.\n`)
      assert.isTrue(existsSync(file("guide.report.html")))
      const steps = command
        .errors()
        .split("\n")
        .filter((line) => /^Iteration|Score/.test(line.trim()))
      assert.match(steps.at(-1) ?? "", /^The target is reached\. Score 5\.5 → 8\.2/)
      assert.strictEqual(steps.length, 7)
      assert.strictEqual(command.output(), "")
      assert.deepStrictEqual(
        starts().map(({ act }) => act),
        ["judge", "write", "judge", "write", "judge"],
      )
      yield* untilDead(starts().map(({ pid }) => pid))
    }),
  )

  it.live("gives its agents an empty directory of their own, and no tools: a document can ask them for nothing", () =>
    Effect.gen(function* () {
      const { agent, file, run, starts } = yield* home
      writeFileSync(file("guide.md"), "# Guide\n")
      const command = yield* run(["improve", "guide.md", ...agents(agent("judge", "5,9"), agent("write")), "--quiet"])
      assert.strictEqual(yield* command.exit, 0)
      assert.strictEqual(command.errors(), "")
      assert.strictEqual(starts().length, 3)
      for (const { args, cwd, files } of starts()) {
        assert.include(args, "--disallowed-tools=*")
        assert.include(args, "--permission-mode=dontAsk")
        assert.deepStrictEqual(files, [])
        assert.include(cwd, "loopsmith-")
        assert.isFalse(existsSync(cwd))
      }
    }),
  )

  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)
    it.live(`keeps the best document and says so at ${signal}, and leaves no process (LoopSmith 8)`, () =>
      Effect.gen(function* () {
        const { agent, file, run, starts } = yield* home
        writeFileSync(file("guide.md"), "# Guide\n")
        const judge = agent("judge", "5,6,1,1,1")
        const command = yield* run(["improve", "guide.md", ...agents(judge, agent("write")), "--json"])
        yield* command.says("output", /"_tag":"RewriteStarted","iteration":2/)
        command.child.kill(signal)
        assert.strictEqual(yield* command.exit, code)
        const last = JSON.parse(command.output().trim().split("\n").at(-1) ?? "")
        const document = file("guide.improved.md")
        assert.deepInclude(last, { _tag: "Ended", stop: "cancelled", score: 6, best: 2, document })
        assert.strictEqual(readFileSync(document, "utf8"), "# Guide\nBetter.\n")
        assert.include(readFileSync(file("guide.report.html"), "utf8"), "cancelled")
        yield* untilDead(starts().map(({ pid }) => pid))
      }),
    )

  it.live("reads standard input and writes standard output", () =>
    Effect.gen(function* () {
      const { agent, file, run } = yield* home
      const command = yield* run(["improve", "-", ...agents(agent("judge", "5,9"), agent("write")), "-q"])
      command.child.stdin.end("# Guide\n")
      assert.strictEqual(yield* command.exit, 0)
      assert.strictEqual(command.output(), "# Guide\nBetter.\n")
      assert.deepStrictEqual(readdirSync(file(".")), [])
    }),
  )

  it.live("ends below the target with 3, and with 1 and the reason when its judge fails", () =>
    Effect.gen(function* () {
      const { agent, file, run } = yield* home
      writeFileSync(file("guide.md"), "# Guide\n")
      const below = yield* run([
        "improve",
        "guide.md",
        ...agents(agent("judge", "5"), agent("write")),
        "--iterations",
        "1",
      ])
      assert.strictEqual(yield* below.exit, 3)
      assert.include(below.errors(), "The iterations are used up")
      const options = ["--attempts", "1", "--env", "MY_API_KEY"]
      const failed = yield* run(
        ["improve", "guide.md", ...agents(agent("leak", "MY_API_KEY"), agent("write")), ...options],
        { MY_API_KEY: "swordfish-1234" },
      )
      assert.strictEqual(yield* failed.exit, 1)
      assert.include(failed.errors(), "It failed.")
      assert.include(failed.errors(), "<redacted>")
      assert.notMatch(failed.errors(), /swordfish|somebody-else/)
    }),
  )
})
