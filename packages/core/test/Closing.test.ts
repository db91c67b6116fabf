import { assert, describe } from "@effect/vitest"
import type { McpError } from "@zain/core"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpSessionId } from "@zain/core/McpSessionId"
import { test } from "@zain/testkit/Test"
import { Deferred, Effect, Exit, Fiber, Scope, Stream } from "effect"
import * as HeldAgent from "../testing/HeldAgent.ts"

const { failure, inWords, session, start } = HeldAgent

/** Asserts that every operation fails with SessionClosed, not sent. */
const isClosed = Effect.fnUntraced(function* (adapter: McpClientAdapter, id: McpSessionId) {
  const operations = [
    adapter.execute(id, { content: "go" }),
    adapter.closeSession(id),
    Stream.runDrain(adapter.events(id)),
  ]
  for (const operation of operations) {
    assert.strictEqual(
      inWords(yield* Effect.flip(operation as Effect.Effect<unknown, McpError>)),
      "SessionClosed closed not-sent",
    )
  }
})

/** A resource whose release signals `releasing` and waits for `finish`. */
const slowRelease = Effect.gen(function* () {
  const [releasing, finish] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const connect = (log: Array<string>) =>
    Effect.addFinalizer(() =>
      Deferred.succeed(releasing, undefined).pipe(
        Effect.andThen(Deferred.await(finish)),
        Effect.andThen(Effect.sync(() => log.push("ended"))),
        Effect.asVoid,
      ),
    )
  return { connect, releasing: Deferred.await(releasing), finish: Deferred.succeed(finish, undefined) }
})

/** Asserts that the end of a client waits for a release that has begun. */
const awaits = Effect.fnUntraced(function* (dispose: Effect.Effect<void>, finish: Effect.Effect<unknown>) {
  const disposing = yield* start(dispose)
  yield* Effect.yieldNow
  assert.isUndefined(disposing.pollUnsafe())
  yield* finish
  yield* Fiber.join(disposing)
})

/** A client that the test ends with `dispose`. */
const disposable = Effect.fnUntraced(function* (options?: HeldAgent.Options) {
  const scope = yield* Scope.make()
  const agent = yield* Scope.provide(HeldAgent.make(options), scope)
  return { ...agent, dispose: Scope.close(scope, Exit.void) }
})

describe("closeSession (rule-1.closed; rule-3.released; rule-4.closing)", () => {
  test("ends turns and rejects new ones at once, before the release is complete", function* () {
    const { connect, finish, releasing } = yield* slowRelease
    const { adapter, begin, close, id } = yield* session({ connect })
    const underWay = yield* begin("under way")
    const closing = yield* start(close)
    yield* releasing
    assert.strictEqual(yield* failure(underWay.fiber), "SessionClosed closed unknown")
    yield* isClosed(adapter, id)
    assert.isUndefined(closing.pollUnsafe())
    yield* finish
    yield* Fiber.join(closing)
  })

  test("tells a turn that it ends how to continue its conversation, if it has a thread", function* () {
    const { begin, close } = yield* session()
    const { fiber, turn } = yield* begin("under way")
    turn.emit({ _tag: "ThreadStarted", threadId: "one" })
    yield* close
    assert.match(
      (yield* Effect.flip(Fiber.join(fiber))).message,
      /; to continue .* local\({ options: { threadId } }\)\.$/,
    )
  })

  test("releases everything even if the turn that it ends interrupts it", function* () {
    const closer = yield* Deferred.make<Fiber.Fiber<unknown, unknown>>()
    const { close, log } = yield* session({
      abort: () => Effect.runSync(Deferred.await(closer)).interruptUnsafe(),
    })
    const fiber = yield* Effect.forkChild(close)
    yield* Deferred.succeed(closer, fiber)
    yield* Fiber.await(fiber)
    assert.deepStrictEqual(log, ["connected", "released"])
  })

  test("returns if it is called within a turn of the session", function* () {
    const closing = yield* Deferred.make<Effect.Effect<void, McpError>>()
    const { adapter, ask, close, id, log } = yield* session({
      execute: () => Effect.as(Effect.flatten(Deferred.await(closing)), { content: "closed", isError: false }),
    })
    yield* Deferred.succeed(closing, close)
    assert.strictEqual((yield* ask("close yourself")).content, "closed")
    yield* isClosed(adapter, id)
    assert.include(log, "released")
  })
})

describe("the end of the client's Scope (rule-8.disposal)", () => {
  test("waits for a pending closeSession, so that everything is released when it returns", function* () {
    const { connect, finish, releasing } = yield* slowRelease
    const { adapter, dispose, log } = yield* disposable({ connect })
    const id = yield* adapter.openSession(HeldAgent.config)
    const closing = yield* start(adapter.closeSession(id))
    yield* releasing
    yield* awaits(dispose, finish)
    assert.deepStrictEqual(log.slice(-2), ["ended", "released"])
    yield* Fiber.join(closing)
  })

  test("waits for the release of a failed openSession, so that everything is released when it returns", function* () {
    const { connect, finish, releasing } = yield* slowRelease
    const { adapter, dispose, log } = yield* disposable({
      connect: (log) => Effect.andThen(connect(log), Effect.die("defect")),
    })
    const opening = yield* start(adapter.openSession(HeldAgent.config))
    yield* releasing
    yield* awaits(dispose, finish)
    assert.deepStrictEqual(log, ["connected", "ended", "released"])
    assert.isTrue(Exit.isFailure(yield* Fiber.await(opening)))
  })
})

describe("a defect of a driver (promise 7)", () => {
  const broken = () => {
    throw new Error("a bug of the driver's")
  }

  test("in abort does not prevent closeSession from releasing everything", function* () {
    const { adapter, close, id, log } = yield* session({ abort: broken })
    yield* Effect.exit(close)
    assert.deepStrictEqual(log, ["connected", "released"])
    yield* isClosed(adapter, id)
  })
})
