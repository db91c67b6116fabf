/**
 * A client's resources: acquired with its first call, released while it is disconnected, and acquired again afterwards.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

/** The resources of one client. */
export interface ClientAttachment<Held> {
  /** Runs a call with the resources, which are acquired first if necessary. */
  readonly use: <A, E>(body: (held: Held) => Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Whether a call is running. */
  readonly isBusy: () => boolean
  /** Interrupts the running calls and releases the resources. Returns when that is done. */
  readonly leave: Effect.Effect<void>
}

interface Stay<Held> {
  readonly scope: Scope.Closeable
  readonly attached: Deferred.Deferred<Held>
  readonly calls: Set<Fiber.Fiber<unknown, unknown>>
}

/**
 * Starts without resources.
 *
 * @param attach acquires the resources; its Scope closes with `leave`
 */
export const make = <Held>(attach: Effect.Effect<Held, never, Scope.Scope>): ClientAttachment<Held> => {
  let stay: Stay<Held> | undefined
  const leaving = Semaphore.makeUnsafe(1)

  /** The first call acquires the resources in a separate fiber, so that cancelling one call does not affect the others. */
  const enter = (): readonly [Stay<Held>, Effect.Effect<unknown>] => {
    if (stay !== undefined) return [stay, Effect.void]
    const begun: Stay<Held> = { scope: Scope.makeUnsafe(), attached: Deferred.makeUnsafe(), calls: new Set() }
    stay = begun
    const attaching = Deferred.into(Scope.provide(attach, begun.scope), begun.attached)
    return [begun, Effect.forkDetach(attaching, { startImmediately: true, uninterruptible: true })]
  }

  return {
    use: (body) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.withFiber((fiber) => {
          const [{ attached, calls }, attaching] = enter()
          calls.add(fiber)
          return Effect.andThen(attaching, restore(Effect.flatMap(Deferred.await(attached), body))).pipe(
            Effect.ensuring(Effect.sync(() => calls.delete(fiber))),
          )
        }),
      ),
    isBusy: () => stay !== undefined && stay.calls.size > 0,
    leave: leaving
      .withPermits(1)(
        Effect.suspend(() => {
          const gone = stay
          stay = undefined
          return gone === undefined
            ? Effect.void
            : Fiber.interruptAll(gone.calls).pipe(
                Effect.andThen(Effect.exit(Deferred.await(gone.attached))),
                Effect.andThen(Scope.close(gone.scope, Exit.void)),
              )
        }),
      )
      .pipe(Effect.uninterruptible),
  }
}
