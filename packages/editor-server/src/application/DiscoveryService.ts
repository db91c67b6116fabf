/**
 * Looks for the editor.
 *
 * @see seed, `IDiscoveryService`
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class DiscoveryService extends Context.Service<
  DiscoveryService,
  {
    /** Begins to look for the editor, in the background; does nothing where that has begun. */
    readonly startDiscovery: Effect.Effect<void>
  }
>()("@zain/editor-server/DiscoveryService") {}
