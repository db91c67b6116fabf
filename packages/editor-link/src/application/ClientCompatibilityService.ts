/**
 * Known behaviour of an MCP client.
 *
 * @see seed, `IClientCompatibilityService`
 */
import * as Context from "effect/Context"
import type { EditorTool } from "../domain/Catalogue.ts"

export class ClientCompatibilityService extends Context.Service<
  ClientCompatibilityService,
  {
    /** The client's name in the editor. */
    readonly clientName: string
    /** Whether it requests the tools again after a notification. */
    readonly asksAgain: boolean
    /** Whether successes have `structuredContent`, which some clients show in place of pictures. */
    readonly isStructured: boolean
    /** Selects the tools that it receives, by the names that it receives. */
    readonly visible: (tools: ReadonlyArray<EditorTool>) => ReadonlyArray<EditorTool>
  }
>()("@zain/editor-server/ClientCompatibilityService") {}
