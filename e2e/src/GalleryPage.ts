/**
 * What docs/reference/blender-gallery.md shows: calls of the tools of `zain-editor-mcp blender`, and the pictures that they
 * return. `scene_undo` takes each entry back to the stage, which is the first section.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Programs from "./Programs.ts"

export interface Call {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** `pictures`: the names of the files in `docs/reference/blender-gallery/`, in the order of the calls. */
export interface Entry {
  readonly title: string
  readonly calls: ReadonlyArray<Call>
  readonly pictures: ReadonlyArray<string>
}

/** A tool by a paragraph of its name, then the arguments of its calls: each a block of code, or an item of a list. */
const parts = /^`(?<tool>\w+)`$|^```(?<language>\w+)\n(?<block>[\s\S]*?)^```$|^- `(?<item>.*)`$/gm

const entryOf = (section: string): Entry => {
  let tool = ""
  const calls: Array<Call> = []
  for (const { groups = {} } of section.matchAll(parts)) {
    const { block, item, language } = groups
    if (groups["tool"] !== undefined) tool = groups["tool"]
    else if (language === "python") calls.push({ tool, arguments: { pythonCode: block } })
    else if (tool === "command_executeNatural") calls.push({ tool, arguments: { command: item } })
    else calls.push({ tool, arguments: JSON.parse(block ?? item ?? "") })
  }
  const pictures = [...section.matchAll(/^!\[.+\]\(blender-gallery\/(.+)\)$/gm)].map(([, file = ""]) => file)
  return { title: section.split("\n", 1)[0] ?? "", calls, pictures }
}

const page = readFileSync(join(Programs.root, "docs/reference/blender-gallery.md"), "utf8")

export const [stage, ...entries] = page.split(/^## /m).slice(1).map(entryOf)
