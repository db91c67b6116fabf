import { assert, describe, it } from "@effect/vitest"
import { InMemoryMcpClient } from "@zain/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import fc from "fast-check"
import * as HeldAgent from "./HeldAgent.ts"

const { failure, inWords, session, start, unknownId } = HeldAgent

describe("execute (seed 2.2, 4.3, 4.4)", () => {
  it.effect("answers with the provider, the session and the agent's words", () =>
    Effect.gen(function* () {
      const { ask, id, next } = yield* session()
      const asked = yield* start(ask("hello"))
      const { answer, content } = yield* next
      assert.strictEqual(content, "hello")
      answer("hi")
      assert.deepStrictEqual(yield* Fiber.join(asked), {
        provider: "held",
        sessionId: id,
        content: "hi",
        isError: false,
      })
    }),
  )

  it.effect("judges the request before the session's state, and the state before the agent (design §4, rule 1)", () =>
    Effect.gen(function* () {
      const { adapter, ask, begun, close, id } = yield* session()
      const words = (content: string, session = id) =>
        Effect.map(Effect.flip(adapter.execute(session, { content })), inWords)
      assert.strictEqual(yield* words("", unknownId), "InvalidRequest empty-content not-sent")
      assert.strictEqual(yield* words("go", unknownId), "SessionNotFound unknown-session not-sent")
      yield* close
      assert.strictEqual(yield* words(""), "InvalidRequest empty-content not-sent")
      assert.strictEqual(inWords(yield* Effect.flip(ask("go"))), "SessionClosed closed not-sent")
      assert.strictEqual(begun(), 0)
    }),
  )
})

describe("the order of a session's turns (design §4, rule 4)", () => {
  it.effect("is the order of the calls, one at a time", () =>
    Effect.gen(function* () {
      const { ask, begun, next } = yield* session()
      const prompts = ["a", "b", "c", "d"]
      const asked = yield* Effect.forEach(prompts, (prompt) => start(ask(prompt)))
      for (const [index, prompt] of prompts.entries()) {
        const held = yield* next
        assert.strictEqual(held.content, prompt)
        assert.strictEqual(begun(), 0)
        held.answer(prompt.toUpperCase())
        const { content } = yield* Fiber.join(asked[index] as (typeof asked)[number])
        assert.strictEqual(content, prompt.toUpperCase())
      }
    }),
  )

  it.effect("holds for one who asks again the moment that its turn ends: it waits behind those who waited", () =>
    Effect.gen(function* () {
      const { ask, next } = yield* session()
      const eager = yield* start(Effect.andThen(ask("first"), ask("again")))
      const first = yield* next
      const waiting = yield* start(ask("waiting"))
      first.answer("")
      const second = yield* next
      assert.strictEqual(second.content, "waiting")
      second.answer("")
      const third = yield* next
      assert.strictEqual(third.content, "again")
      third.answer("")
      yield* Fiber.joinAll([eager, waiting])
    }),
  )

  it.effect("does not hold between sessions: they run side by side", () =>
    Effect.gen(function* () {
      const { adapter, next } = yield* HeldAgent.make()
      const ids = [yield* adapter.openSession(HeldAgent.config), yield* adapter.openSession(HeldAgent.config)]
      const asked = yield* Effect.forEach(ids, (id) => start(adapter.execute(id, { content: id })))
      const held = [yield* next, yield* next]
      for (const { answer, content } of held.reverse()) answer(content)
      const answers = yield* Fiber.joinAll(asked)
      assert.deepStrictEqual(
        answers.map(({ content, sessionId }) => [content, sessionId]),
        ids.map((id) => [id, id]),
      )
    }),
  )

  it("survives any mix of answers, failures, defects and interruptions, waiting or under way", async () => {
    const fate = fc.constantFrom("answered", "failed", "defect", "interrupted", "interrupted while waiting")
    const run = (fates: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const { ask, begun, next } = yield* session()
        const asked = yield* Effect.forEach(fates, (_, index) => start(ask(`turn ${index}`)))
        for (const [index, fate] of fates.entries()) {
          if (fate === "interrupted while waiting" && index > 0) yield* Fiber.interrupt(asked[index] as never)
        }
        for (const [index, fate] of fates.entries()) {
          if (fate === "interrupted while waiting" && index > 0) continue
          const held = yield* next
          assert.strictEqual(held.content, `turn ${index}`)
          assert.strictEqual(begun(), 0)
          if (fate === "answered") held.answer("")
          else if (fate === "failed") held.end(Exit.fail(yield* Effect.flip(ask(""))))
          else if (fate === "defect") held.end(Exit.die("defect"))
          else yield* Fiber.interrupt(asked[index] as never)
        }
        const last = yield* start(ask("last"))
        const held = yield* next
        assert.strictEqual(held.content, "last")
        held.answer("still here")
        assert.strictEqual((yield* Fiber.join(last)).content, "still here")
      })
    await fc.assert(
      fc.asyncProperty(fc.array(fate, { maxLength: 8 }), (fates) => Effect.runPromise(Effect.scoped(run(fates)))),
      { numRuns: 200 },
    )
  })
})

