/**
 * `loopsmith improve` as a process: messages, files, signals and exit codes.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { endedOf, home } from "./Command.ts"

describe("loopsmith improve", () => {
  test.live("drives two agents to the target, and prints a line for each step (LoopSmith 10)", function* () {
    const { agentsGone, file, improve, starts } = yield* home
    const original = "# Guide\n$& {{clarity_weight}} 日本語\n"
    writeFileSync(file("guide.md"), original)
    const command = yield* improve(["judge", "5.5,8.2"], ["guide.md"])
    assert.strictEqual(yield* command.exit, 0)
    assert.strictEqual(readFileSync(file("guide.md"), "utf8"), original)
    assert.strictEqual(readFileSync(file("guide.improved.md"), "utf8"), `${original}Better.\n`)
    assert.isTrue(existsSync(file("guide.report.html")))
    const steps = command
      .errors()
      .split("\n")
      .filter((line) => /^Iteration|Score/.test(line.trim()))
    assert.match(steps.at(-1) ?? "", /^The target is reached\. Score 5\.5 → 8\.2/)
    assert.strictEqual(steps.length, 5)
    assert.strictEqual(command.output(), "")
    assert.deepStrictEqual(
      starts().map(({ act }) => act),
      ["judge", "write", "judge"],
    )
    yield* agentsGone
  })

  test.live("writes the best document at SIGINT, and leaves no process (LoopSmith 8)", function* () {
    const { agentsGone, file, improve } = yield* home
    const command = yield* improve(["judge", "5,6,1,1,1"], ["guide.md", "--json"])
    yield* command.says("output", /"_tag":"RewriteStarted","iteration":2/)
    command.child.kill("SIGINT")
    assert.strictEqual(yield* command.exit, 130)
    const document = file("guide.improved.md")
    assert.deepInclude(endedOf(command), { _tag: "Ended", stop: "cancelled", score: 6, best: 2, document })
    assert.strictEqual(readFileSync(document, "utf8"), "# Guide\nBetter.\n")
    assert.include(readFileSync(file("guide.report.html"), "utf8"), "cancelled")
    yield* agentsGone
  })

  test.live("masks secrets in suggestions, in lines, events and the report (LoopSmith 11)", function* () {
    const { file, improve, starts } = yield* home
    writeFileSync(file("guide.md"), "# Guide swordfish-1234\n")
    const args = ["guide.md", "-f", "-o", "out.md", "--env", "MY_API_KEY"]
    for (const more of [
      ["--iterations", "1"],
      ["--iterations", "2", "--json"],
    ]) {
      const env = { MY_API_KEY: "swordfish-1234" }
      const command = yield* improve(["confide", "MY_API_KEY"], [...args, ...more], env)
      assert.strictEqual(yield* command.exit, 3)
      assert.notInclude(command.errors(), "swordfish")
      const said = `${command.output()}${command.errors()}${readFileSync(file("out.report.html"), "utf8")}`
      assert.include(said, "Say <redacted>.")
      assert.notInclude(said.replaceAll("# Guide swordfish-1234", ""), "swordfish")
    }
    // The document and the writer's prompt are not masked.
    assert.include(starts().findLast(({ act }) => act === "write")?.prompt, "Say swordfish-1234.")
    assert.include(readFileSync(file("out.md"), "utf8"), "swordfish-1234")
  })

  test.live("reads standard input and writes standard output", function* () {
    const { file, improve } = yield* home
    const command = yield* improve(["judge", "5,9"], ["-", "-q"])
    command.child.stdin.end("# Guide\n")
    assert.strictEqual(yield* command.exit, 0)
    assert.strictEqual(command.output(), "# Guide\nBetter.\n")
    assert.deepStrictEqual(readdirSync(file(".")), ["guide.md"])
  })
})
