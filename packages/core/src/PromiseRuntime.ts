/**
 * Runs the operations of an `McpPromiseClient`, and ends those that outlive it.
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { SessionClosed } from "./McpError.ts"
import * as SessionFailure from "./SessionFailure.ts"

/** How long an operation may run after its client has closed, in milliseconds. */
const grace = 1000

/**
 * - `run`: runs an operation; `signal` interrupts it
 * - `over`: fails with `SessionClosed` a second after `end` was called, for operations that `run` does not run
 * - `end`: waits a second for the operations under way, and interrupts the rest, which fail with `SessionClosed`
 */
export interface PromiseRuntime {
  readonly run: <A, E>(operation: Effect.Effect<A, E>, signal?: AbortSignal) => Promise<Exit.Exit<A, E | SessionClosed>>
  readonly over: Effect.Effect<never, SessionClosed>
  readonly end: () => Promise<void>
}

/** @param context the services of every operation */
export const make = (context: Context.Context<never>): PromiseRuntime => {
  const fork = Effect.runForkWith(context)
  const underWay = new Set<Fiber.Fiber<unknown, unknown>>()
  const givenUp = new WeakSet<Fiber.Fiber<unknown, unknown>>()
  const ending = Deferred.makeUnsafe<void>()
  let settled = () => {}
  return {
    over: Deferred.await(ending).pipe(
      Effect.andThen(Effect.sleep(grace)),
      Effect.andThen(Effect.suspend(() => Effect.fail(clientClosed()))),
    ),
    run: (operation, signal) =>
      new Promise((resolve) => {
        const fiber = fork(operation, signal === undefined ? undefined : { signal })
        underWay.add(fiber)
        fiber.addObserver((exit) => {
          underWay.delete(fiber)
          const isLost = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) && givenUp.has(fiber)
          resolve(isLost && signal?.aborted !== true ? Exit.fail(clientClosed()) : exit)
          if (underWay.size === 0) settled()
        })
      }),
    end: async () => {
      Deferred.doneUnsafe(ending, Effect.void)
      if (underWay.size === 0) return
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, grace)
        settled = () => {
          clearTimeout(limit)
          resolve()
        }
      })
      for (const fiber of underWay) {
        givenUp.add(fiber)
        fiber.interruptUnsafe()
      }
    },
  }
}

const clientClosed = () => {
  const { message, reason } = SessionFailure.clientClosed()
  return new SessionClosed({ message, reason, delivery: "unknown" })
}
