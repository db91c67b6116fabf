/**
 * What happens in the editor, and what clients are notified of.
 *
 * @see seed, `IEventService`
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Notice } from "../domain/EditorProfile.ts"

export class EventService extends Context.Service<
  EventService,
  {
    /** What the editor reports, in order. One reader. */
    readonly notices: Stream.Stream<Notice>
    /** The tools may have changed. */
    readonly sendToolsChanged: Effect.Effect<void>
    /** One element whenever the tools may have changed. */
    readonly toolsChanged: Stream.Stream<void>
  }
>()("@zain/editor-server/EventService") {}
