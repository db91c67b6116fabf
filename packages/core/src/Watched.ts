/**
 * Operations of promises, and those who watch them: a tracer, exporters, whatever a Layer provides. What watches never
 * holds the work up for long, and ends after it.
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { SessionClosed } from "./McpError.ts"
import * as SessionFailure from "./SessionFailure.ts"

/** How long an operation may outlive its client, and how long those who watch may take to end, in milliseconds. */
const patience = { operation: 1000, end: 5000 }

/** Whoever watches, ready. */
export interface Audience {
  readonly context: Context.Context<never>
  /** Waits until it has ended, for a while. How it ended, and whether, is nobody's failure. */
  readonly end: Effect.Effect<void>
}

/** Builds a Layer. Nothing is left of one that cannot be built. */
export const audience = Effect.fnUntraced(function* (layer: Layer.Layer<never>) {
  const scope = Scope.makeUnsafe()
  // Nobody can interrupt what ends a Scope, so it is left alone in the end.
  const end = Effect.flatMap(
    Effect.forkDetach(Effect.exit(Scope.close(scope, Exit.void)), { startImmediately: true }),
    (ending) => Effect.timeoutOption(Fiber.await(ending), patience.end),
  )
  const context = yield* Effect.onError(Layer.buildWithScope(layer, scope), () => end)
  const built: Audience = { context, end: Effect.asVoid(end) }
  return built
})

/**
 * - `run`: runs an operation; `signal` interrupts it
 * - `over`: waits for whatever is under way, for a while, and gives up the rest: their client has closed
 */
export interface Operations {
  readonly run: <A, E>(operation: Effect.Effect<A, E>, signal?: AbortSignal) => Promise<Exit.Exit<A, E | SessionClosed>>
  readonly over: () => Promise<void>
}

/** @param context what they run in */
export const operations = (context: Context.Context<never>): Operations => {
  const fork = Effect.runForkWith(context)
  const underWay = new Set<Fiber.Fiber<unknown, unknown>>()
  const givenUp = new WeakSet<Fiber.Fiber<unknown, unknown>>()
  let settled = () => {}
  return {
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
    over: async () => {
      if (underWay.size === 0) return
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, patience.operation)
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
