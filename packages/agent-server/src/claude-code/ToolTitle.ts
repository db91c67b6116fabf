/**
 * How a use of a tool is said to people.
 */
import type { AgentMessage } from "../AgentChannel.ts"
import { textOf } from "../JsonMember.ts"

/** The longest title, in characters. */
const longest = 500

/** The file that a tool is about. */
export const pathOf = (input: AgentMessage): string | undefined =>
  textOf(input, "file_path") ?? textOf(input, "notebook_path")

/** The command, or the tool and what it is about. */
export const title = (tool: string, input: AgentMessage): string => {
  const command = textOf(input, "command")
  if (tool === "Bash" && command !== undefined) return clipped(command)
  const about =
    pathOf(input) ??
    textOf(input, "url") ??
    textOf(input, "query") ??
    textOf(input, "pattern") ??
    textOf(input, "skill") ??
    textOf(input, "description") ??
    command
  return about === undefined ? tool : clipped(`${tool} ${about}`)
}

const clipped = (text: string): string => (text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`)
