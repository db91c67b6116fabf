/** A loop that is followed while it runs, and ended from outside. */
import { assert, describe, it } from "@effect/vitest"
import { ImprovementLoop, type LoopEvent } from "@zain/loopsmith"
import { Writer } from "@zain/loopsmith/Writer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { judge, told, writer } from "./Loops.ts"

/** A judge that gives 5, and a writer that waits until it is let go; both say when they are interrupted. */
const held = Effect.gen(function* () {
  const asked = yield* Deferred.make<void>()
  const letGo = yield* Deferred.make<void>()
  const ended: Array<string> = []
  const slow = Layer.succeed(Writer, {
    rewrite: ({ content }) =>
      Deferred.succeed(asked, undefined).pipe(
        Effect.andThen(Deferred.await(letGo)),
        Effect.as(`${content}+`),
        Effect.onInterrupt(() => Effect.sync(() => ended.push("writer"))),
      ),
  })
  return { asked, letGo, ended, layers: [judge([5, 9]), slow] as const }
})

describe("following and ending it", () => {
  it.effect("events come when they happen: the evaluation is heard while the writer still writes", () =>
    Effect.gen(function* () {
      const { letGo, layers } = yield* held
      const heard: Array<string> = []
      const rewriting = yield* Deferred.make<void>()
      const following = yield* ImprovementLoop.improve({ content: "v1" }).pipe(
        Stream.runForEach((event) =>
          Effect.suspend(() => {
            heard.push(told(event))
            return event._tag === "RewriteStarted" ? Deferred.succeed(rewriting, undefined) : Effect.void
          }),
        ),
        Effect.provide([...layers]),
        Effect.forkChild,
      )
      yield* Deferred.await(rewriting)
      assert.include(heard, "1: 5")
      assert.notInclude(heard, "1: v1+")
      yield* Deferred.succeed(letGo, undefined)
      yield* Fiber.join(following)
      assert.strictEqual(heard.at(-1), "reached-target")
    }),
  )

  it.effect("interrupting whoever follows it interrupts the turn under way (LoopSmith 8)", () =>
    Effect.gen(function* () {
      const { asked, ended, layers } = yield* held
      const following = yield* Effect.forkChild(
        Stream.runDrain(ImprovementLoop.improve({ content: "v1" })).pipe(Effect.provide([...layers])),
      )
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(following)
      assert.deepStrictEqual(ended, ["writer"])
    }),
  )

  it.effect("so does a follower that has seen enough (LoopSmith 8)", () =>
    Effect.gen(function* () {
      const { asked, ended, layers } = yield* held
      yield* ImprovementLoop.improve({ content: "v1" }).pipe(
        Stream.tap((event) => (event._tag === "RewriteStarted" ? Deferred.await(asked) : Effect.void)),
        Stream.takeUntil((event) => event._tag === "RewriteStarted"),
        Stream.runDrain,
        Effect.provide([...layers]),
      )
      assert.deepStrictEqual(ended, ["writer"])
    }),
  )

  it.effect("how long the rewriting took is in the event and in the result", () =>
    Effect.gen(function* () {
      const sleepy = Layer.succeed(Writer, {
        rewrite: ({ content }) => Effect.as(Effect.sleep("90 seconds"), `${content}+`),
      })
      const fiber = yield* Effect.forkChild(
        ImprovementLoop.run({ content: "v1" }).pipe(Effect.provide([judge([5, 9]), sleepy])),
      )
      yield* TestClock.adjust("90 seconds")
      const { iterations } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        iterations.map(({ rewriteTime }) => rewriteTime),
        [90_000, undefined],
      )
    }),
  )

  it.effect("two at once know nothing of each other (LoopSmith 9)", () =>
    Effect.gen(function* () {
      const loopOf = (content: string, scores: ReadonlyArray<number>) =>
        Stream.runCollect(ImprovementLoop.improve({ content })).pipe(Effect.provide([judge(scores), writer()]))
      const [one, other] = yield* Effect.all([loopOf("a", [1, 2, 9]), loopOf("b", [3, 8.5])], {
        concurrency: "unbounded",
      })
      const documents = (all: ReadonlyArray<LoopEvent.LoopEvent>) =>
        all.filter(({ _tag }) => _tag === "Rewritten").map(told)
      assert.deepStrictEqual(documents(one), ["1: a+", "2: a++"])
      assert.deepStrictEqual(documents(other), ["1: b+"])
      assert.isTrue([one, other].every((all) => told(all.at(-1) as LoopEvent.LoopEvent) === "reached-target"))
    }),
  )

  it.effect("one description of a loop can be run twice, from the beginning each time", () =>
    Effect.gen(function* () {
      const loop = ImprovementLoop.improve({ content: "v1" })
      const runs = yield* Effect.forEach([1, 2], () =>
        Stream.runCollect(loop).pipe(Effect.provide([judge([5, 8]), writer()])),
      )
      assert.deepStrictEqual(runs[0], runs[1])
    }),
  )
})
