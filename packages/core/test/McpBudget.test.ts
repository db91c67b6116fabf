/** Limits of turns, tokens, cost and time over sessions. */
import { assert, describe } from "@effect/vitest"
import { InMemoryMcpClient, McpBudget, type McpError, McpSessionRuntime } from "@zain/core"
import type { Answer } from "@zain/core/AgentConnection"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { config, inWords, start, supports } from "../testing/HeldAgent.ts"

const usage = (tokens: number) => ({ inputTokens: tokens - 1, outputTokens: 1 })

/** An agent that uses as many tokens as its prompt says. `…`: and then never ends. */
const reply: NonNullable<InMemoryMcpClient.Options["reply"]> = ({ content, emit }) =>
  Effect.suspend((): Effect.Effect<Partial<Answer>, McpError> => {
    const used = usage(Number.parseInt(content, 10))
    emit({ _tag: "ThreadStarted", threadId: "t-1" })
    emit({ _tag: "Usage", ...used })
    return content.endsWith("…") ? Effect.never : Effect.succeed({ content, usage: used })
  })

/** Two clients within a budget, each with a session. */
const clients = Effect.fnUntraced(function* (budget: McpBudget.McpBudget) {
  const make = budget.limit(InMemoryMcpClient.make({ reply }))
  const [one, other] = [yield* make, yield* make]
  const asking = (client: McpClientAdapter) =>
    Effect.map(
      client.openSession(InMemoryMcpClient.config),
      (id) => (content: string) => client.execute(id, { content }),
    )
  return [yield* asking(one), yield* asking(other)] as const
})

const over = "ConnectionUnavailable deadline-exceeded"

describe("McpBudget", () => {
  test("lets as many turns begin as it has, over all clients", function* () {
    const budget = McpBudget.make({ turns: 2 })
    const [one, other] = yield* clients(budget)
    const running = yield* start(one("1…"))
    yield* other("1")
    const refused = yield* Effect.flip(other("1"))
    assert.strictEqual(inWords(refused), `${over} not-sent`)
    assert.include(refused.message, "`turns` of the budget is reached (2)")
    yield* TestClock.adjust("1 minute")
    assert.isUndefined(running.pollUnsafe(), "A turn within the limit goes on.")
    assert.deepStrictEqual([budget.spent().turns, budget.reached()], [2, "turns"])
    yield* Fiber.interrupt(running)
  })

  test("does not count a turn that was not sent", function* () {
    const budget = McpBudget.make({ turns: 1 })
    const [one] = yield* clients(budget)
    assert.strictEqual((yield* Effect.flip(one(""))).reason, "empty-content")
    assert.strictEqual((yield* one("1")).content, "1")
    assert.isUndefined(budget.reached())
  })

  test("ends all that runs a second after its tokens are used up, and keeps an answer that arrives until then", function* () {
    const budget = McpBudget.make({ tokens: 100 })
    const [one, other] = yield* clients(budget)
    const running = yield* start(one("40…"))
    assert.strictEqual((yield* other("59")).content, "59")
    assert.strictEqual((yield* other("1")).content, "1")
    assert.strictEqual(budget.spent().tokens, 100)
    yield* TestClock.adjust(999)
    assert.isUndefined(running.pollUnsafe())
    yield* TestClock.adjust(1)
    const ended = yield* Effect.flip(Fiber.join(running))
    assert.strictEqual(inWords(ended), `${over} unknown`)
    assert.deepStrictEqual([ended.threadId, budget.reached()], ["t-1", "tokens"])
    assert.include((yield* Effect.flip(other("1"))).message, "`tokens` of the budget is reached (100)")
  })

  test("ends a turn whose own events use up the tokens", function* () {
    const [one] = yield* clients(McpBudget.make({ tokens: 100 }))
    const running = yield* start(one("100…"))
    yield* Effect.repeat(TestClock.adjust("1 second"), { until: () => running.pollUnsafe() !== undefined })
    assert.strictEqual(inWords(yield* Effect.flip(Fiber.join(running))), `${over} unknown`)
  })

  test("ends what runs when the time from its first turn on is over", function* () {
    const budget = McpBudget.make({ time: "1 minute" })
    const [one, other] = yield* clients(budget)
    yield* TestClock.adjust("1 day")
    yield* one("1")
    const running = yield* start(other("1…"))
    yield* TestClock.adjust(59_999)
    assert.isUndefined(running.pollUnsafe())
    yield* TestClock.adjust(1)
    const ended = yield* Effect.flip(Fiber.join(running))
    assert.strictEqual(inWords(ended), `${over} unknown`)
    assert.include(ended.message, "`time` of the budget is reached (1m)")
    assert.strictEqual(inWords(yield* Effect.flip(one("1"))), `${over} not-sent`)
    assert.strictEqual(budget.reached(), "time")
  })

  test("counts the cost of turns, of an agent that reports it", function* () {
    const budget = McpBudget.make({ cost: 0.02 })
    const agent = (cost: boolean) =>
      budget.limit(
        McpSessionRuntime.make({
          provider: "dear",
          supports: { ...supports, cost },
          connect: () =>
            Effect.succeed({ execute: () => Effect.succeed({ content: "", isError: false, cost: 0.01 }), abort() {} }),
        }),
      )
    const cheap = yield* agent(false)
    assert.strictEqual(inWords(yield* Effect.flip(cheap.openSession(config))), "InvalidRequest not-supported not-sent")
    const client = yield* agent(true)
    const id = yield* client.openSession(config)
    yield* client.execute(id, { content: "1" })
    yield* client.execute(id, { content: "2" })
    assert.strictEqual(inWords(yield* Effect.flip(client.execute(id, { content: "3" }))), `${over} not-sent`)
    assert.deepStrictEqual([budget.spent(), budget.reached()], [{ turns: 2, tokens: 0, cost: 0.02 }, "cost"])
  })

  test.each([{ tokens: 1.5 }, { cost: Number.NaN }, { time: "soon" as never }])(
    "opens no session with the limits %j",
    function* (limits) {
      const client = yield* McpBudget.make(limits).limit(InMemoryMcpClient.make())
      const error = yield* Effect.flip(client.openSession(InMemoryMcpClient.config))
      assert.strictEqual(inWords(error), "InvalidRequest invalid-config not-sent")
      assert.include(error.message, String(Object.keys(limits)[0]))
    },
  )
})
