import { assert, describe, it } from "@effect/vitest"
import { InMemoryMcpClient } from "@zain/core"
import type { McpEvent } from "@zain/core/McpEvents"
import { test } from "@zain/testkit/Test"
import { Effect, Exit, Fiber, References, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as HeldAgent from "../testing/HeldAgent.ts"

const { failure, inWords, session, start } = HeldAgent

/** Runs an effect that yields after `steps` operations, and interrupts it there. */
const interruptedAfter = Effect.fnUntraced(function* <A, E>(steps: number, effect: Effect.Effect<A, E>) {
  const fiber = yield* start(Effect.provideService(effect, References.MaxOpsBeforeYield, steps))
  yield* Fiber.interrupt(fiber)
  return yield* Fiber.await(fiber)
})

/** With fewer operations between two yields a fiber makes no progress. */
const min = 4

/** Interrupts after an increasing number of steps, until the effect ends before its interruption. */
const atEveryStep = Effect.fnUntraced(function* <E, R>(
  scenario: (steps: number) => Effect.Effect<Exit.Exit<unknown, unknown>, E, R>,
) {
  let steps = min
  while (Exit.isFailure(yield* Effect.scoped(scenario(steps)))) assert.isBelow(++steps, 1_000)
  assert.isAbove(steps, min + 3, "the effect was never interrupted")
})

/** An execute with a reader yields at its end, so that every number of steps can interrupt it. */
const readingSteps = Array.from({ length: 150 }, (_, at) => min + at)

describe("interruption at any step", () => {
  it.effect("of closeSession leaves the session either closed and released or open (rule-3.released)", () =>
    atEveryStep(
      Effect.fnUntraced(function* (steps) {
        const { ask, close, log, next } = yield* session()
        const exit = yield* interruptedAfter(steps, close)
        const asked = yield* start(ask("still there?"))
        if (log.includes("released")) assert.strictEqual(yield* failure(asked), "SessionClosed closed not-sent")
        else {
          const { answer } = yield* next
          answer("yes")
          assert.strictEqual((yield* Fiber.join(asked)).content, "yes")
        }
        return exit
      }),
    ),
  )

  it.effect(
    "of execute leaves a session that runs the next turn, and every started turn emits its end (rules 4, 5)",
    () =>
      Effect.forEach(readingSteps, (steps) =>
        Effect.gen(function* () {
          const { adapter, ask, close, id } = yield* session({
            execute: ({ content }) => Effect.succeed({ content, isError: false }),
          })
          const reader = yield* start(Stream.runCollect(adapter.events(id)))
          const exit = yield* interruptedAfter(steps, ask("first"))
          assert.strictEqual((yield* ask("next")).content, "next")
          yield* close
          const events = yield* Fiber.join(reader)
          const count = (...tags: ReadonlyArray<McpEvent["_tag"]>) =>
            events.filter(({ _tag }) => tags.includes(_tag)).length
          assert.strictEqual(count("TurnStarted"), count("TurnCompleted", "TurnFailed"))
          return Exit.isFailure(exit)
        }).pipe(Effect.scoped),
      ).pipe(Effect.map((interrupted) => assert.include(interrupted, true))),
  )

  it.effect("of the first execute leaves the idle limit in force (port.idle)", () =>
    atEveryStep(
      Effect.fnUntraced(function* (steps) {
        let turns = 0
        const { ask } = yield* session(
          {
            execute: () =>
              Effect.suspend(() => (turns++ === 0 ? Effect.succeed({ content: "", isError: false }) : held)),
            abort: (error) => aborts.push(inWords(error)),
          },
          { idleTimeout: "1 minute" },
        )
        const aborts: Array<string> = []
        const held: Effect.Effect<never> = Effect.never
        const exit = yield* interruptedAfter(steps, ask("first"))
        turns = 1
        yield* start(ask("silent"))
        yield* TestClock.adjust("1 minute")
        // The fiber of the idle limit yields as often as the execute that started it.
        for (let rest = 0; rest < 200 && aborts.length === 0; rest++) yield* Effect.yieldNow
        assert.deepStrictEqual(aborts, ["ConnectionUnavailable stalled unknown"])
        return exit
      }),
    ),
  )

  test("of openSession leaves no session, except in the steps that return its id to the caller (rules 2, 8)", function* () {
    let kept = 0
    yield* atEveryStep(
      Effect.fnUntraced(function* (steps) {
        const scope = yield* Scope.make()
        const { adapter, log } = yield* Scope.provide(HeldAgent.make(), scope)
        const exit = yield* interruptedAfter(steps, adapter.openSession(HeldAgent.config))
        const left = () =>
          log.filter((line) => line === "connected").length - log.filter((line) => line === "released").length
        if (Exit.isFailure(exit)) kept += left()
        else assert.strictEqual(left(), 1)
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual(left(), 0)
        return exit
      }),
    )
    // The steps from the last check to the return of the id.
    assert.isAtMost(kept, 3)
  })
})

describe("closeSession at any step of a turn", () => {
  test("ends the turn and interrupts the function of the agent (rule 4)", function* () {
    let running = 0
    for (let steps = min; steps < 100; steps++) {
      const client = yield* InMemoryMcpClient.make({
        reply: () =>
          Effect.acquireUseRelease(
            Effect.sync(() => running++),
            () => Effect.never,
            () => Effect.sync(() => running--),
          ),
      })
      const id = yield* client.openSession(InMemoryMcpClient.config)
      const turn = Effect.provideService(client.execute(id, { content: "go" }), References.MaxOpsBeforeYield, steps)
      const asked = yield* start(turn)
      yield* client.closeSession(id)
      for (let rest = 0; rest < 200 && asked.pollUnsafe() === undefined; rest++) yield* Effect.yieldNow
      assert.isDefined(asked.pollUnsafe(), `the turn continues, closed after ${steps} steps`)
      assert.match(yield* failure(asked), /^SessionClosed closed/)
      assert.strictEqual(running, 0, `its function continues, closed after ${steps} steps`)
    }
  })
})

describe("a fiber that yields at any step", () => {
  test("of closeSession, while the client closes, returns after everything is released (rule-3.released; rule-8.disposal)", function* () {
    for (let steps = min; steps < 60; steps++) {
      const scope = yield* Scope.make()
      const releasing = Effect.addFinalizer(() => Effect.andThen(Effect.yieldNow, Effect.yieldNow))
      const { adapter, log } = yield* Scope.provide(HeldAgent.make({ connect: () => releasing }), scope)
      const id = yield* adapter.openSession(HeldAgent.config)
      const closing = yield* start(
        Effect.provideService(
          Effect.tap(adapter.closeSession(id), () => Effect.sync(() => log.push("said closed"))),
          References.MaxOpsBeforeYield,
          steps,
        ),
      )
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.await(closing)
      const said = log.indexOf("said closed")
      assert.include(log, "released")
      if (said >= 0) assert.isAbove(said, log.indexOf("released"), `yielded after ${steps} steps`)
    }
  })

  test("of a turn whose session closes still emits the end of the turn (rule-7.order)", function* () {
    let rested = 0
    for (let steps = min; steps < 60; steps++) {
      const { adapter, ask, close, id } = yield* session({
        execute: ({ content }) => Effect.as(Effect.yieldNow, { content, isError: false }),
      })
      const reader = yield* start(Stream.runCollect(adapter.events(id)))
      const asked = yield* start(Effect.provideService(ask("go"), References.MaxOpsBeforeYield, steps))
      yield* close
      rested += asked.pollUnsafe() === undefined ? 1 : 0
      const tags = HeldAgent.tagsOf(yield* Fiber.join(reader))
      assert.include([[], ["TurnStarted", "TurnCompleted"]].map(String), String(tags), `yielded after ${steps} steps`)
    }
    assert.isAbove(rested, 0)
  })
})
