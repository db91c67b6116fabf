/**
 * The 107 tools of Unity as rows of data, in the order of the list.
 */
import type { JsonSchema, Scope } from "@zain/editor-link/domain/Catalogue"
import tools from "./tools.json" with { type: "json" }

/** A tool as it is written down. */
export interface ToolRow {
  readonly name: string
  readonly category: string
  readonly description: string
  /** The description in Japanese. */
  readonly ja: string
  readonly scope: Scope
  /** Whether it may overwrite or remove something. */
  readonly destructive?: boolean
  /** Names that the command had in older packages. */
  readonly formerNames?: ReadonlyArray<string>
  /** Arguments that Unity ignores, by their paths. */
  readonly ignored?: ReadonlyArray<string>
  readonly inputSchema: JsonSchema
}

export const toolRows = tools as ReadonlyArray<ToolRow>

const byName = new Map(toolRows.map((row) => [row.name, row]))

/** The row of a command; none if no tool has its name. */
export const rowOf = (name: string): ToolRow | undefined => byName.get(name)
