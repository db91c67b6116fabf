/**
 * The tools that the editor has.
 *
 * @see seed, `IToolQueryService`
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EditorTool } from "../domain/Catalogue.ts"

export interface ToolQueries {
  /** All tools, in the editor's order. */
  readonly getAllTools: Effect.Effect<ReadonlyArray<EditorTool>>
  /** The tool of a name, with its dots or without them. */
  readonly getTool: (name: string) => Effect.Effect<EditorTool | undefined>
}

export class ToolQueryService extends Context.Service<ToolQueryService, ToolQueries>()(
  "@zain/editor-server/ToolQueryService",
) {}
