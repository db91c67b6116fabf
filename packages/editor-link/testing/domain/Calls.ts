/**
 * Calls that are under way, and how they end.
 */
import { assert } from "@effect/vitest"
import { Duration, Effect, Fiber, Result } from "effect"
import * as TestClock from "effect/testing/TestClock"

export const seconds = Duration.seconds

/** Lets all that is due happen. */
export const settle = TestClock.adjust(0)

export const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.forkChild(Effect.result(effect), { startImmediately: true })

export const isOver = (fiber: Fiber.Fiber<unknown, unknown>) => fiber.pollUnsafe() !== undefined

export const successOf = Effect.fnUntraced(function* <A>(fiber: Fiber.Fiber<Result.Result<A, Error>>) {
  const outcome = yield* Fiber.join(fiber)
  return Result.isSuccess(outcome) ? outcome.success : assert.fail(outcome.failure.message)
})

export const failureOf = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<Result.Result<A, E>>) {
  const outcome = yield* Fiber.join(fiber)
  return Result.isFailure(outcome) ? outcome.failure : assert.fail("it succeeded")
})
