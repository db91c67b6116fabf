/**
 * Selects the tools of a client: by category, by its limit, or two instead of all.
 *
 * @see Clients differ
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Arguments, type EditorTool, near } from "./Catalogue.ts"
import type { ValidationError } from "./DomainError.ts"
import * as OperationResult from "./OperationResult.ts"

/** The two tools by which a client reaches unlisted ones. */
export const searchName = "search_tools"
export const callName = "call_tool"

/**
 * - `include`, `exclude`: categories; all if none is included
 */
export interface Selection {
  /** The client's limit of tools, if known. */
  readonly max?: number | undefined
  readonly include?: ReadonlyArray<string>
  readonly exclude?: ReadonlyArray<string>
  /** Categories in the order in which they are omitted over `max`. */
  readonly leftOut?: ReadonlyArray<string>
  /** Whether only the two tools are listed. */
  readonly isCompact?: boolean
}

/** A tool that calls another by its name. The server does that. */
const callTool: EditorTool = {
  name: callName,
  description: "Calls a tool by its name, also one that is not listed; search_tools finds them.",
  inputSchema: {
    type: "object",
    properties: { name: { type: "string" }, arguments: { type: "object" } },
    required: ["name"],
    additionalProperties: false,
  },
  scopeOf: () => "execute",
  read: () => Result.fail("this tool is called by the server itself"),
}

/** The call that a call means: of `call_tool`, the one that it names. */
export const meant = (name: string, args: unknown): { readonly name: string; readonly arguments: unknown } => {
  const given = typeof args === "object" && args !== null ? (args as Arguments) : {}
  return name === callName && typeof given["name"] === "string"
    ? { name: given["name"], arguments: given["arguments"] }
    : { name, arguments: args }
}

/** The listed tools, with `call_tool` if any is omitted. */
export const visible = (tools: ReadonlyArray<EditorTool>, selection: Selection): ReadonlyArray<EditorTool> => {
  const { exclude = [], include = [], isCompact = false, leftOut = [], max = Number.POSITIVE_INFINITY } = selection
  const stays = ({ category = "", name }: EditorTool) =>
    name === searchName || ((include.length === 0 || include.includes(category)) && !exclude.includes(category))
  let shown = isCompact ? tools.filter(({ name }) => name === searchName) : tools.filter(stays)
  for (const category of leftOut) {
    if (shown.length + Number(shown.length < tools.length) <= max) break
    shown = shown.filter((tool) => tool.name === searchName || tool.category !== category)
  }
  return shown.length === tools.length ? shown : [...shown, callTool]
}

const defaultMax = 20

/** `search_tools`: searches all tools, listed or not. */
export const search =
  (all: () => ReadonlyArray<EditorTool>) =>
  (args: Arguments): Effect.Effect<OperationResult.OperationResult, ValidationError> =>
    Effect.sync(() => {
      const { category, includeSchemas, limit, query, scope, tags } = args
      const given = [query, ...(Array.isArray(tags) ? tags : [])].filter((word) => typeof word === "string")
      const words = [...new Set(given.flatMap((word) => word.toLowerCase().split(/\s+/).filter(Boolean)))]
      const isFor = (tool: EditorTool) =>
        (category === undefined || tool.category === category) &&
        (scope === undefined || tool.scopeOf({}) === scope) &&
        words.every((word) => `${tool.name} ${tool.category} ${tool.description}`.toLowerCase().includes(word))
      const found = all().filter(isFor)
      const shown = found.slice(0, typeof limit === "number" && limit > 0 ? Math.floor(limit) : defaultMax)
      const names = all().map(({ name }) => name)
      return OperationResult.make({
        total: found.length,
        tools: shown.map(({ category, description, inputSchema, name }) => ({
          name,
          category,
          description,
          ...(includeSchemas === true ? { inputSchema } : {}),
        })),
        ...(found.length === 0 && typeof query === "string" ? { similar: near(query, names) } : {}),
      })
    })
