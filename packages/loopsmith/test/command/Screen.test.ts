/**
 * Screens on a stream.
 */
import { Writable } from "node:stream"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import * as Screen from "../../src/command/Screen.ts"
import * as Summary from "../../src/command/Summary.ts"
import { response } from "../Loops.ts"

const about = { judge: "Codex", writer: "Claude Code", maxIterations: 5 }
const summary = Summary.make("cancelled", 8, undefined, { document: null, report: null })

/** A stream. `written` returns what was written since the last call. */
const stream = () => {
  const chunks: Array<string> = []
  const write = (chunk: string) => chunks.push(chunk) > 0
  return { output: { write } as Screen.Output, written: () => chunks.splice(0).join("") }
}

describe("Screen", () => {
  test("writes lines without escapes, and with colours when they are forced", function* () {
    const plain = stream()
    const colored = stream()
    for (const [{ output }, color] of [
      [plain, false],
      [colored, true],
    ] as const) {
      const screen = Screen.lines(about, output, color)
      yield* screen.tell({ _tag: "Evaluated", iteration: 1, evaluation: response(7.5) })
      yield* screen.end(summary)
    }
    const text = plain.written()
    assert.include(text, "Score 7.5")
    assert.notInclude(text, "\u001b")
    assert.include(colored.written(), "\u001b[1mScore 7.5")
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
    const { output, written } = stream()
    const screen = Screen.quiet(output)
    yield* screen.tell({ _tag: "IterationStarted", iteration: 1 })
    yield* screen.end(summary)
    assert.strictEqual(written(), "")
    yield* screen.end({ ...summary, problem: "\u001b[2JOut of ink." })
    assert.strictEqual(written(), "Out of ink.\n")
  })
})
