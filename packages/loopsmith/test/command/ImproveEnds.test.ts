/**
 * `loopsmith improve` where it cannot begin, is told to end, or is heard by nobody.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { gone } from "../../../process/test/Alive.ts"
import { test } from "../../../tool-server/test/Test.ts"
import { home, until } from "./Command.ts"

describe("loopsmith improve", () => {
  const agents = (judge: string, writer: string) =>
    ["--judge", "claude-code", "--judge-command", judge, "--writer-command", writer] as const

  const endedOf = (output: string) => JSON.parse(output.trim().split("\n").at(-1) ?? "")

  test.live("ends JSON with what came of it also where no loop began", function* () {
    const { run } = yield* home
    const missing = yield* run(["improve", "missing.md", "--json", ...agents("/bin/true", "/bin/true")])
    assert.strictEqual(yield* missing.exit, 1)
    assert.deepInclude(endedOf(missing.output()), { _tag: "Ended", stop: "failed", score: null, document: null })
    assert.include(endedOf(missing.output()).problem, "no such file")
    assert.match(missing.errors(), /^loopsmith: missing\.md: [^\n]*\n$/)

    // Says when the document is waited for.
    const says = 'process.stdin.once("newListener", () => process.stderr.write("reads\\n"))'
    const waiting = yield* run(["improve", "-", "-o", "out.md", "--json", ...agents("/bin/true", "/bin/true")], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(says)}`,
    })
    yield* waiting.says("errors", /reads/)
    waiting.child.kill("SIGTERM")
    assert.strictEqual(yield* waiting.exit, 143)
    assert.deepInclude(endedOf(waiting.output()), { _tag: "Ended", stop: "cancelled", iterations: 0 })
  })

  test.live("fails, and keeps the document, where standard output takes nothing", function* () {
    const { agent, path, run } = yield* home
    const improving = ["improve", "-", "-q", ...agents(agent("judge", "5,9,5,9"), agent("write"))]
    for (const [redirected, why] of [
      ["> /dev/full", "no space left on device"],
      ["", "broken pipe"],
    ] as const) {
      const command = yield* run(improving, {}, redirected)
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
    const { agent, file, run } = yield* home
    writeFileSync(file("guide.md"), "# Guide\n")
    const all = ["improve", "guide.md", "--json", ...agents(agent("judge", "9"), agent("write"))]
    const command = yield* run(all, {}, "> /dev/full")
    assert.strictEqual(yield* command.exit, 1)
    assert.include(command.errors(), "Standard output could not be written: no space left on device.")
  })

  test.live(
    "ends at one SIGTERM before a reader that does not read, and keeps the best document (LoopSmith 8)",
    function* () {
      const { agent, file, run, starts } = yield* home
      writeFileSync(file("guide.md"), `# Guide\n${"x".repeat(900_000)}\n`)
      const all = ["improve", "guide.md", "--json", ...agents(agent("judge", "5,6,7,7,7"), agent("write"))]
      const command = yield* run([...all, "--iterations", "9"])
      command.child.stdout.pause()
      yield* until(() => starts().filter(({ act }) => act === "judge").length >= 3)
      command.child.kill("SIGTERM")
      yield* until(() => command.child.exitCode !== null)
      assert.strictEqual(command.child.exitCode, 143)
      assert.match(readFileSync(file("guide.improved.md"), "utf8"), /Better\.\n$/)
      command.child.stdout.resume()
    },
  )

  test.live("leaves no directory behind at a second signal, which waits for nothing", function* () {
    const { agent, file, path, run, starts } = yield* home
    writeFileSync(file("guide.md"), "# Guide\n")
    const command = yield* run(["improve", "guide.md", ...agents(agent("hang"), agent("write"))])
    yield* until(() => starts().length === 1)
    command.child.kill("SIGINT")
    command.child.kill("SIGTERM")
    // Which of the two is heard first is up to the system.
    assert.oneOf(yield* command.exit, [130, 143])
    assert.deepStrictEqual(
      readdirSync(path).filter((name) => name.startsWith("loopsmith-")),
      [],
    )
    yield* gone(...starts().map(({ pid }) => pid))
  })

  test.live(
    "says in a line that no directory for its agents can be made, and drives no terminal by a file's name",
    function* () {
      const { agent, file, run } = yield* home
      writeFileSync(file("guide.md"), "# Guide\n")
      const all = [...agents(agent("judge", "9"), agent("write"))]
      const homeless = yield* run(["improve", "guide.md", ...all], { TMPDIR: "/nowhere/at/all" })
      assert.strictEqual(yield* homeless.exit, 1)
      assert.match(
        homeless.errors(),
        /^loopsmith: No directory for an agent can be made in \/nowhere\/at\/all: [^\n]*\n$/,
      )
      const driven = yield* run(["improve", "\u001b[2J\u202egone.md", ...all])
      assert.strictEqual(yield* driven.exit, 1)
      assert.match(driven.errors(), /^loopsmith: gone\.md: [^\n]*\n$/)
    },
  )
})
