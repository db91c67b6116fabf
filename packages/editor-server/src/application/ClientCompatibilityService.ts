/**
 * What an MCP client is known to do.
 *
 * @see seed, `IClientCompatibilityService`
 */
import * as Context from "effect/Context"
import type { EditorTool } from "../domain/Catalogue.ts"

export class ClientCompatibilityService extends Context.Service<
  ClientCompatibilityService,
  {
    /** The name that the editor shows. */
    readonly clientName: string
    /** Whether it asks for the tools again when it is notified that they changed. */
    readonly asksAgain: boolean
    /** The tools that it is given of all that there are. */
    readonly visible: (tools: ReadonlyArray<EditorTool>) => ReadonlyArray<EditorTool>
  }
>()("@zain/editor-server/ClientCompatibilityService") {}
