/** The ends of operations on stored conversations. */
import { assert, describe } from "@effect/vitest"
import * as InMemoryMcpClient from "@zain/core/InMemoryMcpClient"
import * as McpPromiseClient from "@zain/core/McpPromiseClient"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { test } from "./Test.ts"

/** A client whose agent never answers about its conversations. */
const silent = (begun: Deferred.Deferred<void>) => {
  const never = () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
  return InMemoryMcpClient.make({ threads: { list: never, read: never, fork: never, change: never } })
}

describe("an operation on stored conversations that is not answered", () => {
  test("fails as stalled after `idleTimeout` (promise 1)", function* () {
    const begun = yield* Deferred.make<void>()
    const { openSession, threads } = yield* silent(begun)
    const session = yield* openSession({ ...InMemoryMcpClient.config, idleTimeout: "1 minute" })
    const listing = yield* Effect.forkChild(Effect.flip(threads.list(session)))
    yield* Deferred.await(begun)
    yield* TestClock.adjust("1 minute")
    const { delivery, reason } = yield* Fiber.join(listing)
    assert.deepStrictEqual({ delivery, reason }, { delivery: "unknown", reason: "stalled" })
  })

  test("fails with `SessionClosed` when its session closes", function* () {
    const begun = yield* Deferred.make<void>()
    const { closeSession, openSession, threads } = yield* silent(begun)
    const session = yield* openSession(InMemoryMcpClient.config)
    const forking = yield* Effect.forkChild(Effect.flip(threads.fork(session, "thread")))
    yield* Deferred.await(begun)
    yield* closeSession(session)
    const { delivery, reason } = yield* Fiber.join(forking)
    assert.deepStrictEqual({ delivery, reason }, { delivery: "unknown", reason: "closed" })
  })

  test("rejects with the reason of its `signal`, also for a session object", function* () {
    const begun = yield* Deferred.make<void>()
    const client = yield* Effect.promise(() => McpPromiseClient.make(silent(begun)))
    const session = yield* Effect.promise(() => client.session(InMemoryMcpClient.config))
    const aborted = new AbortController()
    const reading = session.threads.read("thread", {}, { signal: aborted.signal })
    yield* Deferred.await(begun)
    aborted.abort("enough")
    assert.strictEqual(yield* Effect.promise(() => reading.then(String, String)), "enough")
    yield* Effect.promise(client.close)
  })
})
