/**
 * `zain run` in scripts: outputs, approvals and exit codes.
 */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Home from "../../testing/run/Home.ts"
import { ended, inHome } from "../../testing/run/Home.ts"

describe("zain run, in a pipe", () => {
  for (const agent of Home.agents) {
    inHome(
      `prints the answer of ${agent} on standard output, once, and nothing else (docs/guides/command-line.md)`,
      function* (home) {
        const zain = yield* ended(0, home.run(home.prompt(agent, "⟦zain:events#a1 3 piece⟧")))
        assert.strictEqual(zain.output(), "piece1 piece2 piece3\n")
        assert.match(
          zain.errors(),
          /^Done in \d+\.\d s, tokens: 11 in, 7 out, context: 0 %(, cost: \$0\.01)?\nThread [\w-]+: --thread or --last continues it\n$/,
        )
        yield* Home.untilEmpty(home)
      },
    )

    inHome(`shows ${agent} the pictures of --image, and none that is no picture`, function* (home) {
      const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
      writeFileSync(join(home.work, "page.png"), Buffer.from(pixel, "base64"))
      writeFileSync(join(home.work, "notes.md"), "No picture.")
      const run = (...files: ReadonlyArray<string>) =>
        home.run(home.prompt(agent, "⟦zain:say#a1 seen⟧", ...files.flatMap((file) => ["--image", file])))
      assert.strictEqual((yield* ended(0, run("page.png"))).output(), "seen\n")
      assert.strictEqual(yield* home.peer(agent).count(pixel), 1)
      const refused = (yield* ended(1, run("page.png", "notes.md"))).errors()
      assert.include(refused, "`attachments.1` (notes.md) is not a PNG, JPEG, WebP or GIF image.")
      assert.strictEqual(yield* home.peer(agent).count("#a1"), 1)
    })

    inHome(`prints the value of ${agent} alone for --schema`, function* (home) {
      const prompt = home.prompt(agent, '⟦zain:say#a1 {"ready":true}⟧', "--schema", "schema.json")
      writeFileSync(
        join(home.work, "schema.json"),
        '{ "type": "object", "properties": { "ready": { "type": "boolean" } } }',
      )
      const zain = yield* ended(0, home.run(prompt))
      assert.strictEqual(zain.output(), '{\n  "ready": true\n}\n')
      assert.match(zain.errors(), /^Done in [^•]*$/)
      const unfit = home.prompt(agent, '⟦zain:say#a2 {"ready":"yes"}⟧', "--schema", "schema.json")
      const failed = yield* ended(1, home.run(unfit))
      assert.strictEqual(failed.output(), "")
      assert.match(failed.errors(), /^✗ The answer of (Codex|Claude Code) does not fit the schema: /)
    })

    inHome(
      `declines a request of ${agent} without a terminal, and names the option that would approve it`,
      function* (home) {
        const zain = yield* ended(0, home.run(home.prompt(agent, "⟦zain:approve#a1⟧")))
        assert.match(zain.output(), /^declined/)
        assert.include(zain.errors(), "✗ Declined: touch approved\n  No terminal to ask on. ")
        assert.include(zain.errors(), "--approve-command 'touch approved' would allow it.")
      },
    )

    inHome(`approves ${agent}'s command line of --approve-command`, function* (home) {
      const zain = yield* ended(
        0,
        home.run(home.prompt(agent, "⟦zain:approve#a1⟧", "--approve-command", "touch approved")),
      )
      assert.match(zain.output(), /^approved/)
      const decided = zain.errors().indexOf("✓ Allowed by the command line: touch approved\n")
      assert.isAbove(decided, zain.errors().indexOf("• touch approved\n"))
    })
  }

  inHome("exits with 2 for a --schema that is no file, no JSON or no object", function* (home) {
    const wrong = Effect.fnUntraced(function* (name: string) {
      return (yield* ended(2, home.run(home.prompt("codex", "Go", "--schema", name)))).errors()
    })
    assert.include(yield* wrong("none.json"), "--schema none.json: the file cannot be read (ENOENT).")
    writeFileSync(join(home.work, "text"), "{")
    assert.include(yield* wrong("text"), "--schema text: the file is not JSON (")
    writeFileSync(join(home.work, "list"), "[]")
    assert.include(yield* wrong("list"), "--schema list: a JSON Schema is an object.")
  })

  inHome("exits with 1 and prints the cause to standard error when a turn fails", function* (home) {
    const zain = yield* ended(1, home.run(home.prompt("codex", "⟦zain:fail#a1 out of ideas⟧")))
    assert.strictEqual(zain.output(), "")
    assert.include(zain.errors(), "✗ Codex reports that its turn failed: out of ideas\n")
  })

  inHome("prints a fix when a turn fails without a login or a variable, also with --json", function* (home) {
    const doctor = (agent: Home.AgentName) => `or see "zain doctor --provider ${agent}".`
    for (const [agent, said, advice] of [
      ["claude-code", "Not logged in · Please run /login", `Log in with "claude auth login", ${doctor("claude-code")}`],
      ["codex", "unexpected status 401 Unauthorized: no", `Log in with "codex login", ${doctor("codex")}`],
      ["codex", "Missing environment variable: `MY_KEY`.", `Pass the variable with --env MY_KEY, ${doctor("codex")}`],
    ] as const) {
      const prompt = home.prompt(agent, `⟦zain:fail#a1 ${said}⟧`)
      const zain = yield* ended(1, home.run(prompt))
      assert.include(zain.errors(), `${said}\n  ${advice}\n`)
      const json = yield* ended(1, home.run([...prompt, "--json"]))
      const last = JSON.parse(json.output().trimEnd().split("\n").at(-1) ?? "")
      assert.deepInclude(last, { _tag: "Result", isError: true, advice })
    }
  })

  inHome(
    "reads the prompt from a pipe with - or without an argument, and ignores the pipe with an argument",
    function* (home) {
      const prompt = "Line one.\n⟦zain:say#piped heard⟧\n"
      for (const argument of [["-"], []]) {
        const zain = yield* home.run([...home.prompt("codex", "").slice(0, -1), ...argument])
        zain.type(prompt)
        zain.endInput()
        assert.strictEqual(yield* zain.exit, 0)
        assert.strictEqual(zain.output(), "heard\n")
      }
      // Its other end stays open.
      const zain = yield* ended(0, home.run(home.prompt("codex", "⟦zain:say#a1 given⟧")))
      assert.strictEqual(zain.output(), "given\n")
    },
  )

  inHome("rejects a prompt over 4 MiB from standard input", function* (home) {
    const endless = yield* ended(2, home.run(["run", "--provider", "codex", "-"], {}, '"$@" < /dev/zero'))
    assert.match(endless.errors(), /^zain run: The prompt is longer than 4 MiB\..*\nSee zain run --help\.\n$/)
  })

  inHome("prints complete messages once, also for a slow reader", function* (home) {
    for (const json of [[], ["--json"]]) {
      const slow = '{ "$@"; echo "code $?" >&2; } | { sleep 4; cat; }'
      const zain = yield* home.run(home.prompt("codex", "⟦zain:events#a1 30000 x⟧", ...json), {}, slow)
      yield* zain.exit
      assert.match(zain.errors(), /code 0\n/)
      const text = Array.from({ length: 30_000 }, (_, at) => `x${at + 1}`).join(" ")
      if (json.length === 0) assert.strictEqual(zain.output(), `${text}\n`)
      else assert.deepInclude(JSON.parse(zain.output().trimEnd().split("\n").at(-1) ?? ""), { content: text })
    }
  })

  inHome("prints a fix and `zain doctor` when the agent is not installed", function* (home) {
    const zain = yield* ended(1, home.run(["run", "--provider", "claude-code", "hello"]))
    assert.include(zain.errors(), "The program claude was not found on PATH.")
    assert.include(zain.errors(), "npm install --global @anthropic-ai/claude-code")
    assert.include(zain.errors(), '"zain doctor --provider claude-code" reports the cause.')
  })

  inHome("starts no program of the working directory unless --command names it (promise 18)", function* (home) {
    const bin = join(home.work, "bin")
    mkdirSync(bin)
    symlinkSync(join(home.path, "codex"), join(bin, "codex"))
    const prompt = "⟦zain:say#a1 hello⟧"
    for (const entry of ["bin", bin]) {
      const zain = yield* ended(1, home.run(["run", "--provider", "codex", prompt], { PATH: `${entry}:/usr/bin:/bin` }))
      assert.include(zain.errors(), `The program codex was not found on PATH. The one in ${entry} is skipped`)
      assert.include(zain.errors(), `--command ${join(entry, "codex")}`)
      const served = yield* ended(1, home.run(["serve", "codex"], { PATH: `${entry}:/usr/bin:/bin` }))
      assert.include(served.errors(), `The program codex was not found on PATH. The one in ${entry} is skipped`)
    }
    yield* ended(0, home.run(["run", "--provider", "codex", "--command", "bin/codex", prompt]))
    const other = join(home.path, "other")
    mkdirSync(join(other, "bin"), { recursive: true })
    symlinkSync(join(home.path, "codex"), join(other, "bin/codex"))
    const env = { PATH: `${join(other, "bin")}:/usr/bin:/bin` }
    const there = yield* ended(1, home.run(["run", "--provider", "codex", "--cwd", "../other", prompt], env))
    assert.include(there.errors(), `The one in ${join(other, "bin")} is skipped`)
  })

  inHome("passes a variable only if --env names it, and never prints its value", function* (home) {
    const zain = yield* home.run(home.prompt("codex", "⟦zain:hang#a1⟧", "--env", "MY_KEY"), {
      MY_KEY: "sesame-8271",
      OTHER_KEY: "other-8271",
    })
    yield* home.peer("codex").received("#a1")
    const environments = home.environments().filter(({ command }) => command.includes("FakeAgentProcess"))
    assert.isNotEmpty(environments)
    for (const { env } of environments) {
      assert.include(env, "MY_KEY=sesame-8271")
      assert.notInclude(env, "OTHER_KEY")
    }
    zain.kill("SIGINT")
    assert.strictEqual(yield* zain.exit, 130)
    assert.notInclude(zain.output() + zain.errors(), "sesame")
  })
})

