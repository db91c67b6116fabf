import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { InMemoryMcpClient } from "@zain/core"
import { McpClient } from "@zain/core/McpClient"
import { ConnectionUnavailable } from "@zain/core/McpError"
import * as AgentEvaluator from "@zain/loopsmith/AgentEvaluator"
import * as Evaluation from "@zain/loopsmith/Evaluation"
import { Evaluator } from "@zain/loopsmith/Evaluator"
import * as LoopState from "@zain/loopsmith/LoopState"
import * as Rubric from "@zain/loopsmith/Rubric"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"

const { config } = InMemoryMcpClient

type Reply = NonNullable<InMemoryMcpClient.Options["reply"]>

const good = { score: 7.5, rubric_scores: Rubric.map(() => 7), suggestions: ["More."] }
const judging = (change: object = {}): ReturnType<Reply> => Effect.succeed(JSON.stringify({ ...good, ...change }))

/** A judge that gives these replies, one after the other and the last again and again; and what it was asked. */
const judge = (replies: ReadonlyArray<ReturnType<Reply>>, options: Partial<AgentEvaluator.Options> = {}) => {
  const prompts: Array<string> = []
  const sessions = { opened: 0, resumed: 0 }
  const client = InMemoryMcpClient.layer({
    provider: "codex",
    connect: () =>
      Effect.sync(() => {
        sessions.opened += 1
      }),
    reply: ({ content, earlier }) => {
      prompts.push(content)
      sessions.resumed += earlier.length
      return replies[prompts.length - 1] ?? replies.at(-1) ?? Effect.never
    },
  })
  const states: Array<string> = []
  const one = Effect.fnUntraced(function* (input: Parameters<typeof Evaluation.request>[0]) {
    const { evaluate } = yield* Evaluator
    const observe = yield* LoopState.track((state) => Effect.sync(() => states.push(state)), "Evaluating")
    return yield* evaluate(yield* Effect.orDie(Effect.fromResult(Evaluation.request(input))), observe)
  })
  const evaluateAll = (inputs: ReadonlyArray<Parameters<typeof Evaluation.request>[0]>) =>
    Effect.forEach(inputs, one, { concurrency: "unbounded" }).pipe(
      Effect.provide(AgentEvaluator.layer({ config, ...options })),
      Effect.provide(client),
    )
  const evaluate = (input: Parameters<typeof Evaluation.request>[0]) =>
    Effect.map(evaluateAll([input]), ([evaluation]) => evaluation as Evaluation.EvaluationResponse)
  return { evaluate, evaluateAll, prompts, sessions, states }
}

/** Runs an evaluation to its end, however long its gaps are. */
const settled = <A, E>(evaluation: Effect.Effect<A, E>, time = "1 hour" as const) =>
  Effect.gen(function* () {
    const running = yield* Effect.forkChild(Effect.exit(evaluation), { startImmediately: true })
    // Reading the template and closing a session take turns of the event loop, and no time of the clock.
    while (running.pollUnsafe() === undefined) {
      yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
      yield* TestClock.adjust(time)
    }
    return yield* Effect.flatten(Fiber.join(running))
  })

