/**
 * Operations that are run one by one, before the same audience: a tracer, exporters, whatever a Layer provides.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Runs an effect under what the Layer provides. */
export type Watched = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Builds a Layer. It ends with the Scope, once everything that it watches has ended. */
export const make = Effect.fnUntraced(function* (audience: Layer.Layer<never>) {
  const context = yield* Layer.build(audience)
  let underWay = 0
  let over: Deferred.Deferred<void> | undefined
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      if (underWay === 0) return Effect.void
      over = Deferred.makeUnsafe()
      return Deferred.await(over)
    }),
  )
  const begin = Effect.sync(() => {
    underWay++
  })
  const end = Effect.sync(() => {
    if (--underWay === 0 && over !== undefined) Deferred.doneUnsafe(over, Effect.void)
  })
  const watched: Watched = (effect) =>
    Effect.acquireUseRelease(
      begin,
      () => Effect.provideContext(effect, context),
      () => end,
    )
  return watched
})
