/**
 * The life of the editor's tools: taken up, renewed, cleared.
 *
 * @see seed, `IToolManagementService`
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DomainError } from "../domain/DomainError.ts"
import type { ToolQueries } from "./ToolQueryService.ts"

export class ToolManagementService extends Context.Service<
  ToolManagementService,
  ToolQueries & {
    /** Takes up the tools that the editor listed when it was connected. */
    readonly initializeDynamicTools: Effect.Effect<void>
    /** Asks the editor for its tools again. Refreshes that are asked for meanwhile become one. */
    readonly refreshTools: Effect.Effect<void, DomainError>
    /** Takes the tools away until the editor is back. A static catalogue stays. */
    readonly clearTools: Effect.Effect<void>
    /** Takes away a tool that the editor does not have, until an editor connects anew. */
    readonly removeTool: (name: string) => Effect.Effect<void>
  }
>()("@zain/editor-server/ToolManagementService") {}
