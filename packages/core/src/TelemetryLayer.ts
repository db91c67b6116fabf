/**
 * The tracer and exporters of an `McpPromiseClient`: a Layer that is built before the client and released after it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

/** How long the release may take, in milliseconds. */
const grace = 5000

/** A built telemetry Layer. */
export interface TelemetryLayer {
  readonly context: Context.Context<never>
  /** Releases the Layer, and returns after 5 seconds at the latest. Ignores its failures. */
  readonly end: Effect.Effect<void>
}

/** Builds a Layer. A build that fails releases what it has acquired. */
export const build = Effect.fnUntraced(function* (layer: Layer.Layer<never>) {
  const scope = Scope.makeUnsafe()
  // A fiber that closes a Scope cannot be interrupted, so it is detached.
  const end = Effect.flatMap(
    Effect.forkDetach(Effect.exit(Scope.close(scope, Exit.void)), { startImmediately: true }),
    (ending) => Effect.timeoutOption(Fiber.await(ending), grace),
  )
  const context = yield* Effect.onError(Layer.buildWithScope(layer, scope), () => end)
  const built: TelemetryLayer = { context, end: Effect.asVoid(end) }
  return built
})

/** An empty Layer: no tracer, no exporter. */
export const noTelemetry: TelemetryLayer = { context: Context.empty(), end: Effect.void }