describe("an interrupted execute (design §4, rule 5)", () => {
  it.effect("interrupts the agent, and the next turn is taken", () =>
    Effect.gen(function* () {
      const { ask, log, next } = yield* session()
      const asked = yield* start(ask("first"))
      yield* next
      yield* Fiber.interrupt(asked)
      assert.deepStrictEqual(log, ["connected", "interrupted first"])
      const again = yield* start(ask("second"))
      const held = yield* next
      held.answer("second")
      assert.strictEqual((yield* Fiber.join(again)).content, "second")
    }),
  )

  it.effect("while it waits sends nothing, and leaves its place to the next", () =>
    Effect.gen(function* () {
      const { ask, log, next } = yield* session()
      const first = yield* start(ask("first"))
      const { answer } = yield* next
      const given = yield* start(ask("given up"))
      const third = yield* start(ask("third"))
      yield* Fiber.interrupt(given)
      answer("")
      yield* Fiber.join(first)
      const held = yield* next
      assert.strictEqual(held.content, "third")
      held.answer("")
      yield* Fiber.join(third)
      assert.deepStrictEqual(log, ["connected"])
    }),
  )
})

describe("a conversation with a function (design §4, rule 6)", () => {
  it.effect("goes on from turn to turn, and begins anew in another session", () =>
    Effect.gen(function* () {
      const seen: Array<ReadonlyArray<string>> = []
      const client = yield* InMemoryMcpClient.make({
        reply: ({ content, earlier }) =>
          Effect.as(
            Effect.sync(() => seen.push(earlier)),
            content,
          ),
      })
      const [one, two] = [
        yield* client.openSession(InMemoryMcpClient.config),
        yield* client.openSession(InMemoryMcpClient.config),
      ]
      yield* client.execute(one, { content: "a" })
      yield* client.execute(one, { content: "b" })
      yield* client.execute(two, { content: "c" })
      yield* client.execute(one, { content: "d" })
      assert.deepStrictEqual(seen, [[], ["a"], [], ["a", "b"]])
    }),
  )

  it.effect("that closes ends its turn, and the function is interrupted", () =>
    Effect.gen(function* () {
      const [begun, stopped] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const client = yield* InMemoryMcpClient.make({
        reply: () =>
          Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Deferred.succeed(stopped, undefined)),
          ),
      })
      const id = yield* client.openSession(InMemoryMcpClient.config)
      const asked = yield* start(client.execute(id, { content: "go" }))
      yield* Deferred.await(begun)
      yield* client.closeSession(id)
      assert.strictEqual(yield* failure(asked), "SessionClosed closed unknown")
      yield* Deferred.await(stopped)
    }),
  )
})
