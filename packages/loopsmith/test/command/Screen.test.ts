/**
 * A loop on a terminal that is none: what is drawn when, and how it is left.
 */
import { Writable } from "node:stream"
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { test } from "../../../core/test/Test.ts"
import * as Screen from "../../src/command/Screen.ts"
import * as Summary from "../../src/command/Summary.ts"
import { response } from "../Loops.ts"

const about = { title: "guide.md", judge: "Codex", writer: "Claude Code", target: 8, maxIterations: 5 }
const summary = Summary.make("cancelled", 8, undefined, { document: null, report: null })

/** A stream that calls itself a terminal. `frames` takes what was written since the last time. */
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

describe("a live screen", () => {
  test("draws with each event and each second, and no more when it is over", function* () {
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

  test("draws anew on a cleared screen when the terminal is resized, and listens to it no longer than it lasts", function* () {
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
        // What the terminal has wrapped, or brings back from above when it grows, is nobody's any more.
        assert.isBelow(drawn.indexOf("\u001b[H\u001b[J"), drawn.indexOf("LoopSmith"))
        assert.include(drawn, "\u001b[H\u001b[J")
        assert.isAtLeast(output.listenerCount("resize"), 1)
      }),
    )
    assert.strictEqual(output.listenerCount("resize"), 0)
  })

  test("takes itself away for a line of the log, and comes back below it", function* () {
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

describe("other screens", () => {
  test("write lines without any escape where there is no terminal, and colours where they are forced", function* () {
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

  test("end JSON only when it has been read", function* () {
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

  test("say nothing but problems when they are to be quiet", function* () {
    const { frames, output } = terminal(80, 24)
    const screen = Screen.quiet(output)
    yield* screen.tell({ _tag: "IterationStarted", iteration: 1 })
    yield* screen.end(summary)
    assert.strictEqual(frames(), "")
    yield* screen.end({ ...summary, problem: "\u001b[2JOut of ink." })
    assert.strictEqual(frames(), "Out of ink.\n")
  })
})
