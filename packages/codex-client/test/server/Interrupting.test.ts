import { assert, describe } from "@effect/vitest"
import { isAlive } from "@zain/testkit/Alive"
import { test } from "@zain/testkit/Test"
import { Clock, Effect, Fiber } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { client, item, listener, script, thread } from "../../testing/server/Codex.ts"

describe("an interrupted turn of Codex, whose thread goes on", () => {
  test.live.each([
    { when: "while it runs", how: "" },
    { when: "when Codex reports its start before its response", how: "early" },
    { when: "when Codex refuses to interrupt at first", how: "late" },
  ])("$when is over when the interrupt returns, and the thread continues", function* ({ how }) {
    const { heard, pids, says, threadId, turn } = yield* thread()
    const ear = listener()
    const fiber = yield* Effect.forkChild(turn(threadId, { prompt: script([{ hang: true }], how) }, ear))
    yield* ear.heard("turn/started")
    yield* Fiber.interrupt(fiber)
    assert.isTrue(ear.events.some((event) => event._tag === "Raw" && event.method === "turn/completed"))
    assert.isTrue(heard().some(({ method }) => method === "turn/interrupt"))
    assert.strictEqual(yield* says([{ message: "Next." }]), "Next.")
    assert.strictEqual(pids().length, 1)
  })

  test.live("ends also when the whole server ends", function* () {
    const ear = listener()
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { threadId, turn } = yield* thread()
        const calls = new Set<Fiber.Fiber<unknown, unknown>>()
        yield* Effect.addFinalizer(() => Effect.asVoid(Fiber.interruptAll(calls)))
        calls.add(yield* Effect.forkDetach(turn(threadId, { prompt: script([{ hang: true }], "late") }, ear)))
        yield* ear.heard("turn/started")
      }),
    )
    assert.isTrue(ear.events.some((event) => event._tag === "Raw" && event.method === "turn/completed"))
  })

  test.live("keeps its thread at any moment, also before Codex has answered", function* () {
    const { pids, says, threadId, turn } = yield* thread()
    for (let yields = 0; yields < 40; yields++) {
      const fiber = yield* Effect.forkChild(turn(threadId, { prompt: script([{ hang: true }]) }, listener()), {
        startImmediately: true,
      })
      for (let n = 0; n < yields; n++) yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
    }
    assert.strictEqual(yield* says([{ message: "Next." }]), "Next.")
    assert.strictEqual(pids().length, 1)
  })

  test.live("ends its own commands, and not those of an earlier turn that go on", function* () {
    const terminal = (itemId: string, turnId: string) => ({ itemId, processId: itemId, turnId })
    const terminals = [terminal("mine", "turn-2"), terminal("earlier", "turn-1"), terminal("untold", "turn-2")]
    const env = { FAKE_TERMINALS: JSON.stringify(terminals) }
    const { heard, threadId, turn } = yield* thread({ env }, { background: "keep" })
    const ears = [listener(), listener()] as const
    const begin = (id: string) => item("started", { type: "commandExecution", id, command: id })
    const { rest } = yield* turn(threadId, { prompt: script([begin("earlier")]) }, ears[0])
    assert.deepStrictEqual(rest?.pending, [{ workId: "earlier", kind: "command", title: "earlier" }])
    const fiber = yield* Effect.forkChild(turn(threadId, { prompt: script([begin("mine"), { hang: true }]) }, ears[1]))
    yield* ears[1].until(() => ears[1].events.some((event) => event._tag === "ToolStarted"))
    yield* Fiber.interrupt(fiber)
    const ended = () =>
      heard().flatMap(({ method, params }) => (method?.endsWith("/terminate") ? [params?.["processId"]] : []))
    assert.deepStrictEqual(ended(), ["mine", "untold"])
    yield* Fiber.interrupt(yield* Effect.forkChild(rest?.done ?? Effect.never, { startImmediately: true }))
    assert.deepStrictEqual(ended(), ["mine", "untold", "earlier"])
    assert.deepInclude(ears[0].events.at(-1), { _tag: "BackgroundFinished", workId: "earlier", isError: true })
  })

  test.live("ends without a command that waited for an approval, which Codex forgets", function* () {
    const { pids, says, threadId, turn } = yield* thread()
    const ear = listener()
    const begin = item("started", { type: "commandExecution", id: "asks", command: "make" })
    const fiber = yield* Effect.forkChild(turn(threadId, { prompt: script([begin, { hang: true }]) }, ear))
    yield* ear.until(() => ear.events.some((event) => event._tag === "ToolStarted"))
    yield* Fiber.interrupt(fiber)
    assert.deepInclude(ear.events.at(-1), { _tag: "ToolFinished", toolId: "asks", isError: true })
    assert.strictEqual(yield* says([{ message: "Next." }]), "Next.")
    assert.strictEqual(pids().length, 1)
  })

  test.live("ends its sub-agents", function* () {
    const { heard, start, turn } = yield* client()
    const ear = listener()
    const begins = (id: string, rest: object = {}) => ({
      event: "turn/started",
      params: { turn: { id, rootTurnId: "root" }, ...rest },
    })
    const subs = ["sub-1", "sub-2"].map((id) => begins(id, { threadId: `of ${id}` }))
    const over = { event: "turn/completed", params: { threadId: "of sub-1", turn: { id: "sub-1" } } }
    const steps = [...subs, over, { deltas: 1 }, { hang: true }]
    const fiber = yield* Effect.forkChild(turn(yield* start({}), { prompt: script(steps) }, ear))
    yield* ear.spoke
    yield* Fiber.interrupt(fiber)
    const interrupted = heard().filter(({ method }) => method === "turn/interrupt")
    assert.deepStrictEqual(
      interrupted.map(({ params }) => params?.["turnId"]),
      ["turn-1", "sub-2"],
    )
  })

  test.live("ends also a turn of a thread without a listener, which Codex refuses to interrupt at first", function* () {
    const { heard, threadId, turn } = yield* thread()
    const event = "turn/started"
    const steps = [{ event, params: { threadId: "orphan", turn: { id: "sub-late" } } }, { hang: true }]
    const fiber = yield* Effect.forkChild(turn(threadId, { prompt: script(steps) }, listener()))
    const interrupts = () => heard().filter(({ params }) => params?.["turnId"] === "sub-late").length
    while (interrupts() < 2) yield* Effect.sleep(10)
    yield* Fiber.interrupt(fiber)
    assert.strictEqual(interrupts(), 2)
  })

  test.live("that Codex does not end is ended with the process, and the thread is kept", function* () {
    const { pids, says, threadId, turn } = yield* thread()
    const ear = listener()
    const fiber = yield* Effect.forkChild(turn(threadId, { prompt: script([{ hang: true, deaf: true }]) }, ear))
    yield* ear.heard("turn/started")
    yield* Fiber.interrupt(fiber)
    const [first = 0] = pids()
    assert.isFalse(isAlive(first))
    assert.strictEqual(yield* says([{ message: "Next." }]), "Next.")
    assert.strictEqual(pids().length, 2)
  })

  test.live("that is still queued never starts", function* () {
    const { heard, threadId, turn } = yield* thread()
    const ear = listener()
    const first = yield* Effect.forkChild(turn(threadId, { prompt: script([{ hang: true }]) }, ear))
    yield* ear.heard("turn/started")
    const waits = yield* Effect.forkChild(turn(threadId, { prompt: script([]) }, listener()), {
      startImmediately: true,
    })
    yield* Fiber.interrupt(waits)
    yield* Fiber.interrupt(first)
    assert.strictEqual(heard().filter(({ method }) => method === "turn/start").length, 1)
  })
})

