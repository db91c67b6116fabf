/**
 * What one MCP client does, by the table of clients and the settings.
 */
import * as ClientRules from "@zain/tool-server/ClientRules"
import { ClientCompatibilityService } from "../../application/ClientCompatibilityService.ts"
import * as ToolNames from "../../domain/ToolNames.ts"
import type { EditorSettings } from "../mcp/EditorSettings.ts"

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
  const { asksAgain, maxTools } = ClientRules.traitsOf(clientInfo, clientRules)
  const hasDots = toolNames === "auto" ? ClientRules.takesDots(clientInfo) : toolNames === "dots"
  return ClientCompatibilityService.of({
    clientName: clientInfo.name.trim() === "" ? clientName : clientInfo.name,
    asksAgain,
    visible: (tools) => {
      const selected = select(tools, maxTools)
      return hasDots ? selected : ToolNames.withoutDots(selected, tools)
    },
  })
}
