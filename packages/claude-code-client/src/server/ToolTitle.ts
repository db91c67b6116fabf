/**
 * How a use of a tool is said to people.
 */

import type { AgentMessage } from "@zain/agent-server/AgentChannel"
import { textOf } from "@zain/agent-server/JsonMember"
import { clip } from "@zain/tool-server/Clip"

/** The longest title, in characters. */
const longest = 500

/** The file that a tool is about. */
export const pathOf = (input: AgentMessage): string | undefined =>
  textOf(input, "file_path") ?? textOf(input, "notebook_path")

/** The command, or the tool and what it is about: what it does before what it is called. */
export const title = (tool: string, input: AgentMessage): string => {
  const command = textOf(input, "command")
  if (tool === "Bash" && command !== undefined) return clip(command, longest)
  const about =
    command ??
    pathOf(input) ??
    textOf(input, "url") ??
    textOf(input, "query") ??
    textOf(input, "pattern") ??
    textOf(input, "skill") ??
    textOf(input, "description")
  return about === undefined ? tool : clip(`${tool} ${about}`, longest)
}