const trouble = (details: string) => ({
  event: "error",
  params: { willRetry: true, error: { message: "Reconnecting... 1/5", additionalDetails: details } },
})

describe("an unreachable model of Codex, which ends the call", () => {
  test.live("does not end a turn that is paused for a slow client", function* () {
    const clock = yield* TestClock.make({ warningDelay: "1 day" })
    const { threadId, turn } = yield* thread({ modelTimeout: "1 hour" })
    const [catchUp, isLater] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const decided = Effect.as(
      Effect.promise(() => isLater.promise),
      { _tag: "Approve" as const },
    )
    const ear = listener(() => decided)
    const hasHeard = () => ear.events.some((event) => event._tag === "Raw" && event.method === "error")
    const behind = { ...ear, room: () => (hasHeard() ? catchUp.promise : undefined) }
    const ask = { ask: "item/commandExecution/requestApproval", params: { itemId: "c" } }
    const steps = script([trouble("Connection refused"), ask, { message: "Here." }])
    const held = yield* Effect.forkChild(
      Effect.provideService(turn(threadId, { prompt: steps }, behind), Clock.Clock, clock),
    )
    yield* ear.heard("error")
    yield* clock.adjust("2 hours")
    catchUp.resolve()
    yield* ear.until(() => ear.asked.length > 0)
    // An approval is delayed by 100 ms.
    yield* clock.adjust("1 second")
    isLater.resolve()
    assert.strictEqual((yield* Fiber.join(held)).content, "Here.")
  })

  test.live("that answers again does not limit the rest of the turn", function* () {
    const { start, turn } = yield* client({ modelTimeout: "1 second" })
    const [back, other] = [listener(), listener()]
    const going = yield* Effect.forkChild(
      turn(
        yield* start({}),
        { prompt: script([trouble("for a while"), { deltas: 1 }, { await: "go" }, { message: "Done." }]) },
        back,
      ),
    )
    yield* back.spoke
    // The model timeout of the other turn.
    const error = yield* Effect.flip(
      turn(yield* start({}), { prompt: script([trouble("for good"), { hang: true }]) }, other),
    )
    assert.strictEqual(error.reason, "model-unreachable")
    yield* turn(yield* start({}), { prompt: script([{ open: "go" }]) }, listener())
    assert.strictEqual((yield* Fiber.join(going)).content, "Done.")
  })
})
