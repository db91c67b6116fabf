/**
 * What one MCP client does, by the table of clients and the settings.
 */
import * as ClientRules from "@zain/tool-server/ClientRules"
import { ClientCompatibilityService } from "../../application/ClientCompatibilityService.ts"
import type { EditorSettings } from "../mcp/EditorSettings.ts"

/** @param clientInfo as the client sent it in `initialize` */
export const make = (
  { clientName, clientRules, select }: Pick<EditorSettings, "clientName" | "clientRules" | "select">,
  clientInfo: { readonly name: string; readonly version?: string },
) => {
  const { asksAgain, maxTools } = ClientRules.traitsOf(clientInfo, clientRules)
  return ClientCompatibilityService.of({
    clientName: clientInfo.name.trim() === "" ? clientName : clientInfo.name,
    asksAgain,
    visible: (tools) => select(tools, maxTools),
  })
}