/** The time, in ms, after which a close no longer waits for an agent to receive the interruption. */
const polite = 1_000

describe("the end of zain run", () => {
  for (const [agent, signal, code] of [
    ["codex", "SIGINT", 130],
    ["claude-code", "SIGTERM", 143],
  ] as const)
    inHome(`interrupts ${agent} at ${signal}, leaves no process, and exits with ${code}`, function* (home) {
      const zain = yield* home.run(home.prompt(agent, "⟦zain:hang#a1⟧"))
      yield* home.peer(agent).received("#a1")
      const begun = performance.now()
      zain.kill(signal)
      assert.strictEqual(yield* zain.exit, code)
      if (performance.now() - begun < polite) yield* home.peer(agent).cancelled("#a1")
      assert.match(
        zain.errors(),
        /^Interrupting .*… Press Ctrl-C again to end at once\.\nInterrupted after [\d.]+ s\.\n(Thread .*\n)?$/,
      )
      assert.strictEqual(zain.output(), "")
      yield* Home.untilEmpty(home)
    })

  inHome("follows a signal also if its output is not read", function* (home) {
    // The process is its own reader, and does not read.
    const stopped = 'mkfifo "$HOME/lines"; exec 3<>"$HOME/lines"; exec "$@" > "$HOME/lines"'
    const args = home.prompt("codex", "⟦zain:events#a1 20000 piece⟧", "--json")
    const zain = yield* home.run(args, {}, stopped)
    yield* home.peer("codex").received("#a1")
    zain.kill("SIGTERM")
    assert.strictEqual(yield* zain.exit, 143)
    yield* Home.untilEmpty(home)
  })

  inHome("reports a full disk, and exits with 1", function* (home) {
    const full = 'exec "$@" > /dev/full'
    for (const args of [["--help"], ["--version"], home.prompt("codex", "⟦zain:say#a1 hello⟧")]) {
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
