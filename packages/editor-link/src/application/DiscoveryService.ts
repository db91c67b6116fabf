/**
 * Searches the editor.
 *
 * @see seed, `IDiscoveryService`
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class DiscoveryService extends Context.Service<
  DiscoveryService,
  {
    /** Starts the search in the background, unless it runs already. */
    readonly startDiscovery: Effect.Effect<void>
  }
>()("@zain/editor-server/DiscoveryService") {}
