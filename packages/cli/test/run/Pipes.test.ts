/**
 * `zain run` in scripts: what goes where, what is allowed, and the exit codes.
 */
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Home from "./Home.ts"

describe("zain run, in a pipe", () => {
  for (const agent of Home.agents) {
    it.live(`prints the answer of ${agent} on standard output, once, and nothing else (issue 6, part 4)`, () =>
      Effect.gen(function* () {
        const home = yield* Home.make
        const zain = yield* home.run(home.prompt(agent, "⟦zain:events#a1 3 piece⟧"))
        assert.strictEqual(yield* zain.exit, 0)
        assert.strictEqual(zain.output(), "piece1 piece2 piece3\n")
        assert.match(
          zain.errors(),
          /^Done in \d+\.\d s, tokens: 11 in, 7 out\nThread [\w-]+: --thread or --last goes on with it\n$/,
        )
        yield* Home.untilEmpty(home)
      }),
    )

    it.live(`declines what ${agent} asks where nobody can be asked, and names the option that would allow it`, () =>
      Effect.gen(function* () {
        const home = yield* Home.make
        const zain = yield* home.run(home.prompt(agent, "⟦zain:approve#a1⟧"))
        assert.strictEqual(yield* zain.exit, 0)
        assert.match(zain.output(), /^declined/)
        assert.include(zain.errors(), "✗ Declined: touch approved\n  Nobody can be asked here. ")
        assert.include(zain.errors(), "--approve-command 'touch approved' would allow it.")
      }),
    )

    it.live(`allows ${agent} the command line that --approve-command names`, () =>
      Effect.gen(function* () {
        const home = yield* Home.make
        const zain = yield* home.run([
          ...home.prompt(agent, "⟦zain:approve#a1⟧"),
          "--approve-command",
          "touch approved",
        ])
        assert.strictEqual(yield* zain.exit, 0)
        assert.match(zain.output(), /^approved/)
        const told = zain.errors().indexOf("✓ Allowed by the command line: touch approved\n")
        assert.isAbove(told, zain.errors().indexOf("• touch approved\n"))
      }),
    )
  }

  it.live("takes --approve-command-matching from end to end: a part of a command line is no match", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const answer = Effect.fnUntraced(function* (...options: ReadonlyArray<string>) {
        const zain = yield* home.run([...home.prompt("codex", "⟦zain:approve#a1⟧"), ...options])
        yield* zain.exit
        return zain.output().slice(0, 8)
      })
      assert.strictEqual(yield* answer("--approve-command-matching", "touch"), "declined")
      assert.strictEqual(yield* answer("--approve-command-matching", "touch [a-z]+"), "approved")
      assert.strictEqual(yield* answer("--approve-command", "touch"), "declined")
      assert.strictEqual(yield* answer("--approve-changes", ".", "--approve-tool", "Bash"), "declined")
    }),
  )

  it.live("exits with 1 and says why on standard error when a turn fails", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const zain = yield* home.run(home.prompt("codex", "⟦zain:fail#a1 out of ideas⟧"))
      assert.strictEqual(yield* zain.exit, 1)
      assert.strictEqual(zain.output(), "")
      assert.include(zain.errors(), "✗ Codex says that its turn failed: out of ideas\n")
    }),
  )

  it.live("says what to do when a turn fails for want of a login or of a variable, also with --json", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const doctor = (agent: Home.AgentName) => `or see "zain doctor --provider ${agent}".`
      for (const [agent, said, advice] of [
        [
          "claude-code",
          "Not logged in · Please run /login",
          `Log in with "claude auth login", ${doctor("claude-code")}`,
        ],
        ["codex", "unexpected status 401 Unauthorized: no", `Log in with "codex login", ${doctor("codex")}`],
        [
          "codex",
          "Missing environment variable: `MY_KEY`.",
          `Pass the variable on with --env MY_KEY, ${doctor("codex")}`,
        ],
      ] as const) {
        const prompt = home.prompt(agent, `⟦zain:fail#a1 ${said}⟧`)
        const zain = yield* home.run(prompt)
        assert.strictEqual(yield* zain.exit, 1)
        assert.include(zain.errors(), `${said}\n  ${advice}\n`)
        const json = yield* home.run([...prompt, "--json"])
        assert.strictEqual(yield* json.exit, 1)
        const last = JSON.parse(json.output().trimEnd().split("\n").at(-1) ?? "")
        assert.deepInclude(last, { _tag: "Result", isError: true, advice })
      }
    }),
  )

  it.live("reads the prompt from a pipe, with - or without an argument; an argument leaves the pipe alone", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const prompt = "Line one.\n⟦zain:say#piped heard⟧\n"
      for (const argument of [["-"], []]) {
        const zain = yield* home.run([...home.prompt("codex", "").slice(0, -1), ...argument])
        zain.type(prompt)
        zain.endInput()
        assert.strictEqual(yield* zain.exit, 0)
        assert.strictEqual(zain.output(), "heard\n")
      }
      // Whose other end stays open.
      const zain = yield* home.run(home.prompt("codex", "⟦zain:say#a1 given⟧"))
      assert.strictEqual(yield* zain.exit, 0)
      assert.strictEqual(zain.output(), "given\n")
    }),
  )

  it.live("takes no prompt from standard input that is longer than 4 MiB", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const endless = yield* home.run(["run", "--provider", "codex", "-"], {}, '"$@" < /dev/zero')
      assert.strictEqual(yield* endless.exit, 2)
      assert.match(endless.errors(), /^zain run: The prompt is longer than 4 MiB\..*\nSee zain run --help\.\n$/)
    }),
  )

  it.live("prints only what was said to the end: a message, once, also when the reader is far behind", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      for (const json of [[], ["--json"]]) {
        const slow = '{ "$@"; echo "code $?" >&2; } | { sleep 4; cat; }'
        const zain = yield* home.run([...home.prompt("codex", "⟦zain:events#a1 30000 x⟧"), ...json], {}, slow)
        yield* zain.exit
        assert.match(zain.errors(), /code 0\n/)
        const text = Array.from({ length: 30_000 }, (_, at) => `x${at + 1}`).join(" ")
        if (json.length === 0) assert.strictEqual(zain.output(), `${text}\n`)
        else assert.deepInclude(JSON.parse(zain.output().trimEnd().split("\n").at(-1) ?? ""), { content: text })
      }
    }),
  )

  it.live("says what to do when the agent is not there, and sends to the doctor", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const zain = yield* home.run(["run", "--provider", "claude-code", "hello"])
      assert.strictEqual(yield* zain.exit, 1)
      assert.include(zain.errors(), "There is no program claude on PATH.")
      assert.include(zain.errors(), "npm install --global @anthropic-ai/claude-code")
      assert.include(zain.errors(), '"zain doctor --provider claude-code" finds out what is wrong.')
    }),
  )

  it.live("takes no program of the working directory for the agent, unless it is named (promise 18)", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const bin = join(home.work, "bin")
      mkdirSync(bin)
      symlinkSync(join(home.path, "codex"), join(bin, "codex"))
      const prompt = "⟦zain:say#a1 hello⟧"
      for (const entry of ["bin", bin]) {
        const zain = yield* home.run(["run", "--provider", "codex", prompt], { PATH: `${entry}:/usr/bin:/bin` })
        assert.strictEqual(yield* zain.exit, 1)
        assert.include(zain.errors(), `There is no program codex on PATH. The one in ${entry} is passed over`)
        assert.include(zain.errors(), `--command ${join(entry, "codex")}`)
        const served = yield* home.run(["serve", "codex"], { PATH: `${entry}:/usr/bin:/bin` })
        assert.strictEqual(yield* served.exit, 1)
        assert.include(served.errors(), `There is no program codex on PATH. The one in ${entry} is passed over`)
      }
      const named = yield* home.run(["run", "--provider", "codex", "--command", "bin/codex", prompt])
      assert.strictEqual(yield* named.exit, 0)
      const other = join(home.path, "other")
      mkdirSync(join(other, "bin"), { recursive: true })
      symlinkSync(join(home.path, "codex"), join(other, "bin/codex"))
      const env = { PATH: `${join(other, "bin")}:/usr/bin:/bin` }
      const there = yield* home.run(["run", "--provider", "codex", "--cwd", "../other", prompt], env)
      assert.strictEqual(yield* there.exit, 1)
      assert.include(there.errors(), `The one in ${join(other, "bin")} is passed over`)
    }),
  )

  it.live("gives up after --timeout", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const zain = yield* home.run([...home.prompt("codex", "⟦zain:hang#a1⟧"), "--timeout", "1s"])
      assert.strictEqual(yield* zain.exit, 1)
      assert.include(zain.errors(), "No answer within the deadline of 1s.")
      yield* home.peer("codex").cancelled("#a1")
      yield* Home.untilEmpty(home)
    }),
  )

  it.live("passes a variable on only when --env names it, and never says its value", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const zain = yield* home.run([...home.prompt("codex", "⟦zain:hang#a1⟧"), "--env", "MY_KEY"], {
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
    }),
  )
})

