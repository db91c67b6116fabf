import { assert, describe, it } from "@effect/vitest"
import { alive, descendants, type OwnProcess, withEnvironment } from "../src/OwnProcesses.ts"
import * as Programs from "../src/Programs.ts"

const demo = "examples/demo/main.ts"

describe("pnpm demo", () => {
  it("drives both agents, prints progress and text, asks before it writes, and leaves no process behind", () =>
    Programs.inPrivate(async (directory) => {
      const program = Programs.start(demo, { TMPDIR: directory })
      const seen: Array<OwnProcess> = []
      program.stdout?.on("data", (piece) => {
        if (/Approved by a rule/.test(piece)) seen.push(...descendants(program.pid ?? 0))
      })
      const { exitCode, stderr, stdout } = await Programs.end(program)
      assert.strictEqual(exitCode, 0, stderr)
      assert.match(stdout, /their models are scripts/)
      assert.match(stdout, /codex .*session [0-9a-f-]{36} is open {2}\d+ ms/)
      assert.match(stdout, /claude-code .*session [0-9a-f-]{36} is open {2}\d+ ms/)
      assert.strictEqual(stdout.match(/< The word was \w+\. {2}\d+ ms/g)?.length, 2)
      assert.strictEqual(
        stdout.match(/\? .*word\.txt.*\n {12}! Approved by a rule.*\n {12}< It is written\. {2}\d+ ms/g)?.length,
        2,
      )
      assert.match(stdout, /remembered\. Both asked before they wrote\.\n$/)
      assert.match(stderr, /codex: opening a session/)
      assert.notInclude(stdout + stderr, "\u001b", "colours are for terminals")
      for (const agent of ["zain-codex-mcp", "codex app-server", "zain-claude-code-mcp", "/claude"]) {
        assert.include(seen.map(({ command }) => command).join("\n"), agent)
      }
      assert.deepStrictEqual([...withEnvironment(directory), ...alive(seen)], [])
    }))

  it("prints one JSON object a line for machines", () =>
    Programs.inPrivate(async (directory) => {
      const { stdout } = await Programs.end(Programs.start(demo, { TMPDIR: directory }, ["--json"]))
      const facts = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      const steps = ["open", "execute", "execute", "approval", "execute", "close"]
      const events = facts.filter(({ step }) => step === "event")
      assert.deepStrictEqual(
        facts.filter((fact) => !events.includes(fact)).map(({ step }) => step),
        [...steps, ...steps, "summary"],
      )
      for (const provider of ["codex", "claude-code"]) {
        const emitted = events.filter((fact) => fact.provider === provider).map(({ event }) => event)
        const answers = facts.filter((fact) => fact.provider === provider && fact.step === "execute")
        assert.strictEqual(
          emitted.flatMap(({ _tag, text }) => (_tag === "TextDelta" ? [text] : [])).join(""),
          answers.map(({ content }) => content).join(""),
        )
        const asked = emitted.filter(({ _tag }) => /^Approval/.test(_tag)).map(({ _tag }) => _tag)
        assert.deepStrictEqual(asked, ["ApprovalAsked", "ApprovalDecided"])
      }
      assert.deepStrictEqual(withEnvironment(directory), [])
      assert.deepInclude(facts.at(-1), { ok: true, remembered: true, asked: true })
    }))

  it("prints how to install an agent that is missing, and exits with 1", () =>
    Programs.inPrivate(async (directory) => {
      const env = { ZAIN_LIVE: "1", PATH: directory, HOME: directory }
      const { exitCode, stderr } = await Programs.end(Programs.start(demo, env))
      assert.strictEqual(exitCode, 1)
      assert.match(
        stderr,
        /ConnectionUnavailable \(spawn-failed\): The program codex was not found on PATH \(\S*\)\. Install it/,
      )
    }))

  it.each(["opening a session", "working"])(
    "ends its agents when it is interrupted while %s, and exits with 130",
    (step) =>
      Programs.inPrivate(async (directory) => {
        const program = Programs.start(demo, { TMPDIR: directory })
        program.stderr?.on("data", (piece) => {
          if (String(piece).includes(step)) program.kill("SIGINT")
        })
        assert.strictEqual((await Programs.end(program)).exitCode, 130)
        assert.deepStrictEqual(withEnvironment(directory), [])
      }),
  )
})
