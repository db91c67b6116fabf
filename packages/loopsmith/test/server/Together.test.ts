/**
 * Concurrent calls, and clients that disconnect.
 */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { until } from "../../../tool-server/testing/InMemory.ts"
import { byHand, type RawClient, ready } from "./Clients.ts"

const evaluation = (content: string) => ({ name: "evaluate_document", arguments: { content } })
const scoreOf = (client: RawClient, id: number) =>
  (client.answerOf(id)?.result?.structuredContent as { readonly score: number } | undefined)?.score

describe("a client that disconnects", () => {
  test("continues its iterations when it comes back", function* () {
    const { judge, server } = byHand()
    const client = yield* ready(server)
    client.send({ id: 1, method: "tools/call", params: evaluation("x") })
    yield* until(() => judge.asked.length === 1)
    judge.asked[0]?.give(5)
    yield* until(() => scoreOf(client, 1) === 5)
    client.send({ id: 2, method: "tools/call", params: evaluation("left alone") })
    yield* until(() => judge.asked.length === 2)
    yield* client.session.leave
    assert.deepStrictEqual(judge.interrupted, ["left alone"])
    yield* until(() => client.answerOf(2)?.result?.isError === true)
    client.send({ id: 3, method: "tools/call", params: evaluation("x") })
    yield* until(() => judge.asked.length === 3)
    assert.strictEqual(judge.asked[2]?.request.iteration, 2)
  })
})

describe("the calls of one client", () => {
  test("are limited to 8 at once, and one more gets an error result (promise 29)", function* () {
    const { judge, server } = byHand()
    const client = yield* ready(server)
    for (let id = 0; id < 8; id++) client.send({ id, method: "tools/call", params: evaluation(String(id)) })
    const refused = yield* client.ask("tools/call", evaluation("8"), 8)
    assert.isTrue(refused.result?.isError)
    assert.match(JSON.stringify(refused.result?.content), /8 calls under way/)
    judge.asked[0]?.give(5)
    yield* until(() => scoreOf(client, 0) === 5)
    client.send({ id: 9, method: "tools/call", params: evaluation("9") })
    for (let asked = 1; asked < 9; asked++) {
      yield* until(() => judge.asked.length > asked)
      judge.asked[asked]?.give(5)
    }
    yield* until(() => scoreOf(client, 9) === 5)
    assert.lengthOf(judge.asked, 9)
  })

  test("are evaluated two at a time, while another client's starts immediately (promise 28)", function* () {
    const { judge, server } = byHand()
    const [greedy, other] = [yield* ready(server), yield* ready(server)]
    for (let id = 0; id < 8; id++) greedy.send({ id, method: "tools/call", params: evaluation(`mine ${id}`) })
    yield* until(() => judge.asked.length === 2)
    other.send({ id: 1, method: "tools/call", params: evaluation("other") })
    yield* until(() => judge.asked.length === 3)
    const asked = () => judge.asked.map(({ request }) => request.content)
    assert.deepStrictEqual(asked(), ["mine 0", "mine 1", "other"])
    judge.asked[1]?.give(5)
    yield* until(() => judge.asked.length === 4)
    assert.strictEqual(asked()[3], "mine 2")
    // A waiting call can be cancelled too.
    greedy.send({ method: "notifications/cancelled", params: { requestId: 3 } })
    judge.asked[0]?.give(5)
    yield* until(() => judge.asked.length === 5)
    assert.strictEqual(asked()[4], "mine 4")
  })

  test("share a limit of 32 Mi characters of documents with all other clients (promises 14 and 29)", function* () {
    const { judge, server } = byHand()
    const clients = yield* Effect.forEach([1, 2, 3, 4, 5], () => ready(server))
    const long = evaluation("日".repeat(1_000_000))
    for (const client of clients) {
      for (let id = 0; id < 8; id++) client.send({ id, method: "tools/call", params: long })
    }
    const last = clients[4] as RawClient
    yield* until(() => last.answerOf(7) !== undefined)
    const refused = last.heard.flatMap(({ error }) => (error === undefined ? [] : [error]))
    assert.lengthOf(refused, 7)
    assert.strictEqual(refused[0]?.code, -32603)
    assert.match(String(refused[0]?.message), /busy.*Retry later/)
    assert.deepInclude(refused[0]?.data, { retryable: true, attempts: 0 })
    assert.lengthOf(judge.asked, 9)
    // A small document has room, and a finished evaluation releases its own.
    last.send({ id: 8, method: "tools/call", params: evaluation("small") })
    yield* until(() => judge.asked.length === 10)
    judge.asked[0]?.give(5)
    yield* until(() => judge.asked.length === 11)
    last.send({ id: 9, method: "tools/call", params: long })
    yield* until(() => judge.asked.length === 11)
    judge.asked[8]?.give(5)
    yield* until(() => judge.asked.length === 12)
    assert.isUndefined(last.answerOf(9))
  })
})