/** In milliseconds: after so long a close no longer waits for an agent that has yet to hear that it must stop. */
const polite = 1_000

describe("the end of zain run", () => {
  for (const agent of Home.agents)
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const)
      it.live(`tells ${agent} at ${signal} to stop, leaves no process, and exits with ${code}`, () =>
        Effect.gen(function* () {
          const home = yield* Home.make
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
        }),
      )

  it.live("leaves no agent behind when it is killed (promise 12)", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const zain = yield* home.run(home.prompt("codex", "⟦zain:hang#a1⟧"))
      yield* home.peer("codex").received("#a1")
      zain.kill("SIGKILL")
      assert.strictEqual(yield* zain.exit, "SIGKILL")
      yield* Home.untilEmpty(home)
    }),
  )

  it.live("ends at a signal also when nobody reads its lines", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      // It is its own reader, and does not read.
      const stopped = 'mkfifo "$HOME/lines"; exec 3<>"$HOME/lines"; exec "$@" > "$HOME/lines"'
      const args = [...home.prompt("codex", "⟦zain:events#a1 20000 piece⟧"), "--json"]
      const zain = yield* home.run(args, {}, stopped)
      yield* home.peer("codex").received("#a1")
      zain.kill("SIGTERM")
      assert.strictEqual(yield* zain.exit, 143)
      yield* Home.untilEmpty(home)
    }),
  )

  it.live("says that a disk is full, and exits with 1", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const full = 'exec "$@" > /dev/full'
      for (const args of [["--help"], ["--version"], home.prompt("codex", "⟦zain:say#a1 hello⟧")]) {
        const zain = yield* home.run(args, {}, full)
        assert.strictEqual(yield* zain.exit, 1, args.join(" "))
        assert.include(zain.errors(), "zain: Standard output could not be written: ENOSPC.\n")
      }
      yield* Home.untilEmpty(home)
    }),
  )

  it.live("stops the agent when the reader of its answer has gone", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const shell = '{ "$@"; echo "code $?" >&2; } | head -c 1'
      const zain = yield* home.run([...home.prompt("codex", "⟦zain:hang#a1⟧"), "--json"], {}, shell)
      yield* zain.says("errors", /code \d+/)
      assert.strictEqual(zain.output(), "{")
      assert.strictEqual(zain.errors(), "code 141\n")
      yield* Home.untilEmpty(home)
    }),
  )
})
