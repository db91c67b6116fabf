/**
 * Cached reads of the editor, and notifications of changes.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { EditorContent } from "../domain/EditorFeatures.ts"

export class ContentService extends Context.Service<
  ContentService,
  EditorContent & {
    /** Drops cached reads. */
    readonly forget: Effect.Effect<void>
    /** Notifies clients of possible changes. */
    readonly sendContentChanged: Effect.Effect<void>
    /** Emits an element per notification. */
    readonly contentChanged: Stream.Stream<void>
  }
>()("@zain/editor-server/ContentService") {}
