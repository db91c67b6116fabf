/** The ends of operations on stored conversations. */
import { assert, describe } from "@effect/vitest"
import * as InMemoryMcpClient from "@zain/core/InMemoryMcpClient"
import * as McpPromiseClient from "@zain/core/McpPromiseClient"
import { test } from "@zain/testkit/Test"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** A client whose agent never answers about its conversations. */
const silent = (begun: Deferred.Deferred<void>) => {
  const never = () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
  return InMemoryMcpClient.make({ threads: { list: never, read: never, fork: never, change: never } })
}

describe("an operation on stored conversations that is not answered", () => {
  test.each([
    ["stalled", "`idleTimeout` has passed (promise 1)", () => TestClock.adjust("1 minute")],
    ["closed", "its session closes", (close: Effect.Effect<void, unknown>) => close],
  ] as const)("fails as %s when %s", function* ([reason, , end]) {
    const begun = yield* Deferred.make<void>()
    const { closeSession, openSession, threads } = yield* silent(begun)
    const session = yield* openSession({ ...InMemoryMcpClient.config, idleTimeout: "1 minute" })
    const listing = yield* Effect.forkChild(Effect.flip(threads.list(session)))
    yield* Deferred.await(begun)
    yield* end(closeSession(session))
    const error = yield* Fiber.join(listing)
    assert.deepStrictEqual([error.reason, error.delivery], [reason, "unknown"])
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
