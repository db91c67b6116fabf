/**
 * What a client hears while a call is under way.
 */
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { test } from "../../core/test/Test.ts"
import { until } from "../../tool-server/test/InMemory.ts"
import { join, open, type Told } from "./Clients.ts"

const wantsEvents = { capabilities: { experimental: { "zain/events": {} } } }

const everything = "say a b\ntool sh\nusage\nraw\nask ls"

const messages = (told: ReadonlyArray<Told>) => told.map(({ params }) => params["message"])

describe("progress", () => {
  test("tells a client that sent a token every visible step, counted from 1, all before the result", function* () {
    const { client } = yield* open()
    yield* client.call("memory", { prompt: everything }, { progressToken: "mine" })
    assert.deepStrictEqual(
      client.told.map(({ method, params }) => [method, params["progressToken"], params["progress"]]),
      client.told.map((_, index) => ["notifications/progress", "mine", index + 1]),
    )
    assert.deepStrictEqual(messages(client.told), [
      "Thread thread-1",
      "a",
      "b",
      "Uses sh",
      "sh finished",
      "Asks: May it run?",
      "Declined: The client of this server cannot be asked for approval.",
    ])
    assert.strictEqual(client.wire.at(-1), "answer")
  })

  test("takes a token of 0 for one", function* () {
    const { client } = yield* open()
    yield* client.call("memory", { prompt: "say a" }, { progressToken: 0 })
    assert.deepStrictEqual(messages(client.told), ["Thread thread-1", "a"])
  })

  test("says nothing to a client that sent no token and did not ask for events", function* () {
    const { client } = yield* open()
    yield* client.call("memory", { prompt: everything })
    assert.deepStrictEqual(client.told, [])
  })

  test("counts each call on its own", function* () {
    const { client } = yield* open()
    for (const progressToken of [1, 2]) yield* client.call("memory", { prompt: "say a" }, { progressToken })
    assert.deepStrictEqual(
      client.told.map(({ params }) => [params["progressToken"], params["progress"]]),
      [
        [1, 1],
        [1, 2],
        [2, 1],
        [2, 2],
      ],
    )
  })
})

describe("the full events", () => {
  test("reach a client that declared them, with its call and its thread, in order, before the result", function* () {
    const { client } = yield* open(wantsEvents)
    yield* client.call("memory", { prompt: everything }, { progressToken: "mine" })
    assert.deepStrictEqual(
      client.told.map(({ method }) => method),
      client.told.map(() => "zain/event"),
    )
    const [first] = client.told
    const _meta = first?.params["_meta"] as { readonly requestId: unknown }
    assert.deepStrictEqual(_meta, {
      requestId: _meta.requestId,
      progressToken: "mine",
      threadId: "thread-1",
    } as never)
    assert.isNumber(_meta.requestId)
    assert.deepStrictEqual(
      client.told.map(({ params }) => params),
      [
        { _tag: "ThreadStarted", threadId: "thread-1" },
        { _tag: "TextDelta", text: "a" },
        { _tag: "TextDelta", text: "b" },
        { _tag: "Message", text: "a b" },
        { _tag: "ToolStarted", toolId: "1", name: "sh", title: "Uses sh" },
        { _tag: "ToolFinished", toolId: "1", name: "sh", isError: false, output: "done" },
        { _tag: "Usage", inputTokens: 3, outputTokens: 5 },
        { _tag: "Raw", method: "memory/own", params: { a: 1 } },
      ].map((event) => ({ _meta, event })),
    )
    assert.strictEqual(client.wire.at(-1), "answer")
  })

  test("name the thread of a turn that is cancelled before it said anything", function* () {
    const { agent, client } = yield* open(wantsEvents)
    const turn = yield* Effect.forkChild(client.call("memory", { prompt: "stay" }))
    yield* until(() => agent.seen.working === 1)
    yield* Fiber.interrupt(turn)
    assert.deepNestedInclude(client.told[0], { method: "zain/event", "params._meta.threadId": "thread-1" })
  })

  test("arrive complete and in order, however many there are", function* () {
    const { client } = yield* open(wantsEvents)
    yield* client.call("memory", { prompt: "flood 5000 20\nsay end" })
    assert.strictEqual(client.told.length, 5003)
    assert.strictEqual(client.wire.indexOf("answer"), client.wire.length - 1)
  })
})

describe("what is said of a call", () => {
  test("has left the server before its result does, however slow the wire is", function* () {
    const { server } = yield* open()
    const { client } = yield* join(server, { ...wantsEvents, isSlow: true })
    yield* client.call("memory", { prompt: "say a\nflood 10" })
    assert.strictEqual(client.wire.length, 14)
    assert.strictEqual(client.wire.indexOf("answer"), 13)
  })
})

describe("a heartbeat", () => {
  const beats: ReadonlyArray<readonly [string, Parameters<typeof open>[0], object, string]> = [
    ["as progress, for a client with a token", {}, { progressToken: "mine" }, "notifications/progress"],
    ["as progress, also beside the events", wantsEvents, { progressToken: "mine" }, "notifications/progress"],
    ["as an event, for a client without a token", wantsEvents, {}, "zain/event"],
  ]
  for (const [what, options, call, method] of beats) {
    test(`is told after 10 seconds of silence and not before, ${what}`, function* () {
      const { agent, client, session } = yield* open(options)
      const turn = yield* Effect.forkChild(client.call("memory", { prompt: "stay" }, call))
      yield* until(() => agent.seen.working === 1 && client.told.length === 1)
      yield* TestClock.adjust("9999 millis")
      assert.strictEqual(client.told.length, 1)
      yield* TestClock.adjust("1 millis")
      yield* until(() => client.told.length === 2)
      assert.strictEqual(client.told.at(-1)?.method, method)
      yield* TestClock.adjust("10 seconds")
      yield* until(() => client.told.length === 3)
      yield* Fiber.interrupt(turn)
      yield* until(() => !session.isBusy())
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(client.told.length, 3)
    })
  }

  test("waits for silence: whatever else is said starts it anew", function* () {
    const answer = () => new Promise<never>(() => {})
    const { agent, client } = yield* open({ capabilities: { elicitation: {} }, answer, approvalTimeout: "8 seconds" })
    yield* Effect.forkChild(client.call("memory", { prompt: "ask ls\nstay" }, { progressToken: 1 }))
    yield* until(() => agent.seen.working === 1 && client.asked.length === 1)
    const progress = () => client.told.filter(({ method }) => method === "notifications/progress")
    yield* TestClock.adjust("8 seconds")
    yield* until(() => progress().length === 3)
    yield* TestClock.adjust("9 seconds")
    assert.strictEqual(progress().length, 3)
    yield* TestClock.adjust("1 seconds")
    yield* until(() => progress().length === 4)
    assert.isUndefined(progress().at(-1)?.params["message"])
  })
})
