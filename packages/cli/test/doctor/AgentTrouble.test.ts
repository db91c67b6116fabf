/** `zain doctor` with broken agents, and with programs that it must not start. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { assert, describe } from "@effect/vitest"
import type { DoctorReport } from "../../src/doctor/Doctor.ts"
import type { Finding } from "../../src/doctor/Finding.ts"
import * as FakeAgents from "../../testing/doctor/FakeAgents.ts"
import * as Zain from "../../testing/doctor/Zain.ts"
import { inHome, limited, untilEmpty } from "../../testing/run/Home.ts"

const { doctor, examined } = Zain

describe("an agent's program that does not start", () => {
  inHome("is a problem, and the command is named once", function* (home) {
    const bin = join(home.path, "bin")
    mkdirSync(bin)
    writeFileSync(join(bin, "codex"), "#!/nowhere/sh\n", { mode: 0o755 })
    const { report } = yield* doctor(home, ["--provider", "codex"])
    const { what } = Zain.only(report.findings, "agent-version")
    assert.match(what, /^The command \S+codex was not found\. /)
    assert.lengthOf(what.split("codex"), 2, what)
  })
})

describe("zain doctor's findings about broken agents", () => {
  inHome("report the key's variable if it is unset, or set and not passed to turns", function* (home) {
    const asked = (env_key: string) => {
      const config = { model_provider: "mine", model_providers: { mine: { env_key } } }
      return examined(home, { ...FakeAgents.codex("0.169.0"), config }, { MY_KEY: "key", CODEX_KEY: "key" })
    }
    const key = (report: DoctorReport) =>
      report.findings.flatMap(({ fix, kind, status }) => (kind === "agent-key" ? [[status, fix]] : []))
    assert.deepStrictEqual(key((yield* asked("CODEX_KEY")).report), [])
    assert.deepStrictEqual(key((yield* asked("MY_KEY")).report), [["warning", "zain run --env MY_KEY"]])
    assert.deepStrictEqual(key((yield* asked("CODEX_OTHER")).report), [["problem", "export CODEX_OTHER=…"]])
    const { code, report } = yield* asked("OTHER")
    assert.deepStrictEqual([code, key(report)], [1, [["problem", "export OTHER=…, and zain run --env OTHER"]]])
  })

  inHome("report PATH without Node as the cause for an agent that is a script", function* (home) {
    const bin = join(home.path, "bin")
    mkdirSync(bin)
    writeFileSync(join(bin, "codex"), "#!/usr/bin/env node\n", { mode: 0o755 })
    const { report } = yield* doctor(home, ["--provider", "codex"], { PATH: bin })
    const { cause, fix } = Zain.only(report.findings, "agent-version")
    assert.match(cause ?? "", /^It is a script for Node, and no node is on PATH\./)
    assert.match(fix ?? "", /^export PATH="\$PATH:"\S*bin$/)
  })

  inHome.each([
    [
      "--version",
      "codex",
      "agent-version problem",
      "codex --version timed out after 1s. Last stderr output: Still thinking",
    ],
    [
      "app-server",
      "codex",
      "agent-protocol problem",
      "codex app-server timed out after 1s. Last stderr output: Still thinking",
    ],
    [
      "auth --help",
      "claude",
      "agent-login warning",
      "claude auth timed out after 1s. Last stderr output: Still thinking",
    ],
  ] as const)(
    "time out an agent that hangs at %s, and report its last stderr output",
    function* (home, [hangs, agent, short, what]) {
      FakeAgents.install(home, { ...(agent === "codex" ? FakeAgents.codex("0.169.0") : FakeAgents.claude()), hangs })
      const name = agent === "codex" ? "codex" : "claude-code"
      const isThere = ({ kind }: Finding) => kind === short.split(" ")[0]
      const [{ report }, seconds] = yield* limited(
        (limit) => doctor(home, ["--provider", name, "--timeout", `${limit} seconds`]),
        (ended) => ended.report.findings.some((one) => isThere(one) && one.what.includes("Last stderr output")),
      )
      const found = Zain.only(report.findings.filter(isThere), short.split(" ")[0] ?? "")
      assert.strictEqual(`${found.kind} ${found.status}`, short)
      assert.include(found.what, what.replace("1s", `${seconds}s`))
      assert.include(found.fix, "--timeout")
      yield* untilEmpty(home)
    },
  )

  inHome("report the exit code and last stderr output of an agent that ends", function* (home) {
    const { report } = yield* examined(home, FakeAgents.codex("0.169.0", "dead"))
    assert.deepStrictEqual(Zain.inShort(report.findings), ["Codex: agent-protocol problem"])
    assert.include(
      Zain.only(report.findings, "agent-protocol").what,
      "codex app-server exited with code 1 without an answer. Last stderr output: Error: stdin is not a terminal",
    )
  })
})

describe("zain doctor (promise 18)", () => {
  inHome("starts no turn, and leaves no process", function* (home) {
    FakeAgents.install(home, FakeAgents.codex("0.169.0"))
    FakeAgents.install(home, FakeAgents.claude())
    yield* doctor(home)
    const codex = FakeAgents.asked(home, "codex")
    assert.strictEqual(codex[0], "--version")
    assert.match(codex[1] ?? "", /app-server$/)
    assert.lengthOf(codex, 3)
    assert.deepStrictEqual(FakeAgents.asked(home, "claude"), [
      "--version",
      "auth --help",
      "auth status --json",
      "-p --input-format=stream-json --output-format=stream-json --verbose --include-partial-messages --permission-prompt-tool=stdio --setting-sources=user",
      "--setting-sources=user mcp serve",
    ])
    yield* untilEmpty(home)
  })

  inHome.each(["relative", "absolute"])(
    "starts no agent of the working directory by a %s entry of PATH",
    function* (home, how) {
      const folder = join(home.work, "node_modules/.bin")
      FakeAgents.install(home, FakeAgents.codex("0.169.0"), folder)
      const entry = how === "absolute" ? folder : relative(home.work, folder)
      const PATH = FakeAgents.pathOf(home, entry)
      const { code, report } = yield* doctor(home, ["--provider", "codex"], { PATH })
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(Zain.inShort(report.findings), [
        "Codex: agent-passed-over warning",
        "Codex: agent-missing problem",
      ])
      assert.deepStrictEqual(FakeAgents.asked(home, "codex"), [])
    },
  )

  inHome(
    "starts no program of the repository around the working directory, nor of packages above it, also for --server",
    function* (home) {
      const cwd = join(home.path, "team/repository/packages/one")
      const folders = ["team/node_modules/.bin", "team/repository/tools"].map((name) => join(home.path, name))
      mkdirSync(join(home.path, "team/repository/.git"), { recursive: true })
      writeFileSync(join(home.path, "team/repository/.git/HEAD"), "ref: refs/heads/main\n")
      // A file named `.git` hides no repository.
      mkdirSync(join(cwd, ".git"), { recursive: true })
      for (const folder of folders) FakeAgents.install(home, FakeAgents.codex("0.169.0"), folder)
      const env = { PATH: FakeAgents.pathOf(home, ...folders), HOME: join(home.path, "other") }
      const there = { ...home, work: cwd }
      const { report } = yield* doctor(there, ["--provider", "codex"], env)
      assert.deepStrictEqual(Zain.inShort(report.findings), [
        "Codex: agent-passed-over warning",
        "Codex: agent-passed-over warning",
        "Codex: agent-missing problem",
      ])
      const server = yield* doctor(there, ["--server", "codex mcp-server"], env)
      assert.include(Zain.only(server.report.findings, "handshake").what, "The command codex was not found")
      assert.deepStrictEqual(FakeAgents.asked(home, "codex"), [])
    },
  )

  inHome("finds a user's own program when the working directory is the home directory", function* (home) {
    const folder = join(home.work, "bin")
    mkdirSync(folder)
    FakeAgents.install(home, FakeAgents.codex("0.169.0"), folder)
    const env = { PATH: FakeAgents.pathOf(home, folder), HOME: home.work }
    const { code, report } = yield* doctor(home, ["--provider", "codex"], env)
    assert.strictEqual(code, 0)
    assert.strictEqual(report.agents[0]?.program, "~/bin/codex")
  })
})
