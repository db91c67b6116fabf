/**
 * `zain run` on a terminal: its output, questions and keys.
 */
import { PassThrough } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import * as McpApproval from "@zain/core/McpApproval"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import * as Question from "../../src/run/Question.ts"
import * as Home from "../../testing/run/Home.ts"
import { ended, inHome } from "../../testing/run/Home.ts"

const down = "\u001b[B"
const enter = "\r"
const ctrlC = "\u0003"
const escapeKey = "\u001b"

const dumb = { TERM: "dumb" }

describe("zain run, on a terminal", () => {
  inHome("shows the command, directory and reason of a request, and approves it by a yes", function* (home) {
    const zain = yield* home.terminal(home.prompt("claude-code", "⟦zain:approve#a1⟧"))
    yield* zain.says("output", /Allow it\?/)
    const shown = Home.seen(zain.output())
    assert.match(shown, /wants to run a command:\r\n {2}command {2}touch approved\r\n/)
    assert.match(shown, new RegExp(`\\n {2}in {7}${home.work}\\r\\n {2}because {2}\\w`))
    zain.type(down + enter)
    assert.strictEqual(yield* zain.exit, 0)
    assert.match(Home.seen(zain.output()), /Yes, once\r\n[\s\S]*\napproved/)
    yield* Home.untilEmpty(home)
  })

  inHome("shows the diff of a change before it is approved, in plain lines on a dumb terminal", function* (home) {
    const zain = yield* home.terminal(home.prompt("codex", "⟦zain:change#a1 a new line⟧"), dumb)
    yield* zain.says("output", /Allow it\?/)
    const shown = Home.seen(zain.output())
    assert.match(shown, /\r\n {2}add {6}\S*changed\.txt\r\n(?: {11}@@.*\r\n)? {11}\+a new line\r\n/)
    zain.type(`y${enter}`)
    assert.strictEqual(yield* zain.exit, 0)
    assert.include(Home.seen(zain.output()), "approved")
    assert.notInclude(zain.output(), "\u001b")
  })

  for (const [where, env, asked, keys] of [
    ["drawn", {}, /Something else/, `${down}${down}${enter}`],
    ["in plain lines", dumb, /Enter for none/, `2${enter}`],
  ] as const)
    inHome(`asks what the agent asks, in a question that is ${where}`, function* (home) {
      const zain = yield* home.terminal(home.prompt("codex", "⟦zain:ask#a1 Which colour?⟧"), env)
      yield* zain.says("output", asked)
      assert.match(
        Home.seen(zain.output()),
        /asks: Which colour\?\r\n {2}asks {5}Colour: Which colour\?\r\n {2}option {3}Red: The warm one\.\r\n/,
      )
      zain.type(keys)
      assert.strictEqual(yield* zain.exit, 0)
      assert.match(Home.seen(zain.output()), /\napproved: .*Blue/)
    })

  inHome("leaves a question without an answer to the agent", function* (home) {
    const zain = yield* home.terminal(home.prompt("claude-code", "⟦zain:ask#a1 Which colour?⟧"))
    yield* zain.says("output", /Something else/)
    // Enter means no answer: an early key press selects nothing.
    zain.type(enter)
    assert.strictEqual(yield* zain.exit, 0)
    assert.match(Home.seen(zain.output()), /\ndeclined: Questions cannot be answered here\./)
  })

  inHome(
    "ignores input that was typed before the question, and sends a no with its reason to the agent",
    function* (home) {
      const zain = yield* home.terminal(home.prompt("claude-code", "⟦zain:approve#a1⟧"))
      // To the question, j is a step down.
      zain.type(`j${enter}${down}${enter}j`)
      yield* zain.says("output", /Allow it\?/)
      // Enter means no: an early key press approves nothing.
      zain.type(enter)
      yield* zain.says("output", /Why not/)
      zain.type(`make it in /tmp${enter}`)
      assert.strictEqual(yield* zain.exit, 0)
      assert.notInclude(Home.seen(zain.output()), "● Yes, once")
      assert.match(Home.seen(zain.output()), /\ndeclined: make it in \/tmp\r\n/)
    },
  )

  for (const [how, shell, answer, keys, said] of [
    ["typed", 'exec "$@"', "yes", down + enter, /Yes, once\r\n[\s\S]*\napproved/],
    ["piped", 'echo "⟦zain:approve#a1⟧" | "$@"', "yes for the session", down + down + enter, /\napproved: "accept"/],
  ] as const)
    inHome(
      `asks on the terminal if the prompt is ${how} into standard input, and takes a ${answer}, which is a single yes if the agent has no such answer`,
      function* (home) {
        const args = [...home.prompt("codex", "").slice(0, -1), "-"]
        const zain = yield* home.terminal(args, {}, shell)
        if (how === "typed") zain.type(`⟦zain:approve#a1⟧${enter}\u0004`)
        yield* zain.says("output", /Allow it\?/)
        zain.type(keys)
        assert.strictEqual(yield* zain.exit, 0)
        assert.match(Home.seen(zain.output()), said)
        yield* Home.untilEmpty(home)
      },
    )

  inHome("declines requests without a terminal, and reports that", function* (home) {
    const zain = yield* ended(
      0,
      home.terminal(home.prompt("codex", "⟦zain:approve#a1⟧"), {}, 'setsid -w "$@" < /dev/null'),
    )
    assert.include(zain.output(), "No terminal to ask on.")
  })

  inHome("reads a reason with a line separator whole on a dumb terminal", function* (home) {
    const zain = yield* home.terminal(home.prompt("codex", "⟦zain:approve#a1⟧"), dumb)
    yield* zain.says("output", /Allow it\?.*>/)
    // In one piece, as of a paste.
    zain.type(`n${enter}in /tmp\u2028please${enter}`)
    assert.strictEqual(yield* zain.exit, 0)
    assert.match(zain.output(), /\ndeclined.*in \/tmp\\u\{2028\}please/)
  })

  inHome.each(Object.entries({ "Ctrl-C": ctrlC, "Ctrl-D": "\u0004" }))(
    "interrupts the turn at %s while it asks in plain lines, and exits with 130",
    function* (home, [, key]) {
      const zain = yield* home.terminal(home.prompt("codex", "⟦zain:approve#a1⟧"), dumb)
      yield* zain.says("output", /Allow it\?.*>/)
      zain.type(key)
      assert.strictEqual(yield* zain.exit, 130)
      yield* home.peer("codex").cancelled("#a1")
      yield* Home.untilEmpty(home)
    },
  )

  inHome("asks no question with --json", function* (home) {
    const zain = yield* ended(0, home.terminal(home.prompt("codex", "⟦zain:approve#a1⟧", "--json")))
    assert.notMatch(zain.output(), /Allow it/)
    assert.match(zain.output(), /"_tag":"ApprovalDecided".*"decision":{"_tag":"Decline"/)
  })

  for (const [name, key] of Object.entries({ "Ctrl-C": ctrlC, Escape: escapeKey }))
    inHome(`interrupts the turn at ${name} while it asks, and exits with 130`, function* (home) {
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
    })

  inHome("restores the terminal when the turn ends during a question", function* (home) {
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
  })

  inHome("interrupts the turn at Ctrl-C while the agent works", function* (home) {
    const zain = yield* home.terminal(home.prompt("claude-code", "⟦zain:hang#a1⟧"))
    yield* home.peer("claude-code").received("#a1")
    zain.type(ctrlC)
    assert.strictEqual(yield* zain.exit, 130)
    yield* home.peer("claude-code").cancelled("#a1")
    assert.match(zain.output(), /Interrupted after/)
    yield* Home.untilEmpty(home)
  })

  inHome("kills an agent that ignores the interruption at the second Ctrl-C", function* (home) {
    const command = yield* home.stubborn
    const atSecond = Effect.gen(function* () {
      const zain = yield* home.terminal(["run", "--provider", "codex", "--command", command, "hello"])
      yield* home.until(() => home.environments().some(({ command: line }) => line.startsWith("/bin/sh")))
      zain.type(ctrlC)
      yield* zain.says("output", /Press Ctrl-C again/)
      zain.type(ctrlC)
      assert.strictEqual(yield* zain.exit, 130)
      yield* Home.untilEmpty(home)
      return zain.output()
    })
    // On a busy machine the end that the first one asks for may be over before the second arrives.
    const output = yield* Effect.repeat(atSecond, {
      times: 4,
      until: (output) => !output.includes("Interrupted after"),
    })
    assert.notMatch(output, /Interrupted after/)
    assert.isTrue(output.endsWith("\r\u001b[K"), "what spins stays behind")
  })

  inHome("removes control characters of an answer on a terminal, and pipes them unchanged", function* (home) {
    const prompt = home.prompt("codex", "⟦zain:say#a1 a\u001b]52;c;aGk=\u0007b\u202ec\u001b[2J⟧")
    const shown = yield* ended(0, home.here(prompt, {}, { columns: 100 }))
    assert.include(shown.output(), "a]52;c;aGk=bc[2J\n")
    const piped = yield* ended(0, home.here(prompt))
    assert.strictEqual(piped.output(), "a\u001b]52;c;aGk=\u0007b\u202ec\u001b[2J\n")
  })

  inHome(
    "has colours on a terminal alone, without NO_COLOR, and asks no question about approved requests",
    function* (home) {
      const prompt = home.prompt("codex", "⟦zain:approve#a1⟧", "--approve-command", "touch approved")
      const colour = "\u001b[32m✓"
      const coloured = yield* ended(0, home.here(prompt, { TERM: "xterm" }, { columns: 100 }))
      assert.include(coloured.errors(), colour)
      const plain = yield* ended(0, home.terminal(prompt, { NO_COLOR: "1", FORCE_COLOR: "1" }))
      assert.notInclude(plain.output(), colour)
      assert.notInclude(plain.output(), "Warning")
      assert.notMatch(plain.output(), /Allow it/)
      assert.match(Home.seen(plain.output()), /✓ Allowed by the command line: touch approved\r\n/)
      const piped = yield* ended(0, home.here(prompt))
      assert.notInclude(piped.errors(), "\u001b")
    },
  )
})

describe("a question in plain lines", () => {
  it.each([
    ["y", McpApproval.approve],
    ["s", McpApproval.approveForSession],
    ["", McpApproval.decline("The user declined.")],
    ["maybe", McpApproval.decline("The user declined.")],
  ])('accepts "%s"', async (answer, decision) => {
    const keyboard = Object.assign(new PassThrough(), { setRawMode: () => {} })
    const written = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      keyboard.write(String(text).startsWith("Allow it?") ? `${answer}\n` : "\n")
      return true
    })
    const { signal } = new AbortController()
    const given = await Question.ask({ keyboard: keyboard as never, canDraw: false, signal })
    written.mockRestore()
    assert.deepStrictEqual(given, decision)
  })
})
