/**
 * Screens on a fake terminal.
 */
import { Writable } from "node:stream"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Screen from "../../src/command/Screen.ts"
import * as Summary from "../../src/command/Summary.ts"
import { response } from "../Loops.ts"

const about = { title: "guide.md", judge: "Codex", writer: "Claude Code", target: 8, maxIterations: 5 }
const summary = Summary.make("cancelled", 8, undefined, { document: null, report: null })

/** A stream that claims to be a terminal. `frames` returns what was written since the last call. */
const terminal = (columns: number, rows: number) => {
  const written: Array<string> = []
  const stream = new Writable({
    write: (chunk, _, done) => {
      written.push(String(chunk))
      done()
    },
  })
  const size = { columns, rows, isTTY: true }
  const output = Object.assign(stream, size) as unknown as NodeJS.WriteStream
  return { output, frames: () => written.splice(0).join("") }
}

describe("Screen.live", () => {
  test("draws with each event and each second, until the loop ends", function* () {
    const { frames, output } = terminal(80, 24)
    const over = yield* Effect.scoped(
      Effect.gen(function* () {
        const screen = yield* Screen.live(about, output)
        yield* screen.tell({ _tag: "IterationStarted", iteration: 1 })
        assert.include(frames(), "Codex judges 0:00")
        yield* TestClock.adjust("1 second")
        assert.include(frames(), "0:01")
        yield* TestClock.adjust("9 seconds")
        assert.include(frames(), "0:10")
        yield* screen.tell({ _tag: "Evaluated", iteration: 1, evaluation: response(7.5) })
        assert.include(frames(), "7.5")
        yield* screen.end(summary)
        assert.include(frames(), "Cancelled.")
        yield* TestClock.adjust("1 minute")
        return screen
      }),
    )
    assert.strictEqual(frames(), "")
    over.print("a late word")
    assert.strictEqual(frames(), "a late word\n")
  })

  test("redraws on a cleared screen after a resize, and removes its listener at the end", function* () {
    const { frames, output } = terminal(100, 24)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const screen = yield* Screen.live(about, output)
        yield* screen.tell({ _tag: "IterationStarted", iteration: 1 })
        frames()
        output.columns = 40
        output.emit("resize")
        const drawn = frames()
        assert.isAtLeast(drawn.split("\n").length, 7)
        // The screen is cleared of lines that the terminal has wrapped or restored.
        assert.isBelow(drawn.indexOf("\u001b[H\u001b[J"), drawn.indexOf("LoopSmith"))
        assert.include(drawn, "\u001b[H\u001b[J")
        assert.isAtLeast(output.listenerCount("resize"), 1)
      }),
    )
    assert.strictEqual(output.listenerCount("resize"), 0)
  })

  test("clears its drawing for a line of the log, and draws again below it", function* () {
    const { frames, output } = terminal(80, 24)
    const screen = yield* Screen.live(about, output)
    yield* screen.tell({ _tag: "IterationStarted", iteration: 1 })
    frames()
    screen.print("WARN an attempt failed")
    const said = frames()
    assert.include(said, "\nWARN an attempt failed\n".slice(1))
    assert.isBelow(said.indexOf("WARN"), said.indexOf("LoopSmith"))
  })
})

describe("Screen without a terminal", () => {
  test("writes lines without escapes, and with colours when they are forced", function* () {
    const plain = terminal(80, 24)
    const colored = terminal(80, 24)
    for (const [{ output }, color] of [
      [plain, false],
      [colored, true],
    ] as const) {
      const screen = Screen.lines(about, output, color)
      yield* screen.tell({ _tag: "Evaluated", iteration: 1, evaluation: response(7.5) })
      yield* screen.end(summary)
    }
    const text = plain.frames()
    assert.include(text, "Score 7.5")
    assert.notInclude(text, "\u001b")
    assert.include(colored.frames(), "\u001b[1mScore 7.5")
  })

  test("waits until the last line of JSON is written", function* () {
    const unread: Array<() => void> = []
    const slow = new Writable({ write: (_chunk, _encoding, done) => void unread.push(done) })
    const screen = Screen.json(slow, slow)
    yield* screen.tell({ _tag: "IterationStarted", iteration: 1 })
    const ending = yield* Effect.forkChild(screen.end(summary), { startImmediately: true })
    assert.isUndefined(ending.pollUnsafe())
    for (let done = unread.shift(); done !== undefined; done = unread.shift()) done()
    yield* Fiber.join(ending)
    assert.deepStrictEqual(unread, [])
  })

  test("writes only problems when it is quiet", function* () {
    const { frames, output } = terminal(80, 24)
    const screen = Screen.quiet(output)
    yield* screen.tell({ _tag: "IterationStarted", iteration: 1 })
    yield* screen.end(summary)
    assert.strictEqual(frames(), "")
    yield* screen.end({ ...summary, problem: "\u001b[2JOut of ink." })
    assert.strictEqual(frames(), "Out of ink.\n")
  })
})
