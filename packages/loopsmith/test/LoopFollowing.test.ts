/** Reading a loop's events while it runs, and interrupting it. */
import { setImmediate } from "node:timers/promises"
import { assert, describe } from "@effect/vitest"
import { InMemoryMcpClient } from "@zain/core"
import { AgentEvaluator, AgentWriter, Evaluator, ImprovementLoop, Rubric } from "@zain/loopsmith"
import type { EvaluationRequest } from "@zain/loopsmith/Evaluation"
import { Writer } from "@zain/loopsmith/Writer"
import { test } from "@zain/testkit/Test"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { make as recorder } from "../../core/testing/Recorder.ts"
import { failure, inBrief, judge, writer } from "./Loops.ts"

/** Runs everything that is not blocked. */
const rest = async () => {
  for (let turn = 0; turn < 50; turn++) await setImmediate()
}

/** A judge that gives 5, and a writer that never completes and records its interruption. */
const held = Effect.gen(function* () {
  const asked = yield* Deferred.make<void>()
  const ended: Array<string> = []
  const slow = Layer.succeed(Writer, {
    rewrite: () =>
      Effect.andThen(Deferred.succeed(asked, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Effect.sync(() => ended.push("writer"))),
      ),
  })
  return { asked, ended, layers: [judge([5]), slow] as const }
})

describe("ImprovementLoop.improve", () => {
  test.each([
    ["an interruption", false],
    ["a reader that stops", true],
  ] as const)("is ended by %s and interrupts the turn under way (LoopSmith 8)", function* ([, hasEnough]) {
    const { asked, ended, layers } = yield* held
    const following = yield* ImprovementLoop.improve({ content: "v1" }).pipe(
      Stream.tap((event) => (event._tag === "RewriteStarted" ? Deferred.await(asked) : Effect.void)),
      Stream.takeUntil((event) => hasEnough && event._tag === "RewriteStarted"),
      Stream.runDrain,
      Effect.provide([...layers]),
      Effect.forkChild,
    )
    yield* Deferred.await(asked)
    yield* hasEnough ? Fiber.join(following) : Fiber.interrupt(following)
    assert.deepStrictEqual(ended, ["writer"])
  })

  test("reports the duration of a rewriting as `rewriteTime`", function* () {
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
  })

  test("can be run twice, from the beginning each time", function* () {
    const loop = ImprovementLoop.improve({ content: "v1" })
    const runs = yield* Effect.forEach([1, 2], () =>
      Stream.runCollect(loop).pipe(Effect.provide([judge([5, 8]), writer()])),
    )
    assert.deepStrictEqual(runs[0], runs[1])
  })

  test("does not run ahead of its reader: no agent starts before the reader has taken the event that announces it", function* () {
    const asked: Array<string> = []
    const note = (what: string) => Effect.sync(() => void asked.push(what))
    const judged = (iteration: number) => ({ score: iteration, rubric_scores: Rubric.map(() => 0), suggestions: [] })
    const layers = Layer.merge(
      Layer.succeed(
        Evaluator.Evaluator,
        Evaluator.make("noted", ({ iteration }) => Effect.as(note(`judge ${iteration}`), judged(iteration))),
      ),
      Layer.succeed(Writer, {
        rewrite: ({ content }) => Effect.as(note(`writer ${content.length}`), `${content}+`),
      }),
    )
    const before: Array<string> = []
    yield* ImprovementLoop.improve({ content: "v", maxIterations: 2 }).pipe(
      Stream.provide(layers),
      Stream.runForEach((event) =>
        Effect.gen(function* () {
          // Runs everything that does not wait for the reader.
          yield* Effect.promise(rest)
          if (event._tag !== "StateChanged") before.push(`${inBrief(event)} | ${asked.join(", ")}`)
        }),
      ),
    )
    assert.deepStrictEqual(before, [
      "IterationStarted 1 | judge 1",
      "1: 1 | judge 1",
      "RewriteStarted 1 | judge 1, writer 1",
      "1: v+ | judge 1, writer 1",
      "IterationStarted 2 | judge 1, writer 1, judge 2",
      "2: 2 | judge 1, writer 1, judge 2",
      "out-of-iterations | judge 1, writer 1, judge 2",
    ])
  })

  test("takes no time of an attempt for a slow reader, which misses only changes of state", function* () {
    const restless = Layer.succeed(Evaluator.Evaluator, {
      evaluate: Effect.fnUntraced(function* (
        request: EvaluationRequest,
        observe: Evaluator.EvaluationObserver = Evaluator.unobserved,
      ) {
        for (let nth = 0; nth < 1_000; nth += 1)
          for (const event of ["agentStarted", "failed", "retryable", "backedOff"] as const) yield* observe(event)
        const { evaluate } = Evaluator.make("restless", () =>
          Effect.succeed({ score: 9, rubric_scores: Rubric.map(() => 9), suggestions: [] }),
        )
        return yield* Effect.timeoutOrElse(evaluate(request, observe), {
          duration: "1 second",
          orElse: () => Effect.fail(failure("The reader took the attempt's time.")),
        })
      }),
    })
    const heard: Array<string> = []
    const following = yield* ImprovementLoop.improve({ content: "v" }).pipe(
      Stream.provide(Layer.merge(restless, writer())),
      Stream.runForEach((event) =>
        Effect.andThen(
          Effect.sync(() => heard.push(inBrief(event))),
          Effect.sleep("1 minute"),
        ),
      ),
      Effect.forkChild,
    )
    yield* TestClock.adjust("1 day")
    yield* Fiber.join(following)
    assert.isBelow(heard.length, 200)
    assert.includeMembers(heard, ["IterationStarted 1", "1: 9", "reached-target"])
    assert.strictEqual(heard.at(-1), "reached-target")
  })

  test("records its turns as spans without text of the documents", function* () {
    const { spans, watch } = recorder()
    const reply = ({ content }: { readonly content: string }) =>
      Effect.succeed(
        content.includes("judge of documents")
          ? JSON.stringify({
              score: content.includes("secret+") ? 9 : 5,
              rubric_scores: Rubric.map(() => 5),
              suggestions: ["secret"],
            })
          : "<document>\nsecret+\n</document>",
      )
    const { config } = InMemoryMcpClient
    yield* ImprovementLoop.run({ content: "secret" }).pipe(
      Effect.provide([AgentEvaluator.layer({ config }), AgentWriter.layer({ config })]),
      Effect.provide(InMemoryMcpClient.layer({ reply })),
      watch,
    )
    const ours = spans.filter(({ name }) => /^(?:ImprovementLoop|Evaluator|Writer)\./.test(name))
    assert.deepStrictEqual(
      ours.map(({ name }) => name),
      ["ImprovementLoop.improve", "Evaluator.evaluate", "Writer.rewrite", "Evaluator.evaluate"],
    )
    assert.notInclude(JSON.stringify(ours.map(({ attributes }) => [...attributes])), "secret")
  })
})
