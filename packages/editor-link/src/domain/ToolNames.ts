/**
 * Two names of a tool: its own, and the same without dots.
 *
 * APIs of models accept names that match `^[a-zA-Z0-9_-]{1,64}$`. Some clients replace other characters; others fail with
 * the whole chat.
 *
 * @see docs/decisions/0030-tool-names.md
 */

import { alike, type EditorTool } from "./Catalogue.ts"
import { ValidationError } from "./DomainError.ts"

/** The values of `--tool-names`; `auto` decides by the client. */
export const styles = ["auto", "dots", "underscores"] as const

/** A value of `--tool-names`. */
export type Style = (typeof styles)[number]

/** The name without dots. Texts for models have this one: clients that are listed dots show it too. */
export const plain = (name: string): string => name.replaceAll(".", "_")

/** The tool of a name. A tool's own name goes before the other name of another tool. */
export const find = (tools: ReadonlyArray<EditorTool>, name: string): EditorTool | undefined =>
  tools.find((tool) => tool.name === name) ?? tools.find((tool) => plain(tool.name) === name)

/** Some of all tools by their names without dots. A tool whose name then means another one is left out. */
export const withoutDots = (
  some: ReadonlyArray<EditorTool>,
  all: ReadonlyArray<EditorTool>,
): ReadonlyArray<EditorTool> =>
  some.flatMap((tool) => {
    if (!tool.name.includes(".")) return [tool]
    const name = plain(tool.name)
    return find(all, name) === tool ? [alike(tool, { name })] : []
  })

/** What a call of a tool fails with whose arguments are wrong. */
export const wrongArguments = (tool: string, problem: string) =>
  new ValidationError({ message: `${plain(tool)}: ${problem}`, delivery: "not-sent", reason: "arguments" })
