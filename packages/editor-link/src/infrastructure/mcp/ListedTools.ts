/**
 * The tools of one or several editors, as MCP clients see them.
 */
import type { Tool } from "@modelcontextprotocol/sdk/types.js"
import type { EditorTool } from "../../domain/Catalogue.ts"

/** The argument by which calls choose an editor, where there are several. */
export const editorArgument = "editor"

type Schema = Tool["inputSchema"]

const plain = ({ annotations, description, inputSchema, name, outputSchema }: EditorTool): Tool => ({
  name,
  description,
  inputSchema: inputSchema as Schema,
  ...(outputSchema === undefined ? {} : { outputSchema: outputSchema as NonNullable<Tool["outputSchema"]> }),
  ...(annotations === undefined ? {} : { annotations }),
})

/** @param editors the names of those that have the tool */
const choosing = (tool: Tool, editors: ReadonlyArray<string>): Tool => {
  const { properties = {}, required = [], ...rest } = tool.inputSchema
  const choice = { type: "string", enum: editors, description: "The editor that does it." }
  return {
    ...tool,
    inputSchema: {
      ...rest,
      properties: { [editorArgument]: choice, ...properties },
      required: [editorArgument, ...required],
    } as Schema,
  }
}

/** @param editors the tools of each editor, by its name; a single one has no name */
export const make = (editors: ReadonlyMap<string, ReadonlyArray<EditorTool>>): ReadonlyArray<Tool> => {
  const [only] = editors.values()
  if (editors.size === 1 && editors.has("")) return (only ?? []).map(plain)
  const found = new Map<string, { readonly tool: EditorTool; readonly editors: Array<string> }>()
  for (const [editor, tools] of editors) {
    for (const tool of tools) {
      const known = found.get(tool.name)
      if (known === undefined) found.set(tool.name, { tool, editors: [editor] })
      else known.editors.push(editor)
    }
  }
  return [...found.values()].map(({ editors, tool }) => choosing(plain(tool), editors))
}
