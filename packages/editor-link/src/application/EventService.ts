/**
 * Notices of the editor, and notifications of clients.
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
    /** The editor's notices, in order, for one reader. */
    readonly notices: Stream.Stream<Notice>
    /** Notifies clients of changed tools. */
    readonly sendToolsChanged: Effect.Effect<void>
    /** Emits an element per possible change of the tools. */
    readonly toolsChanged: Stream.Stream<void>
  }
>()("@zain/editor-server/EventService") {}
