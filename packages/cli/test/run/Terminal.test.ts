/**
 * `zain run` on a terminal: what people see, what they are asked, and what their keys do.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Home from "./Home.ts"

const down = "\u001b[B"
const enter = "\r"
const ctrlC = "\u0003"
const escapeKey = "\u001b"

describe("zain run, on a terminal", () => {
  for (const agent of Home.agents) {
    it.live(`shows what ${agent} wants to run, where and why, and lets it go on by a yes`, () =>
      Effect.gen(function* () {
        const home = yield* Home.make
        const zain = yield* home.terminal(home.prompt(agent, "⟦zain:approve#a1⟧"))
        yield* zain.says("output", /Allow it\?/)
        const shown = Home.seen(zain.output())
        assert.match(shown, /wants to run a command:\r\n {2}command {2}touch approved\r\n/)
        assert.match(shown, new RegExp(`\\n {2}in {7}${home.work}\\r\\n {2}because {2}\\w`))
        zain.type(down + enter)
        assert.strictEqual(yield* zain.exit, 0)
        assert.match(Home.seen(zain.output()), /Yes, once\r\n[\s\S]*\napproved/)
        yield* Home.untilEmpty(home)
      }),
    )
  }

  for (const agent of ["codex"] as const)
    for (const [where, env] of [
      ["drawn", {}],
      ["in plain lines", { TERM: "dumb" }],
    ] as const)
      it.live(
        `shows the diff of what ${agent} wants to write, before it is allowed, in a question that is ${where}`,
        () =>
          Effect.gen(function* () {
            const home = yield* Home.make
            const zain = yield* home.terminal(home.prompt(agent, "⟦zain:change#a1 a new line⟧"), env)
            yield* zain.says("output", /Allow it\?/)
            const shown = Home.seen(zain.output())
            assert.match(shown, /\r\n {2}add {6}\S*changed\.txt\r\n(?: {11}@@.*\r\n)? {11}\+a new line\r\n/)
            zain.type(`${env === undefined || !("TERM" in env) ? down : "y"}${enter}`)
            assert.strictEqual(yield* zain.exit, 0)
            assert.include(Home.seen(zain.output()), "approved")
          }),
      )

  it.live("tells the agent a no, and the reason with it", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const zain = yield* home.terminal(home.prompt("claude-code", "⟦zain:approve#a1⟧"))
      yield* zain.says("output", /Allow it\?/)
      // What Enter means is a no: a key that was pressed too early allows nothing.
      zain.type(enter)
      yield* zain.says("output", /Why not/)
      zain.type(`make it in /tmp${enter}`)
      assert.strictEqual(yield* zain.exit, 0)
      assert.match(Home.seen(zain.output()), /\ndeclined: make it in \/tmp\r\n/)
    }),
  )

  it.live("takes a yes for the whole session for a yes, where the agent knows no such thing", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const zain = yield* home.terminal(home.prompt("codex", "⟦zain:approve#a1⟧"))
      yield* zain.says("output", /Allow it\?/)
      zain.type(down + down + enter)
      assert.strictEqual(yield* zain.exit, 0)
      assert.match(Home.seen(zain.output()), /\napproved: "accept"/)
    }),
  )

  for (const [how, shell, isTyped] of [
    ["typed", 'exec "$@"', true],
    ["piped", 'echo "⟦zain:approve#a1⟧" | "$@"', false],
  ] as const)
    it.live(`asks on the terminal also when the prompt is ${how} into standard input`, () =>
      Effect.gen(function* () {
        const home = yield* Home.make
        const args = [...home.prompt("codex", "").slice(0, -1), "-"]
        const zain = yield* home.terminal(args, {}, shell)
        if (isTyped) zain.type(`⟦zain:approve#a1⟧${enter}\u0004`)
        yield* zain.says("output", /Allow it\?/)
        zain.type(down + enter)
        assert.strictEqual(yield* zain.exit, 0)
        assert.match(Home.seen(zain.output()), /Yes, once\r\n[\s\S]*\napproved/)
        yield* Home.untilEmpty(home)
      }),
    )

  it.live("asks nobody where there is no terminal to ask on, and says so", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const zain = yield* home.terminal(home.prompt("codex", "⟦zain:approve#a1⟧"), {}, 'setsid -w "$@" < /dev/null')
      assert.strictEqual(yield* zain.exit, 0)
      assert.include(zain.output(), "Nobody can be asked here.")
    }),
  )

  for (const [keys, said] of [
    ["y", /\napproved/],
    ["s", /\napproved/],
    ["", /\ndeclined/],
    ["maybe", /\ndeclined/],
  ] as const)
    it.live(`asks in plain lines where nothing can be drawn, and takes "${keys}" for what it says`, () =>
      Effect.gen(function* () {
        const home = yield* Home.make
        const prompt = home.prompt("codex", "⟦zain:approve#a1⟧")
        const zain = yield* home.terminal(prompt, { TERM: "dumb" })
        yield* zain.says("output", /Allow it\?.*>/)
        zain.type(keys + enter)
        if (keys !== "y" && keys !== "s") {
          yield* zain.says("output", /Why not.*>/)
          zain.type(enter)
        }
        assert.strictEqual(yield* zain.exit, 0)
        assert.match(zain.output(), said)
        assert.notInclude(zain.output(), "\u001b")
        yield* Home.untilEmpty(home)
      }),
    )

  it.live("shows nothing that drives a terminal also where nothing can be drawn", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const zain = yield* home.terminal(home.prompt("codex", "⟦zain:say#a1 a\u001b]52;c;aGk=\u0007b⟧"), {
        TERM: "dumb",
      })
      assert.strictEqual(yield* zain.exit, 0)
      assert.include(zain.output(), "a]52;c;aGk=b\r\n")
      assert.notInclude(zain.output(), "\u001b")
    }),
  )

  it.live("asks nobody what an option allows, and asks nobody with --json", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const prompt = home.prompt("codex", "⟦zain:approve#a1⟧")
      const allowed = yield* home.terminal([...prompt, "--approve-command", "touch approved"])
      assert.strictEqual(yield* allowed.exit, 0)
      assert.notMatch(allowed.output(), /Allow it/)
      assert.match(Home.seen(allowed.output()), /✓ Allowed by the command line: touch approved\r\n/)
      const machine = yield* home.terminal([...prompt, "--json"])
      assert.strictEqual(yield* machine.exit, 0)
      assert.notMatch(machine.output(), /Allow it/)
      assert.match(machine.output(), /"_tag":"ApprovalDecided".*"decision":{"_tag":"Decline"/)
    }),
  )

  for (const [name, key] of Object.entries({ "Ctrl-C": ctrlC, Escape: escapeKey }))
    it.live(`interrupts the turn at ${name} while it asks, and exits with 130`, () =>
      Effect.gen(function* () {
        const home = yield* Home.make
        const zain = yield* home.terminal(home.prompt("codex", "⟦zain:approve#a1⟧"))
        yield* zain.says("output", /Allow it\?/)
        zain.type(key)
        assert.strictEqual(yield* zain.exit, 130)
        yield* home.peer("codex").cancelled("#a1")
        assert.match(
          Home.seen(zain.output()),
          /Interrupting Codex… Press Ctrl-C again to end at once\.[\s\S]*Interrupted after/,
        )
        yield* Home.untilEmpty(home)
      }),
    )

  it.live("takes nothing for an answer that was typed before the question", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const zain = yield* home.terminal(home.prompt("claude-code", "⟦zain:approve#a1⟧"))
      // To the question, j is a step down.
      zain.type(`j${enter}${down}${enter}j`)
      yield* zain.says("output", /Allow it\?/)
      zain.type(ctrlC)
      assert.strictEqual(yield* zain.exit, 130)
      assert.notInclude(Home.seen(zain.output()), "● Yes, once")
      yield* home.peer("claude-code").cancelled("#a1")
    }),
  )

  it.live("gives the terminal back when the turn ends while it asks", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const prompt = home.prompt("codex", "⟦zain:approve#a1⟧")
      const [zain, seconds] = yield* Home.limited(
        (limit) => Effect.tap(home.terminal([...prompt, "--timeout", `${limit}s`]), ({ exit }) => exit),
        (ended) => ended.output().includes("Allow it?"),
      )
      assert.strictEqual(yield* zain.exit, 1)
      assert.include(zain.output(), `No answer within the deadline of ${seconds}s.`)
      // The cursor, which the question has hidden.
      assert.isAbove(zain.output().lastIndexOf("\u001b[?25h"), zain.output().lastIndexOf("\u001b[?25l"))
      yield* home.peer("codex").cancelled("#a1")
      yield* Home.untilEmpty(home)
    }),
  )

  it.live("interrupts the turn at Ctrl-C while the agent works", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const zain = yield* home.terminal(home.prompt("claude-code", "⟦zain:hang#a1⟧"))
      yield* home.peer("claude-code").received("#a1")
      zain.type(ctrlC)
      assert.strictEqual(yield* zain.exit, 130)
      yield* home.peer("claude-code").cancelled("#a1")
      assert.match(zain.output(), /Interrupted after/)
      yield* Home.untilEmpty(home)
    }),
  )

  it.live("ends everything at once at the second Ctrl-C, also an agent that does not want to end", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const command = yield* home.stubborn
      const zain = yield* home.terminal(["run", "--provider", "codex", "--command", command, "hello"])
      yield* home.until(() => home.environments().some(({ command: line }) => line.startsWith("/bin/sh")))
      zain.type(ctrlC)
      yield* zain.says("output", /Press Ctrl-C again/)
      zain.type(ctrlC)
      assert.strictEqual(yield* zain.exit, 130)
      assert.notMatch(zain.output(), /Interrupted after/)
      assert.isTrue(zain.output().endsWith("\r\u001b[K"), "what spins stays behind")
      yield* Home.untilEmpty(home)
    }),
  )

  it.live("shows nothing that an answer could drive the terminal with, and pipes it as it is", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const prompt = home.prompt("codex", "⟦zain:say#a1 a\u001b]52;c;aGk=\u0007b\u202ec\u001b[2J⟧")
      const shown = yield* home.terminal(prompt)
      assert.strictEqual(yield* shown.exit, 0)
      assert.include(shown.output(), "a]52;c;aGk=bc[2J\r\n")
      const piped = yield* home.run(prompt)
      assert.strictEqual(yield* piped.exit, 0)
      assert.strictEqual(piped.output(), "a\u001b]52;c;aGk=\u0007b\u202ec\u001b[2J\n")
    }),
  )

  it.live("has colours on a terminal alone, and none with NO_COLOR", () =>
    Effect.gen(function* () {
      const home = yield* Home.make
      const prompt = home.prompt("codex", "⟦zain:fail#a1 no⟧")
      const colour = "\u001b[31m✗\u001b[39m"
      const coloured = yield* home.terminal(prompt)
      assert.strictEqual(yield* coloured.exit, 1)
      assert.include(coloured.output(), colour)
      const plain = yield* home.terminal(prompt, { NO_COLOR: "1" })
      assert.strictEqual(yield* plain.exit, 1)
      assert.notInclude(plain.output(), colour)
      const both = yield* home.terminal(prompt, { NO_COLOR: "1", FORCE_COLOR: "1" })
      assert.strictEqual(yield* both.exit, 1)
      assert.notInclude(both.output(), colour)
      assert.notInclude(both.output(), "Warning")
      const piped = yield* home.run(prompt)
      assert.strictEqual(yield* piped.exit, 1)
      assert.notInclude(piped.errors(), "\u001b")
    }),
  )
})
