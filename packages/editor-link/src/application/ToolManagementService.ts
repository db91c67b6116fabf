/**
 * Loads, refreshes and clears the editor's tools.
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
    /** Loads the tools that the editor sent in its first exchange. */
    readonly initializeDynamicTools: Effect.Effect<void>
    /** Requests the editor's tools again. Concurrent refreshes become one. */
    readonly refreshTools: Effect.Effect<void, DomainError>
    /** Removes the tools until the editor is back. A static catalogue stays. */
    readonly clearTools: Effect.Effect<void>
    /** Removes a tool that the editor does not have, until the next connection. */
    readonly removeTool: (name: string) => Effect.Effect<void>
  }
>()("@zain/editor-server/ToolManagementService") {}
