import * as McpApproval from "@zain/core/McpApproval"
import { test } from "@zain/testkit/Test"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect } from "vitest"
import { Replies } from "../src/Replies.ts"

test("a question takes one reply, of the owner of its session only, until it is withdrawn (promise 21)", function* () {
  const { ask, receive } = yield* Effect.provide(Replies, Replies.layer)
  const asked = yield* Deferred.make<void>()
  const asking = yield* Effect.forkChild(ask("ann", "one", () => Deferred.doneUnsafe(asked, Effect.void)))
  yield* Deferred.await(asked)
  const reply = McpApproval.approve
  expect([receive({ owner: "bob", id: "one", reply }), receive({ owner: "ann", id: "two", reply })]).toEqual([
    false,
    false,
  ])
  expect(receive({ owner: "ann", id: "one", reply })).toBe(true)
  expect(yield* Fiber.join(asking)).toEqual(reply)
  expect(receive({ owner: "ann", id: "one", reply })).toBe(false)
  const withdrawn = yield* Effect.forkChild(
    ask("ann", "three", () => {}),
    { startImmediately: true },
  )
  yield* Fiber.interrupt(withdrawn)
  expect(receive({ owner: "ann", id: "three", reply })).toBe(false)
})
