/**
 * What one MCP client does, by the table of clients and the settings.
 */
import * as ClientRules from "@zain/tool-server/ClientRules"
import { ClientCompatibilityService } from "../../application/ClientCompatibilityService.ts"
import type { EditorTool } from "../../domain/Catalogue.ts"
import * as ToolNames from "../../domain/ToolNames.ts"
import type { EditorSettings } from "./EditorSettings.ts"

/** @param clientInfo as the client sent it in `initialize` */
export const make = (
  {
    clientName,
    clientRules,
    select,
    toolNames,
  }: Pick<EditorSettings, "clientName" | "clientRules" | "select" | "toolNames">,
  clientInfo: { readonly name: string; readonly version?: string },
) => {
  const { asksAgain, dropsPictures, maxTools } = ClientRules.traitsOf(clientInfo, clientRules)
  const hasDots = toolNames === "auto" ? ClientRules.takesDots(clientInfo) : toolNames === "dots"
  return ClientCompatibilityService.of({
    clientName: clientInfo.name.trim() === "" ? clientName : clientInfo.name,
    asksAgain,
    isStructured: !dropsPictures,
    visible: (tools) => {
      const selected = select(tools, maxTools)
      const named = hasDots ? selected : ToolNames.withoutDots(selected, tools)
      return dropsPictures ? named.map(unstructured) : named
    },
  })
}

/** A tool whose results clients are not promised a structure of. */
const unstructured = (tool: EditorTool): EditorTool => {
  if (tool.outputSchema === undefined) return tool
  const { outputSchema, ...rest } = tool
  return rest
}
