/**
 * Titles of tool calls, for people.
 */

import type { AgentMessage } from "@zain/agent-server/AgentChannel"
import { textOf } from "@zain/agent-server/JsonMember"
import { clip } from "@zain/command/Clip"

/** The longest title, in characters. */
const maxTitleLength = 500

/** The file in a tool's input. */
export const pathOf = (input: AgentMessage): string | undefined =>
  textOf(input, "file_path") ?? textOf(input, "notebook_path")

/** The title of a tool call: its command, or the tool's name and its main argument. */
export const title = (tool: string, input: AgentMessage): string => {
  const command = textOf(input, "command")
  if (tool === "Bash" && command !== undefined) return clip(command, maxTitleLength)
  const about =
    command ??
    pathOf(input) ??
    textOf(input, "url") ??
    textOf(input, "query") ??
    textOf(input, "pattern") ??
    textOf(input, "skill") ??
    textOf(input, "description")
  return about === undefined ? tool : clip(`${tool} ${about}`, maxTitleLength)
}
