/**
 * The log of a server.
 */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber, Logger, References, type Scope } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { until } from "../../../tool-server/testing/InMemory.ts"
import type * as Evaluation from "../../src/Evaluation.ts"
import * as LoopSmithServer from "../../src/server/LoopSmithServer.ts"
import { byAgent, byHand, judged, scoring, sdk } from "./Clients.ts"
import * as Judge from "./Judge.ts"

const evaluate = "evaluate_document"

interface Line {
  readonly level: string
  readonly message: unknown
  readonly [annotation: string]: unknown
}

/** A test with the log entries from a level on. */
const logged = (
  level: "Debug" | "Info",
  title: string,
  steps: (lines: ReadonlyArray<Line>) => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, void, never>,
) =>
  test(title, function* () {
    const lines: Array<Line> = []
    const logger = Logger.make(({ fiber, logLevel, message }) => {
      const said = Array.isArray(message) && message.length === 1 ? message[0] : message
      lines.push({ level: logLevel, message: said, ...fiber.getRef(References.CurrentLogAnnotations) })
    })
    yield* Effect.gen(() => steps(lines)).pipe(
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, level),
    )
  })

describe("the log of a server", () => {
  logged("Info", "has one line for the end of each evaluation, without the document", function* (lines) {
    const { judge, server } = byHand()
    const client = yield* sdk(server)
    const content = "the document itself"
    const call = yield* Effect.forkChild(client.call(evaluate, { content }))
    yield* until(() => judge.asked.length === 1)
    yield* TestClock.adjust("1500 millis")
    judge.asked[0]?.give(7.2)
    yield* Fiber.join(call)
    yield* Effect.flip(judged(client, judge, Judge.error(), { args: { content } }))
    const cancelled = yield* Effect.forkChild(client.call(evaluate, { content }))
    yield* until(() => judge.asked.length === 3)
    yield* Fiber.interrupt(cancelled)
    yield* until(() => lines.length === 3)
    const by = { client: 1, tool: evaluate }
    assert.deepStrictEqual(lines, [
      {
        level: "Info",
        message: "evaluated a document",
        ...by,
        ...{ score: 7.2, pass: false, model: "by hand", iteration: 1, attempts: 1, ms: 1500 },
      },
      {
        level: "Error",
        message: "a document could not be evaluated",
        ...by,
        ...{ cause: "The last of 3 attempts failed.", iteration: 2, attempts: 1, ms: 0 },
      },
      {
        level: "Info",
        message: "an evaluation was cancelled",
        ...by,
        ...{ iteration: 2, attempts: 1, ms: 0 },
      },
    ])
    assert.notInclude(JSON.stringify(lines), content)
  })

  logged("Info", "has no `iteration` and no `pass` for get_improvement_suggestions", function* (lines) {
    const { judge, server } = byHand()
    const client = yield* sdk(server)
    const tool = "get_improvement_suggestions"
    yield* judged(client, judge, 9, { tool })
    const said = { level: "Info", message: "evaluated a document", client: 1, tool }
    assert.deepStrictEqual(lines, [{ ...said, score: 9, model: "by hand", attempts: 1, ms: 0 }])
  })

  logged("Info", "has a warning with the tool for each failed attempt", function* (lines) {
    const { asked, server } = yield* byAgent("none", scoring(9))
    const client = yield* sdk(server)
    const call = yield* Effect.forkChild(client.call(evaluate, { content: "x" }))
    yield* until(() => lines.length === 1)
    yield* until(() => asked() === 1)
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(call)
    assert.deepInclude(lines[0], { level: "Warn", message: "attempt 1 of 3 failed", reason: "bad-answer" })
    assert.deepInclude(lines[1], { message: "evaluated a document", attempts: 2, ms: 1000 })
    assert.strictEqual(lines[0]?.["tool"], evaluate)
  })

  logged("Debug", "has connections, disconnections and every state of a call at debug level", function* (lines) {
    const { judge, server } = byHand()
    const client = yield* sdk(server)
    const statesOf = Effect.fnUntraced(function* (said: Parameters<typeof judged>[2]) {
      const from = lines.length
      yield* Effect.exit(judged(client, judge, said))
      return lines.slice(from).flatMap(({ state }) => (state === undefined ? [] : [state]))
    })
    const evaluating = ["RunningTool", "Evaluating", "RunningAgent"]
    const scoring = [...evaluating, "ParsingAnswer", "Scoring"]
    assert.deepStrictEqual(yield* statesOf(5), [
      ...["Connecting", "Initialized"],
      ...[...scoring, "NeedsWork", "Suggesting", "Initialized"],
    ])
    assert.deepStrictEqual(yield* statesOf(9), [...scoring, "Passed", "Idle"])
    assert.deepStrictEqual(yield* statesOf(Judge.error()), [...[...evaluating, "HandlingError", "Failed", "Idle"]])
    yield* client.session.leave
    assert.deepStrictEqual(lines.at(-1), { level: "Debug", message: "a client disconnected", client: 1 })
  })

  logged(
    "Info",
    "has an evaluator's invalid event as a defect, and the client gets an error result (promise 7)",
    function* (lines) {
      const silent = {
        evaluate: (request: Evaluation.EvaluationRequest) => Effect.succeed(Judge.response(request, 9)),
      }
      const client = yield* sdk(LoopSmithServer.make({ evaluator: silent, version: "0" }))
      const result = yield* client.call(evaluate, { content: "x" })
      assert.isTrue(result.isError)
      assert.match(JSON.stringify(result.content), /cannot happen in the state/)
      assert.lengthOf(lines, 1)
    },
  )
})
