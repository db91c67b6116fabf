/** A client's resources, whose acquisition may take long. */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Deferred, Effect, Fiber } from "effect"
import * as ClientAttachment from "../src/ClientAttachment.ts"

/** An attachment whose acquisition the test releases, and a log of its events. */
const slow = Effect.gen(function* () {
  const gate = yield* Deferred.make<void>()
  const seen: Array<string> = []
  const attach = Effect.acquireRelease(
    Effect.andThen(
      Deferred.await(gate),
      Effect.sync(() => void seen.push("attached")),
    ),
    () => Effect.sync(() => void seen.push("let go")),
  )
  const attachment = ClientAttachment.make(attach)
  const call = (name: string, work: Effect.Effect<unknown> = Effect.void) =>
    Effect.forkChild(
      attachment.use(() =>
        Effect.andThen(
          Effect.sync(() => void seen.push(name)),
          work,
        ),
      ),
      { startImmediately: true },
    )
  return { attachment, seen, call, attached: Deferred.succeed(gate, undefined) }
})

describe("calls during the acquisition of their client's resources", () => {
  test("start in the order of their arrival", function* () {
    const { attached, call, seen } = yield* slow
    const calls = [yield* call("first"), yield* call("second"), yield* call("third")]
    yield* attached
    yield* Effect.forEach(calls, Fiber.join)
    assert.deepStrictEqual(seen, ["attached", "first", "second", "third"])
  })

  test("continue when the first of them is cancelled", function* () {
    const { attached, call, seen } = yield* slow
    const [first, second] = [yield* call("first"), yield* call("second")]
    yield* Fiber.interrupt(first)
    yield* attached
    yield* Fiber.join(second)
    assert.deepStrictEqual(seen, ["attached", "second"])
  })

  test("never start if their client leaves in the meantime, which releases the resources after their acquisition", function* () {
    const { attached, call, attachment, seen } = yield* slow
    const first = yield* call("first", Effect.never)
    const leaving = yield* Effect.forkChild(attachment.leave, { startImmediately: true })
    yield* attached
    yield* Fiber.join(leaving)
    yield* Fiber.await(first)
    assert.deepStrictEqual(seen, ["attached", "let go"])
  })
})
