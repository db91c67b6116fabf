/**
 * `zain run` in scripts: outputs, approvals and exit codes.
 */
import { createReadStream, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { assert, describe } from "@effect/vitest"
import * as Home from "../../testing/run/Home.ts"
import { ended, inHome } from "../../testing/run/Home.ts"
import * as InProcess from "../../testing/run/InProcess.ts"

describe("zain run, in a pipe", () => {
  inHome(
    "prints the answer on standard output, once, and nothing else (docs/guides/command-line.md); reads the prompt from a pipe with - or without an argument, and ignores the pipe with an argument",
    function* (home) {
      // The other end of its input stays open.
      const zain = yield* ended(0, home.run(home.prompt("claude-code", "⟦zain:events#a1 3 piece⟧")))
      assert.strictEqual(zain.output(), "piece1 piece2 piece3\n")
      assert.match(
        zain.errors(),
        /^Done in \d+\.\d s, tokens: 11 in, 7 out, context: 0 %, cost: \$0\.01\nThread [\w-]+: --thread or --last continues it\n$/,
      )
      yield* Home.untilEmpty(home)
      const prompt = "Line one.\n⟦zain:say#piped heard⟧\n"
      const program = home.prompt("codex", "").slice(0, -1)
      const piped = yield* home.run(program)
      piped.type(prompt)
      piped.endInput()
      assert.strictEqual(yield* piped.exit, 0)
      assert.strictEqual(piped.output(), "heard\n")
      const dash = yield* ended(0, home.here([...program, "-"], {}, { input: Readable.from([prompt]) }))
      assert.strictEqual(dash.output(), "heard\n")
    },
  )

  inHome("shows the agent the pictures of --image, and none that is no picture", function* (home) {
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
    writeFileSync(join(home.work, "page.png"), Buffer.from(pixel, "base64"))
    writeFileSync(join(home.work, "notes.md"), "No picture.")
    const run = (...files: ReadonlyArray<string>) =>
      home.here(home.prompt("claude-code", "⟦zain:say#a1 seen⟧", ...files.flatMap((file) => ["--image", file])))
    assert.strictEqual((yield* ended(0, run("page.png"))).output(), "seen\n")
    assert.strictEqual(yield* home.peer("claude-code").count(pixel), 1)
    const refused = (yield* ended(1, run("page.png", "notes.md"))).errors()
    assert.include(refused, "`attachments.1` (notes.md) is not a PNG, JPEG, WebP or GIF image.")
    assert.strictEqual(yield* home.peer("claude-code").count("#a1"), 1)
  })

  inHome("prints the value alone for --schema", function* (home) {
    const run = (answer: string) =>
      home.here(home.prompt("codex", `⟦zain:say#a1 ${answer}⟧`, "--schema", "schema.json"))
    writeFileSync(
      join(home.work, "schema.json"),
      '{ "type": "object", "properties": { "ready": { "type": "boolean" } } }',
    )
    const zain = yield* ended(0, run('{"ready":true}'))
    assert.strictEqual(zain.output(), '{\n  "ready": true\n}\n')
    assert.match(zain.errors(), /^Done in [^•]*$/)
    const failed = yield* ended(1, run('{"ready":"yes"}'))
    assert.strictEqual(failed.output(), "")
    assert.match(failed.errors(), /^✗ The answer of Codex does not fit the schema: /)
  })

  inHome("exits with 2 for a --schema that is no file, no JSON or no object", function* (home) {
    writeFileSync(join(home.work, "text"), "{")
    writeFileSync(join(home.work, "list"), "[]")
    for (const [name, why] of [
      ["none.json", "the file cannot be read (ENOENT)."],
      ["text", "the file is not JSON ("],
      ["list", "a JSON Schema is an object."],
    ]) {
      const zain = yield* ended(2, home.here(home.prompt("codex", "Go", "--schema", `${name}`)))
      assert.include(zain.errors(), `--schema ${name}: ${why}`)
    }
  })

  inHome(
    "declines a request without a terminal, names the option that would approve it, and approves the command line of --approve-command",
    function* (home) {
      const prompt = home.prompt("codex", "⟦zain:approve#a1⟧")
      const declined = yield* ended(0, home.here(prompt))
      assert.match(declined.output(), /^declined/)
      assert.include(declined.errors(), "✗ Declined: touch approved\n  No terminal to ask on. ")
      assert.include(declined.errors(), "--approve-command 'touch approved' would allow it.")
      const approved = yield* ended(0, home.here([...prompt, "--approve-command", "touch approved"]))
      assert.match(approved.output(), /^approved/)
      const decided = approved.errors().indexOf("✓ Allowed by the command line: touch approved\n")
      assert.isAbove(decided, approved.errors().indexOf("• touch approved\n"))
    },
  )

  inHome(
    "exits with 1 and prints the cause to standard error when a turn fails, and a fix for a login or a variable that it lacks, also with --json",
    function* (home) {
      const agents = [...(yield* InProcess.held("codex")), ...(yield* InProcess.held("claude-code"))]
      const run = (...args: Parameters<typeof home.prompt>) => ended(1, home.here(home.prompt(...args), {}, { agents }))
      const plain = yield* run("codex", "⟦zain:fail#a1 out of ideas⟧")
      assert.strictEqual(plain.output(), "")
      assert.include(plain.errors(), "✗ Codex reports that its turn failed: out of ideas\n")
      const doctor = (agent: Home.AgentName) => `or see "zain doctor --provider ${agent}".`
      const login = `Log in with "codex login", ${doctor("codex")}`
      for (const [agent, said, advice] of [
        [
          "claude-code",
          "Not logged in · Please run /login",
          `Log in with "claude auth login", ${doctor("claude-code")}`,
        ],
        ["codex", "unexpected status 401 Unauthorized: no", login],
        ["codex", "Missing environment variable: `MY_KEY`.", `Pass the variable with --env MY_KEY, ${doctor("codex")}`],
      ] as const) {
        const zain = yield* run(agent, `⟦zain:fail#a1 ${said}⟧`)
        assert.include(zain.errors(), `${said}\n  ${advice}\n`)
      }
      const json = yield* run("codex", "⟦zain:fail#a1 unexpected status 401 Unauthorized: no⟧", "--json")
      const last = JSON.parse(json.output().trimEnd().split("\n").at(-1) ?? "")
      assert.deepInclude(last, { _tag: "Result", isError: true, advice: login })
    },
  )

  inHome("rejects a prompt over 4 MiB from standard input", function* (home) {
    const endless = createReadStream("/dev/zero")
    const zain = yield* ended(2, home.here(["run", "--provider", "codex", "-"], {}, { input: endless }))
    assert.match(zain.errors(), /^zain run: The prompt is longer than 4 MiB\..*\nSee zain run --help\.\n$/)
  })

  inHome("prints complete messages once, and with --json every line, also for a slow reader", function* (home) {
    const word = "x".repeat(99)
    const text = Array.from({ length: 1_500 }, (_, at) => `${word}${at + 1}`).join(" ")
    // More than a pipe buffers; the reader starts after the end.
    const slow = '{ "$@"; echo "code $?" >&2; } | { sleep 3; cat; }'
    for (const json of [[], ["--json"]]) {
      const zain = yield* home.run(home.prompt("codex", `⟦zain:events#a1 1500 ${word}⟧`, ...json), {}, slow)
      yield* zain.exit
      assert.match(zain.errors(), /code 0\n/)
      if (json.length === 0) assert.strictEqual(zain.output(), `${text}\n`)
      else {
        const lines = zain.output().trimEnd().split("\n")
        const [first, last] = [lines[0], lines.at(-1)].map((line) => JSON.parse(line ?? ""))
        assert.strictEqual(first._tag, "SessionOpened")
        assert.lengthOf(
          lines.filter((line) => line.includes('"_tag":"TextDelta"')),
          1_500,
        )
        assert.deepInclude(last, { _tag: "Result", content: text })
      }
    }
  })

  inHome("prints a fix and `zain doctor` when the agent is not installed", function* (home) {
    const zain = yield* ended(1, home.here(["run", "--provider", "claude-code", "hello"]))
    assert.include(zain.errors(), "The program claude was not found on PATH.")
    assert.include(zain.errors(), "npm install --global @anthropic-ai/claude-code")
    assert.include(zain.errors(), '"zain doctor --provider claude-code" reports the cause.')
  })

  inHome("starts no program of the working directory unless --command names it (promise 18)", function* (home) {
    const bin = join(home.work, "bin")
    mkdirSync(bin)
    symlinkSync(join(home.path, "codex"), join(bin, "codex"))
    const prompt = "⟦zain:say#a1 hello⟧"
    const failed = (args: ReadonlyArray<string>, entry: string) =>
      ended(1, home.here(args, { PATH: `${entry}:/usr/bin:/bin` }))
    for (const entry of ["bin", bin]) {
      const zain = yield* failed(["run", "--provider", "codex", prompt], entry)
      assert.include(zain.errors(), `The program codex was not found on PATH. The one in ${entry} is skipped`)
      assert.include(zain.errors(), `--command ${join(entry, "codex")}`)
      const served = yield* failed(["serve", "codex"], entry)
      assert.include(served.errors(), `The program codex was not found on PATH. The one in ${entry} is skipped`)
    }
    yield* ended(0, home.here(["run", "--provider", "codex", "--command", "bin/codex", prompt]))
    const other = join(home.path, "other")
    mkdirSync(join(other, "bin"), { recursive: true })
    symlinkSync(join(home.path, "codex"), join(other, "bin/codex"))
    const there = yield* failed(["run", "--provider", "codex", "--cwd", "../other", prompt], join(other, "bin"))
    assert.include(there.errors(), `The one in ${join(other, "bin")} is skipped`)
  })
})

/** The time, in ms, after which a close no longer waits for an agent to receive the interruption. */
const polite = 1_000

describe("the end of zain run", () => {
  for (const [agent, signal, code, how, json] of [
    ["codex", "SIGINT", 130, "in a line", []],
    ["claude-code", "SIGTERM", 143, "as JSON", ["--json"]],
  ] as const)
    inHome(
      `interrupts ${agent} at ${signal}, leaves no process, exits with ${code}, and prints that ${how}; passes a variable only if --env names it, and never prints its value`,
      function* (home) {
        const args = home.prompt(agent, "⟦zain:hang#a1⟧", "--env", "MY_KEY", ...json)
        const zain = yield* home.run(args, { MY_KEY: "sesame-8271", OTHER_KEY: "other-8271" })
        yield* home.peer(agent).received("#a1")
        const environments = home.environments().filter(({ command }) => command.includes("FakeAgentProcess"))
        assert.isNotEmpty(environments)
        for (const { env } of environments) {
          assert.include(env, "MY_KEY=sesame-8271")
          assert.notInclude(env, "OTHER_KEY")
        }
        const begun = performance.now()
        zain.kill(signal)
        assert.strictEqual(yield* zain.exit, code)
        if (performance.now() - begun < polite) yield* home.peer(agent).cancelled("#a1")
        assert.notInclude(zain.output() + zain.errors(), "sesame")
        assert.match(zain.errors(), /^Interrupting .*… Press Ctrl-C again to end at once\.\n/)
        if (json.length === 0) {
          assert.match(zain.errors(), /\nInterrupted after [\d.]+ s\.\n(Thread .*\n)?$/)
          assert.strictEqual(zain.output(), "")
        } else {
          const last = JSON.parse(zain.output().trimEnd().split("\n").at(-1) ?? "")
          assert.strictEqual(last._tag, "Interrupted")
        }
        yield* Home.untilEmpty(home)
      },
    )

  inHome("follows a signal also if its output is not read", function* (home) {
    // The process is its own reader, and does not read.
    const stopped = 'mkfifo "$HOME/lines"; exec 3<>"$HOME/lines"; exec "$@" > "$HOME/lines"'
    const args = home.prompt("codex", `⟦zain:events#a1 1500 ${"x".repeat(99)}⟧`, "--json")
    const zain = yield* home.run(args, {}, stopped)
    yield* home.peer("codex").received("#a1")
    zain.kill("SIGTERM")
    assert.strictEqual(yield* zain.exit, 143)
    yield* Home.untilEmpty(home)
  })

  inHome("reports a full disk, and exits with 1", function* (home) {
    const full = 'exec "$@" > /dev/full'
    for (const args of [["--help"], home.prompt("codex", "⟦zain:say#a1 hello⟧")]) {
      const zain = yield* home.run(args, {}, full)
      assert.strictEqual(yield* zain.exit, 1, args.join(" "))
      assert.include(zain.errors(), "zain: Writing to standard output failed: ENOSPC.\n")
    }
    yield* Home.untilEmpty(home)
  })

  inHome("interrupts the agent when standard output is closed", function* (home) {
    const shell = '{ "$@"; echo "code $?" >&2; } | head -c 1'
    const zain = yield* home.run(home.prompt("codex", "⟦zain:hang#a1⟧", "--json"), {}, shell)
    yield* zain.says("errors", /code \d+/)
    assert.strictEqual(zain.output(), "{")
    assert.strictEqual(zain.errors(), "code 141\n")
    yield* Home.untilEmpty(home)
  })
})
