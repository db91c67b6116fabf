/**
 * What the editor holds, and when it may have changed.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { EditorContent } from "../domain/EditorFeatures.ts"

export class ContentService extends Context.Service<
  ContentService,
  EditorContent & {
    /** What was read may be out of date. */
    readonly forget: Effect.Effect<void>
    /** Clients are notified that what the editor holds may have changed. */
    readonly sendContentChanged: Effect.Effect<void>
    /** One element whenever clients are to be notified. */
    readonly contentChanged: Stream.Stream<void>
  }
>()("@zain/editor-server/ContentService") {}
