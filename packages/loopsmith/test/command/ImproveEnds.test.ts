/**
 * `loopsmith improve` where it cannot begin, is told to end, or is heard by nobody.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "../../../core/test/Test.ts"
import { eventually } from "../../../tool-server/test/TestServer.ts"
import { endedOf, home } from "./Command.ts"

describe("loopsmith improve", () => {
  test.live("ends JSON with what came of it also where no loop began", function* () {
    const { improve } = yield* home
    const missing = yield* improve(["judge", "9"], ["missing.md", "--json"])
    assert.strictEqual(yield* missing.exit, 1)
    assert.deepInclude(endedOf(missing), { _tag: "Ended", stop: "failed", score: null, document: null })
    assert.include(endedOf(missing).problem, "no such file")
    assert.match(missing.errors(), /^loopsmith: missing\.md: [^\n]*\n$/)

    // Says when the document is waited for.
    const says = 'process.stdin.once("newListener", () => process.stderr.write("reads\\n"))'
    const waiting = yield* improve(["judge", "9"], ["-", "-o", "out.md", "--json"], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(says)}`,
    })
    yield* waiting.says("errors", /reads/)
    waiting.child.kill("SIGTERM")
    assert.strictEqual(yield* waiting.exit, 143)
    assert.deepInclude(endedOf(waiting), { _tag: "Ended", stop: "cancelled", iterations: 0 })
  })

  test.live("fails, and keeps the document, where standard output takes nothing", function* () {
    const { improve, path } = yield* home
    for (const [redirected, why] of [
      ["> /dev/full", "no space left on device"],
      ["", "broken pipe"],
    ] as const) {
      const command = yield* improve(["judge", "5,9,5,9"], ["-", "-q"], {}, redirected)
      command.child.stdout.destroy()
      command.child.stdin.end("# Guide\n")
      assert.strictEqual(yield* command.exit, 1)
      assert.include(command.errors(), `Standard output could not be written: ${why}.`)
    }
    const kept = readdirSync(path).filter((name) => /^loopsmith.*\.improved$/.test(name))
    assert.strictEqual(kept.length, 2)
    for (const name of kept) assert.match(readFileSync(join(path, name), "utf8"), /^# Guide\n/)
  })

  test.live("fails where nobody hears the JSON that it was asked for", function* () {
    const { improve } = yield* home
    const command = yield* improve(["judge", "9"], ["guide.md", "--json"], {}, "> /dev/full")
    assert.strictEqual(yield* command.exit, 1)
    assert.include(command.errors(), "Standard output could not be written: no space left on device.")
  })

  test.live(
    "ends at one SIGTERM before a reader that does not read, and keeps the best document (LoopSmith 8)",
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

  test.live("leaves no directory behind at a second signal, which waits for nothing", function* () {
    const { agentsGone, improve, path, starts } = yield* home
    const command = yield* improve(["hang"], ["guide.md"])
    yield* eventually(() => starts().length === 1)
    command.child.kill("SIGINT")
    command.child.kill("SIGTERM")
    // Which of the two is heard first is up to the system.
    assert.oneOf(yield* command.exit, [130, 143])
    assert.isEmpty(readdirSync(path).filter((name) => name.startsWith("loopsmith-")))
    yield* agentsGone
  })

  test.live(
    "says in a line that no directory for its agents can be made, and drives no terminal by a file's name",
    function* () {
      const { improve } = yield* home
      const homeless = yield* improve(["judge", "9"], ["guide.md"], { TMPDIR: "/nowhere/at/all" })
      assert.strictEqual(yield* homeless.exit, 1)
      assert.match(
        homeless.errors(),
        /^loopsmith: No directory for an agent can be made in \/nowhere\/at\/all: [^\n]*\n$/,
      )
      const driven = yield* improve(["judge", "9"], ["\u001b[2J\u202egone.md"])
      assert.strictEqual(yield* driven.exit, 1)
      assert.match(driven.errors(), /^loopsmith: gone\.md: [^\n]*\n$/)
    },
  )
})