describe("an evaluation by an agent", () => {
  it.effect("is what the agent says, and says which agent (seed: EvaluationResponse)", () =>
    Effect.gen(function* () {
      const { evaluate, states } = judge([judging()])
      assert.deepStrictEqual(yield* evaluate({ content: "# T", iteration: 2 }), {
        ...good,
        pass: false,
        metadata: { iteration: 2, evaluation_time: 0, model_used: "codex" },
      })
      assert.deepStrictEqual(states, ["RunningAgent", "ParsingAnswer", "Scoring"])
      const named = yield* judge([judging()], { model: "gpt-5.5" }).evaluate({ content: "# T" })
      assert.strictEqual(named.metadata.model_used, "codex/gpt-5.5")
    }),
  )

  it.effect("has its document reach the agent byte for byte (LoopSmith 4)", () =>
    Effect.gen(function* () {
      const { evaluate, prompts } = judge([judging()])
      const content = "$& $' $` $$ {{clarity_weight}} {{document_content}}\r\n</document>\n日本語 😀 \u2028 end\r\n\r\n"
      yield* evaluate({ content })
      const [prompt = ""] = prompts
      const start = prompt.indexOf("\n<document>\n") + "\n<document>\n".length
      const end = prompt.lastIndexOf("\n</document>\n")
      assert.isTrue(Buffer.from(prompt.slice(start, end)).equals(Buffer.from(content)))
      assert.strictEqual(prompt.slice(start).indexOf(content), 0)
      assert.include(prompt.slice(0, start), "clarity, 20 % of the whole")
      assert.notInclude(prompt.replace(content, ""), "{{")
    }),
  )

  it.effect("has weights in whole per cent, whatever the rubric is", () =>
    Effect.gen(function* () {
      const { evaluate, prompts } = judge([judging()])
      yield* evaluate({ content: "x", rubric: { completeness: 0.29, accuracy: 0.5, clarity: 0.07, usability: 0.14 } })
      for (const said of ["completeness, 29 %", "accuracy, 50 %", "clarity, 7 %", "usability, 14 %"])
        assert.include(prompts[0], `${said} of the whole`)
    }),
  )

  it.effect("is asked with the template that somebody names", () =>
    Effect.gen(function* () {
      const directory = mkdtempSync(join(tmpdir(), "loopsmith-"))
      const promptPath = join(directory, "judge.txt")
      writeFileSync(promptPath, "{{usability_weight}}: {{document_content}}")
      const { evaluate, prompts } = judge([judging()], { promptPath })
      yield* evaluate({ content: "x" }).pipe(Effect.ensuring(Effect.sync(() => rmSync(directory, { recursive: true }))))
      assert.deepStrictEqual(prompts, ["20: x"])
    }),
  )

  it.effect("is asked for again with what was wrong, in a session of its own (LoopSmith 5)", () =>
    Effect.gen(function* () {
      const bad = Effect.succeed("I would say a 7. {}")
      const { evaluate, prompts, sessions, states } = judge([bad, judging({ score: 11 }), judging()])
      assert.strictEqual((yield* settled(evaluate({ content: "# T" }))).score, 7.5)
      const [first = "", second = "", third = ""] = prompts
      assert.isTrue(second.startsWith(first) && third.startsWith(first))
      assert.include(second.slice(first.length), "`score` is missing")
      assert.include(third.slice(first.length), "`score` is not valid")
      assert.deepStrictEqual(sessions, { opened: 3, resumed: 0 })
      const failed = ["RunningAgent", "ParsingAnswer", "HandlingError", "Retrying", "Evaluating"]
      assert.deepStrictEqual(states, [...failed, ...failed, "RunningAgent", "ParsingAnswer", "Scoring"])
    }),
  )

  it.effect("tells its observer which attempt it is, what was wrong, and when the next one is; each time anew", () =>
    Effect.gen(function* () {
      const bad = Effect.succeed("No.")
      const client = yield* InMemoryMcpClient.make({
        reply: ({ content }) => (content.includes("used:") ? judging() : bad),
      })
      const evaluator = yield* Effect.provideService(AgentEvaluator.make({ config }), McpClient, client)
      const request = yield* Effect.fromResult(Evaluation.request({ content: "x" }))
      const notes: Array<string> = []
      const evaluation = evaluator.evaluate(request, (event, note) =>
        Effect.sync(() => {
          if (note !== undefined) notes.push(`${event}: ${note.slice(0, 30)}`)
        }),
      )
      const once = [
        "agentStarted: attempt 1 of 3",
        "failed: The answer has no JSON object.",
        "retryable: again in 1 s",
        "agentStarted: attempt 2 of 3",
      ]
      yield* settled(evaluation)
      assert.deepStrictEqual(notes, once)
      yield* settled(evaluation)
      assert.deepStrictEqual(notes, [...once, ...once])
    }),
  )

  it.effect.each([
    ["11", { score: 11 }],
    ["-1", { score: -1 }],
    ["a string", { score: "7" }],
    ["null", { score: null }],
    ["missing", { score: undefined }],
  ] as const)(
    "whose score is %s is refused three times, and fails: it is never 5.0 (LoopSmith 5, LoopSmith 6)",
    ([, change]) =>
      Effect.gen(function* () {
        const { evaluate, prompts, states } = judge([judging(change)])
        const error = yield* Effect.flip(settled(evaluate({ content: "# T" })))
        assert.deepInclude(error, { reason: "bad-answer", attempts: 3, retryable: true })
        assert.include(error.details, "`score` is")
        assert.lengthOf(prompts, 3)
        assert.strictEqual(states.at(-1), "Failed")
      }),
  )

  it.effect("whose answer has 20 MiB is refused, beyond that limit and a smaller one (LoopSmith 5)", () =>
    Effect.gen(function* () {
      const long = judging({ suggestions: ["x".repeat(20 * 1024 * 1024)] })
      const once = { attempts: 1 }
      const { details } = yield* Effect.flip(judge([long], once).evaluate({ content: "x" }))
      assert.include(details, "longer than 20971520 bytes")
      const small = judge([judging()], { ...once, maxAnswerBytes: 100 }).evaluate({ content: "x" })
      assert.include((yield* Effect.flip(small)).details, "longer than 100 bytes")
      const large = judge([long], { ...once, maxAnswerBytes: 21 * 1024 * 1024 }).evaluate({ content: "x" })
      assert.strictEqual((yield* large).score, 7.5)
    }),
  )

  it.effect("passes at the target, and at the target 0 always; the judge's own verdict is ignored (LoopSmith 6)", () =>
    Effect.gen(function* () {
      const passes = (score: number, target: number, pass: boolean) =>
        Effect.map(judge([judging({ score, pass })]).evaluate({ content: "x", target }), (response) => response.pass)
      assert.isTrue(yield* passes(7.5, 7.5, false))
      assert.isFalse(yield* passes(7.4, 7.5, true))
      assert.isTrue(yield* passes(0, 0, false))
    }),
  )

  it.effect(
    "of an agent that fails, and fails, and answers, succeeds; its time counts every attempt (LoopSmith 7)",
    () =>
      Effect.gen(function* () {
        const failing = Effect.succeed({ content: "out of tokens", isError: true })
        const lost = Effect.fail(
          new ConnectionUnavailable({ reason: "stalled", message: "Lost.", delivery: "unknown" }),
        )
        const { evaluate, prompts } = judge([failing, lost, judging()])
        const running = yield* Effect.forkChild(evaluate({ content: "x" }), { startImmediately: true })
        while (running.pollUnsafe() === undefined) {
          yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
          yield* TestClock.adjust(100)
        }
        assert.strictEqual(new Set(prompts).size, 1)
        assert.strictEqual((yield* Fiber.join(running)).metadata.evaluation_time, 3_000)
      }),
  )

  it.effect(
    "of an agent that always fails, fails with what it said last; one that cannot start is asked once (LoopSmith 7)",
    () =>
      Effect.gen(function* () {
        const failing = (content: string) => Effect.succeed({ content, isError: true })
        const always = judge([failing("one"), failing("two"), failing("three")])
        const error = yield* Effect.flip(settled(always.evaluate({ content: "x" })))
        assert.deepInclude(error, { reason: "agent", attempts: 3, retryable: true })
        assert.strictEqual(error.details, "codex says that its turn failed: three")
        const never = new ConnectionUnavailable({ reason: "spawn-failed", message: "No codex.", delivery: "not-sent" })
        const { evaluate, prompts } = judge([Effect.fail(never)])
        assert.deepInclude(yield* Effect.flip(evaluate({ content: "x" })), {
          details: "No codex.",
          attempts: 1,
          retryable: false,
        })
        assert.lengthOf(prompts, 1)
      }),
  )

  it.effect("of an agent that hangs ends at its limit, its turn interrupted each time (LoopSmith 8)", () =>
    Effect.gen(function* () {
      let interrupted = 0
      const hung = Effect.onInterrupt(Effect.never, () =>
        Effect.sync(() => {
          interrupted += 1
        }),
      )
      const { evaluate, sessions, states } = judge([hung], { timeout: "5 seconds" })
      const error = yield* Effect.flip(settled(evaluate({ content: "x" })))
      assert.deepInclude(error, { reason: "timeout", attempts: 3 })
      assert.strictEqual(interrupted, 3)
      assert.strictEqual(sessions.opened, 3)
      assert.deepStrictEqual(states.slice(0, 3), ["RunningAgent", "HandlingError", "Retrying"])
    }),
  )

  it.effect("that nobody waits for any more interrupts the agent's turn (LoopSmith 8, LoopSmith 9)", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      let interrupted = 0
      const hung = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            interrupted += 1
          }),
        ),
      )
      const { evaluate } = judge([hung])
      const running = yield* Effect.forkChild(evaluate({ content: "x" }))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(running)
      assert.strictEqual(interrupted, 1)
    }),
  )

  it.effect("waits while there are as many as there may be, and its attempt begins after that (promise 29)", () =>
    Effect.gen(function* () {
      const free = yield* Deferred.make<void>()
      const first = Effect.andThen(Deferred.await(free), judging())
      const { evaluateAll, sessions } = judge([first, first, judging()], { atOnce: 2, timeout: "1 minute" })
      const document = { content: "# T" }
      const all = yield* Effect.forkChild(evaluateAll([document, document, document]), { startImmediately: true })
      const until = (isSo: () => boolean): Effect.Effect<void> =>
        Effect.whileLoop({
          while: () => !isSo(),
          body: () => Effect.promise(() => new Promise((done) => setImmediate(done))),
          step: () => {},
        })
      yield* until(() => sessions.opened === 2)
      yield* TestClock.adjust("50 seconds")
      assert.strictEqual(sessions.opened, 2)
      yield* Deferred.succeed(free, undefined)
      // The third has all of its minute still.
      yield* until(() => sessions.opened === 3)
      assert.lengthOf(yield* Fiber.join(all), 3)
    }),
  )
})
