/**
 * `loopsmith improve` when it cannot start, receives signals, or cannot write its output.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { eventually } from "../../../tool-server/testing/TestServer.ts"
import { endedOf, home } from "./Command.ts"

describe("loopsmith improve", () => {
  test.live("prints the line `Ended` also when no loop began", function* () {
    const { improve } = yield* home
    const missing = yield* improve(["judge", "9"], ["missing.md", "--json"])
    assert.strictEqual(yield* missing.exit, 1)
    assert.deepInclude(endedOf(missing), { _tag: "Ended", stop: "failed", score: null, document: null })
    assert.include(endedOf(missing).problem, "no such file")
    assert.match(missing.errors(), /^loopsmith: missing\.md: [^\n]*\n$/)

    // Reports that standard input is being read.
    const says = 'process.stdin.once("newListener", () => process.stderr.write("reads\\n"))'
    const waiting = yield* improve(["judge", "9"], ["-", "-o", "out.md", "--json"], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(says)}`,
    })
    yield* waiting.says("errors", /reads/)
    waiting.child.kill("SIGTERM")
    assert.strictEqual(yield* waiting.exit, 143)
    assert.deepInclude(endedOf(waiting), { _tag: "Ended", stop: "cancelled", iterations: 0 })
  })

  test.live("fails and writes the document to a temporary file when standard output cannot be written", function* () {
    const { improve, path } = yield* home
    for (const [redirected, why] of [
      ["> /dev/full", "no space left on device"],
      ["", "broken pipe"],
    ] as const) {
      const command = yield* improve(["judge", "5,9,9"], ["-", "-q"], {}, redirected)
      command.child.stdout.destroy()
      command.child.stdin.end("# Guide\n")
      assert.strictEqual(yield* command.exit, 1)
      assert.include(command.errors(), `Standard output could not be written: ${why}.`)
    }
    const kept = readdirSync(path).filter((name) => /^loopsmith.*\.improved$/.test(name))
    const documents = kept.map((name) => readFileSync(join(path, name), "utf8"))
    assert.sameMembers(documents, ["# Guide\nBetter.\n", "# Guide\n"])
  })

  test.live("fails when the JSON cannot be written", function* () {
    const { improve } = yield* home
    const command = yield* improve(["judge", "9"], ["guide.md", "--json"], {}, "> /dev/full")
    assert.strictEqual(yield* command.exit, 1)
    assert.include(command.errors(), "Standard output could not be written: no space left on device.")
  })

  test.live(
    "exits at one SIGTERM and writes the best document when its output is not read (LoopSmith 8)",
    function* () {
      const { file, improve, starts } = yield* home
      writeFileSync(file("guide.md"), `# Guide\n${"x".repeat(900_000)}\n`)
      const command = yield* improve(["judge", "5,6,7,7,7"], ["guide.md", "--json", "--iterations", "9"])
      command.child.stdout.pause()
      yield* eventually(() => starts().filter(({ act }) => act === "judge").length >= 3)
      command.child.kill("SIGTERM")
      yield* eventually(() => command.child.exitCode !== null)
      assert.strictEqual(command.child.exitCode, 143)
      assert.match(readFileSync(file("guide.improved.md"), "utf8"), /Better\.\n$/)
      command.child.stdout.resume()
    },
  )

  test.live("exits immediately at a second signal and leaves no directory", function* () {
    const { agentsGone, improve, path, starts } = yield* home
    const command = yield* improve(["hang"], ["guide.md"])
    yield* eventually(() => starts().length === 1)
    command.child.kill("SIGINT")
    command.child.kill("SIGTERM")
    // The system decides which signal arrives first.
    assert.oneOf(yield* command.exit, [130, 143])
    assert.isEmpty(readdirSync(path).filter((name) => name.startsWith("loopsmith-")))
    yield* agentsGone
  })

  test.live(
    "prints one line when the agents' directory cannot be created, and removes escapes from file names",
    function* () {
      const { improve } = yield* home
      const homeless = yield* improve(["judge", "9"], ["guide.md"], { TMPDIR: "/nowhere/at/all" })
      assert.strictEqual(yield* homeless.exit, 1)
      assert.match(
        homeless.errors(),
        /^loopsmith: Cannot create a directory for the agent in \/nowhere\/at\/all: [^\n]*\n$/,
      )
      const driven = yield* improve(["judge", "9"], ["\u001b[2J\u202egone.md"])
      assert.strictEqual(yield* driven.exit, 1)
      assert.match(driven.errors(), /^loopsmith: gone\.md: [^\n]*\n$/)
    },
  )
})
