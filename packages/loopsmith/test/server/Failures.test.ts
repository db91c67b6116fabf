/**
 * What a client is told when there is no score.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { test } from "../../../tool-server/test/Test.ts"
import { byAgent, byHand, ready, until } from "./Clients.ts"
import * as Judge from "./Judge.ts"

const evaluation = { name: "evaluate_document", arguments: { content: "# T" }, _meta: { progressToken: 1 } }

describe("an evaluation that fails", () => {
  test("is -32603 with the last cause when every attempt failed (LoopSmith 7)", function* () {
    const { asked, server } = yield* byAgent("no JSON", "none", '{"score":11}')
    const client = yield* ready(server)
    const call = yield* Effect.forkChild(client.ask("tools/call", evaluation, 1))
    for (const gap of [1, 2]) {
      yield* until(() => client.told().includes(`again in ${gap} s`))
      yield* TestClock.adjust(gap * 1000)
    }
    const { error, result } = yield* Fiber.join(call)
    assert.isUndefined(result)
    assert.strictEqual(error?.code, -32603)
    assert.match(error?.message ?? "", /^The last of 3 attempts failed\./)
    assert.deepInclude(error?.data, { retryable: true, attempts: 3 })
    assert.match(String(error?.data?.["details"]), /`score` is/)
    assert.strictEqual(asked(), 3)
  })

  test("is -32602 when it is what was asked that cannot be judged, and leaves the session as good as new", function* () {
    const { judge, server } = byHand()
    const client = yield* ready(server)
    const call = yield* Effect.forkChild(client.ask("tools/call", evaluation, 1))
    yield* until(() => judge.asked.length === 1)
    judge.asked[0]?.fail(Judge.error({ reason: "invalid-request", message: "Too much for this judge." }))
    const { error } = yield* Fiber.join(call)
    assert.deepStrictEqual(error, { code: -32602, message: "Too much for this judge." })
    assert.isFalse(client.session.isBusy())
    const next = yield* Effect.forkChild(client.ask("tools/call", evaluation, 2))
    yield* until(() => judge.asked.length === 2)
    judge.asked[1]?.give(8)
    assert.deepNestedInclude((yield* Fiber.join(next)).result, { "structuredContent.pass": true })
  })
})
