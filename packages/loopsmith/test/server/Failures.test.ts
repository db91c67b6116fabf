/**
 * What a client is told when there is no score.
 */
import { assert, describe, it } from "@effect/vitest"
import * as InMemoryMcpClient from "@zain/core/InMemoryMcpClient"
import * as McpClient from "@zain/core/McpClient"
import { ConnectionUnavailable } from "@zain/core/McpError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as AgentEvaluator from "../../src/AgentEvaluator.ts"
import * as LoopSmithServer from "../../src/server/LoopSmithServer.ts"
import { byHand, ready, until } from "./Clients.ts"
import * as Judge from "./Judge.ts"

const content = "# T"
const evaluation = { name: "evaluate_document", arguments: { content }, _meta: { progressToken: 1 } }
const good = JSON.stringify(Judge.response({} as never, 9))

/** A server whose judge is an agent that answers its n-th question as `replies` says, and when it was asked. */
const before = (...replies: ReadonlyArray<string | Effect.Effect<never, ConnectionUnavailable>>) =>
  Effect.gen(function* () {
    const asked: Array<number> = []
    let interrupted = 0
    const agent = yield* InMemoryMcpClient.make({
      reply: () =>
        Effect.gen(function* () {
          asked.push(yield* Clock.currentTimeMillis)
          const reply = replies[asked.length - 1] ?? Effect.never
          return typeof reply === "string" ? reply : yield* reply
        }).pipe(Effect.onInterrupt(() => Effect.sync(() => interrupted++))),
    })
    const evaluator = yield* AgentEvaluator.make({ config: InMemoryMcpClient.config }).pipe(
      Effect.provideService(McpClient.McpClient, agent),
    )
    const client = yield* ready(LoopSmithServer.make({ evaluator, version: "0" }))
    return { asked, client, interrupted: () => interrupted }
  })

const refused = (reason: "unreachable" | "spawn-failed", message: string) =>
  Effect.fail(new ConnectionUnavailable({ reason, message, delivery: "not-sent" }))

describe("an evaluation that fails", () => {
  it.effect("is tried again after 1 second and after 2 more, and succeeds (LoopSmith 7)", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* before("no JSON", refused("unreachable", "It is away."), good)
      const call = yield* Effect.forkChild(client.ask("tools/call", evaluation, 1))
      yield* until(() => client.told().includes("again in 1 s"))
      yield* TestClock.adjust("999 millis")
      assert.lengthOf(asked, 1)
      yield* TestClock.adjust("1 millis")
      yield* until(() => client.told().includes("again in 2 s"))
      yield* TestClock.adjust("1999 millis")
      assert.lengthOf(asked, 2)
      yield* TestClock.adjust("1 millis")
      const { result } = yield* Fiber.join(call)
      assert.deepStrictEqual(asked, [0, 1000, 3000])
      assert.deepNestedInclude(result, { "structuredContent.score": 9 })
    }),
  )

  it.effect("is -32603 with the last cause when every attempt failed (LoopSmith 7)", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* before("no JSON", "none", refused("unreachable", "It is away."))
      const call = yield* Effect.forkChild(client.ask("tools/call", evaluation, 1))
      for (const gap of [1, 2]) {
        yield* until(() => client.told().includes(`again in ${gap} s`))
        yield* TestClock.adjust(gap * 1000)
      }
      const { error, result } = yield* Fiber.join(call)
      assert.isUndefined(result)
      assert.strictEqual(error?.code, -32603)
      assert.match(error?.message ?? "", /^The last of 3 attempts failed\..*It is away\./)
      assert.deepStrictEqual(error?.data, { details: "It is away.", retryable: true, attempts: 3 })
      assert.lengthOf(asked, 3)
    }),
  )

  it.effect("is told at once when trying again is of no use (LoopSmith 7)", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* before(refused("spawn-failed", "There is no codex."), good)
      const { error } = yield* client.ask("tools/call", evaluation, 1)
      assert.strictEqual(error?.code, -32603)
      assert.deepStrictEqual(error?.data, { details: "There is no codex.", retryable: false, attempts: 1 })
      assert.lengthOf(asked, 1)
    }),
  )

  it.effect("ends each attempt at its limit, and the agent's turn with it (LoopSmith 8)", () =>
    Effect.gen(function* () {
      const { asked, client, interrupted } = yield* before()
      const call = yield* Effect.forkChild(client.ask("tools/call", evaluation, 1))
      for (const [index, gap] of [1, 2].entries()) {
        yield* until(() => asked.length === index + 1)
        yield* TestClock.adjust("119999 millis")
        assert.strictEqual(interrupted(), index)
        yield* TestClock.adjust("1 millis")
        yield* until(() => client.told().includes(`again in ${gap} s`))
        assert.strictEqual(interrupted(), index + 1)
        yield* TestClock.adjust(gap * 1000)
      }
      yield* until(() => asked.length === 3)
      yield* TestClock.adjust("2 minutes")
      const { error } = yield* Fiber.join(call)
      assert.strictEqual(error?.code, -32603)
      assert.deepInclude(error?.data, { retryable: true, attempts: 3 })
      assert.match(String(error?.data?.["details"]), /after 2m/)
      assert.strictEqual(interrupted(), 3)
    }),
  )

  it.effect("is -32602 when it is what was asked that cannot be judged", () =>
    Effect.gen(function* () {
      const { judge, server } = byHand()
      const client = yield* ready(server)
      const call = yield* Effect.forkChild(client.ask("tools/call", evaluation, 1))
      yield* until(() => judge.asked.length === 1)
      judge.asked[0]?.fail(Judge.error({ reason: "invalid-request", message: "Too much for this judge." }))
      const { error } = yield* Fiber.join(call)
      assert.deepStrictEqual(error, { code: -32602, message: "Too much for this judge." })
    }),
  )

  it.effect("leaves the session as good as new", () =>
    Effect.gen(function* () {
      const { judge, server } = byHand()
      const client = yield* ready(server)
      const failing = yield* Effect.forkChild(client.ask("tools/call", evaluation, 1))
      yield* until(() => judge.asked.length === 1)
      judge.asked[0]?.fail(Judge.error())
      yield* Fiber.join(failing)
      assert.isFalse(client.session.isBusy())
      const next = yield* Effect.forkChild(client.ask("tools/call", evaluation, 2))
      yield* until(() => judge.asked.length === 2)
      judge.asked[1]?.give(8)
      assert.deepNestedInclude((yield* Fiber.join(next)).result, { "structuredContent.pass": true })
    }),
  )
})
