/**
 * Notifications to a client while a call is running.
 */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Duration, Effect, Fiber } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { until } from "../../tool-server/testing/InMemory.ts"
import { join, open, type Received } from "../testing/Clients.ts"

const wantsEvents = { capabilities: { experimental: { "zain/events": {} } } }

const everything = "say a b\ntool sh\nusage\nraw\nask ls"

const isBeat = ({ method, params }: Received) => method === "notifications/progress" && params["message"] === undefined

const messages = (received: ReadonlyArray<Received>) => received.map(({ params }) => params["message"])

describe("progress", () => {
  test("reaches a client with a token for every visible step, counted from 1, before the result", function* () {
    const { client } = yield* open()
    yield* client.call("memory", { prompt: everything }, { progressToken: "mine" })
    assert.deepStrictEqual(
      client.received.map(({ method, params }) => [method, params["progressToken"], params["progress"]]),
      client.received.map((_, index) => ["notifications/progress", "mine", index + 1]),
    )
    assert.deepStrictEqual(messages(client.received), [
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

  test("is not sent to a client without a token and without `zain/events`", function* () {
    const { client } = yield* open()
    yield* client.call("memory", { prompt: everything })
    assert.deepStrictEqual(client.received, [])
  })

  test("is counted per call, also with the token 0", function* () {
    const { client } = yield* open()
    for (const progressToken of [0, 1]) yield* client.call("memory", { prompt: "say a" }, { progressToken })
    assert.deepStrictEqual(
      client.received.map(({ params }) => [params["progressToken"], params["progress"]]),
      [
        [0, 1],
        [0, 2],
        [1, 1],
        [1, 2],
      ],
    )
  })
})

describe("notifications `zain/event`", () => {
  test("reach a client that declared them, with the call and the thread, in order, before the result", function* () {
    const { client } = yield* open(wantsEvents)
    yield* client.call("memory", { prompt: everything }, { progressToken: "mine" })
    assert.deepStrictEqual(
      client.received.map(({ method }) => method),
      client.received.map(() => "zain/event"),
    )
    const [first] = client.received
    const _meta = first?.params["_meta"] as { readonly requestId: unknown }
    assert.deepStrictEqual(_meta, {
      requestId: _meta.requestId,
      progressToken: "mine",
      threadId: "thread-1",
    } as never)
    assert.isNumber(_meta.requestId)
    assert.deepStrictEqual(
      client.received.map(({ params }) => params),
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

  test("contain the thread of a turn that is cancelled before its first event", function* () {
    const { agent, client } = yield* open(wantsEvents)
    const turn = yield* Effect.forkChild(client.call("memory", { prompt: "stay" }))
    yield* until(() => agent.seen.working === 1)
    yield* Fiber.interrupt(turn)
    assert.deepNestedInclude(client.received[0], { method: "zain/event", "params._meta.threadId": "thread-1" })
  })
})

describe("every notification of a call", () => {
  test("is written before the result, also 5,000 of them on a slow wire", function* () {
    const { server } = yield* open()
    const { client } = yield* join(server, { ...wantsEvents, isSlow: true })
    yield* client.call("memory", { prompt: "flood 5000 20\nsay end" })
    assert.strictEqual(client.wire.length, 5_004)
    assert.strictEqual(client.wire.indexOf("answer"), 5_003)
  })
})

describe("a heartbeat", () => {
  const beats: ReadonlyArray<readonly [string, Parameters<typeof open>[0], Readonly<Record<string, unknown>>, string]> =
    [
      ["as progress, for a client with a token", {}, { progressToken: "mine" }, "notifications/progress"],
      ["as progress, also beside the events", wantsEvents, { progressToken: "mine" }, "notifications/progress"],
      ["as an event, for a client without a token", wantsEvents, {}, "zain/event"],
    ]
  for (const [what, options, call, method] of beats) {
    test(`is sent after 10 seconds of silence and not before, ${what}`, function* () {
      const { agent, client, session } = yield* open(options)
      const turn = yield* Effect.forkChild(client.call("memory", { prompt: "stay" }, call))
      yield* until(() => agent.seen.working === 1 && client.received.length === 1)
      yield* TestClock.adjust("9999 millis")
      assert.strictEqual(client.received.length, 1)
      yield* TestClock.adjust("1 millis")
      yield* until(() => client.received.length === 2)
      assert.strictEqual(client.received.at(-1)?.method, method)
      yield* TestClock.adjust("10 seconds")
      yield* until(() => client.received.length === 3)
      yield* Fiber.interrupt(turn)
      yield* until(() => !session.isBusy())
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(client.received.length, 3)
    })
  }

  const presumed = "for 15 minutes, in which the agent may wait for its model,"
  const phases: ReadonlyArray<readonly [string, string, string, number]> = [
    ["never", "before the agent has accepted the turn", "stage due\nstay", 0],
    [presumed, "after the agent's last message", "stay", 89],
    [presumed, "after its tool has finished", "begin sh\nfinish sh\nstay", 89],
    [presumed, "after an approval was decided", "ask ls\nstay", 89],
    [presumed, "after it has spoken behind its background work", "stage background\nstage accepted\nstay", 89],
    ["for as long as it lasts", "while a tool is running", "begin sh\nbegin ls\nfinish ls\nstay", 360],
    ["for as long as it lasts", "while only background work is left", "stage background\nstay", 360],
  ]
  test.each(phases)("is sent %s %s (promise 1)", function* ([, , prompt, count]) {
    const { agent, client } = yield* open(wantsEvents)
    yield* Effect.forkChild(client.call("memory", { prompt }, { progressToken: 1 }))
    yield* until(() => agent.seen.working === 1 && client.received.length > 0)
    yield* TestClock.adjust("1 hour")
    assert.lengthOf(client.received.filter(isBeat), count)
  })

  test("is sent while an approval is undecided, and for the model timeout after it was withdrawn (promise 1)", function* () {
    const answer = () => new Promise<never>(() => {})
    const capabilities = { elicitation: {} }
    const { client } = yield* open({
      answer,
      capabilities,
      approvalTimeout: "1 hour",
      modelTimeout: Duration.minutes(1),
    })
    yield* Effect.forkChild(client.call("memory", { prompt: "withdraw ls\nstay" }, { progressToken: 1 }))
    yield* until(() => client.asked.length === 1)
    yield* TestClock.adjust("30 minutes")
    yield* until(() => client.asked[0]?.signal.aborted === true)
    yield* TestClock.adjust("1 hour")
    assert.lengthOf(client.received.filter(isBeat), 180 + 5)
  })

  test("restarts with every other notification", function* () {
    const answer = () => new Promise<never>(() => {})
    const { agent, client } = yield* open({ capabilities: { elicitation: {} }, answer, approvalTimeout: "8 seconds" })
    yield* Effect.forkChild(client.call("memory", { prompt: "ask ls\nstay" }, { progressToken: 1 }))
    yield* until(() => agent.seen.working === 1 && client.asked.length === 1)
    const progress = () => client.received.filter(({ method }) => method === "notifications/progress")
    yield* TestClock.adjust("8 seconds")
    yield* until(() => progress().length === 3)
    yield* TestClock.adjust("9 seconds")
    assert.strictEqual(progress().length, 3)
    yield* TestClock.adjust("1 seconds")
    yield* until(() => progress().length === 4)
    assert.isUndefined(progress().at(-1)?.params["message"])
  })
})
