import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { withEnvironment } from "../src/OwnProcesses.ts"
import * as Programs from "../src/Programs.ts"

const demo = "examples/demo/main.ts"

describe("`pnpm demo`", () => {
  it("drives both agents, shows progress and text, asks before it writes, and proves that they remember and leave no process", () =>
    Programs.inPrivate(async (directory) => {
      const { exitCode, stderr, stdout } = await Programs.end(Programs.start(demo, { TMPDIR: directory }))
      assert.strictEqual(exitCode, 0, stderr)
      assert.match(stdout, /their models are scripts/)
      assert.match(stdout, /codex .*session [0-9a-f-]{36} is open {2}\d+ ms/)
      assert.match(stdout, /claude-code .*session [0-9a-f-]{36} is open {2}\d+ ms/)
      assert.strictEqual(stdout.match(/< The word was \w+\. {2}\d+ ms/g)?.length, 2)
      assert.strictEqual(
        stdout.match(/\? .*word\.txt.*\n {12}! Approved by a rule.*\n {12}< It is written\. {2}\d+ ms/g)?.length,
        2,
      )
      assert.match(stdout, /remembered\. Both asked before they wrote\. No process of theirs is left\.\n$/)
      assert.match(stderr, /codex: opening a session/)
      assert.notInclude(stdout + stderr, "\u001b", "colours are for terminals")
      assert.deepStrictEqual(withEnvironment(directory), [])
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
        const received = events.filter((fact) => fact.provider === provider).map(({ event }) => event)
        const answers = facts.filter((fact) => fact.provider === provider && fact.step === "execute")
        assert.strictEqual(
          received.flatMap(({ _tag, text }) => (_tag === "TextDelta" ? [text] : [])).join(""),
          answers.map(({ content }) => content).join(""),
        )
        const asked = received.filter(({ _tag }) => /^Approval/.test(_tag)).map(({ _tag }) => _tag)
        assert.deepStrictEqual(asked, ["ApprovalAsked", "ApprovalDecided"])
      }
      assert.deepInclude(facts.at(-1), { ok: true, remembered: true, asked: true, processesLeft: [] })
    }))

  it("prints the remedy when an agent is missing, and exits 1", () =>
    Programs.inPrivate(async (directory) => {
      const env = { ZAIN_LIVE: "1", PATH: directory, HOME: directory }
      const { exitCode, stderr } = await Programs.end(Programs.start(demo, env))
      assert.strictEqual(exitCode, 1)
      assert.match(stderr, /ConnectionUnavailable \(spawn-failed\): There is no program codex on PATH\. Install it/)
    }))

  it("ends its agents when it is interrupted, and exits 130", () =>
    Programs.inPrivate(async (directory) => {
      const program = Programs.start(demo, { TMPDIR: directory })
      await once(program.stderr as NodeJS.ReadableStream, "data")
      program.kill("SIGINT")
      assert.strictEqual((await Programs.end(program)).exitCode, 130)
      assert.deepStrictEqual(withEnvironment(directory), [])
    }))
})
