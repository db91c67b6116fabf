/**
 * The text of docs/reference/blender-gallery.md.
 */
import * as ToolNames from "../../packages/editor-server/src/domain/ToolNames.ts"
import { type Call, type Entry, entries, stage } from "./GalleryEntries.ts"

const block = (language: string, code: string) => `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``

/** JSON as Biome formats it. `used`: the columns that are taken before it in its line. */
const json = (value: unknown, indent = "", used = 0): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const [open, close, space] = Array.isArray(value) ? ["[", "]", ""] : ["{", "}", " "]
  const members = Object.entries(value).map(([name, member]) => [space && `${JSON.stringify(name)}: `, member] as const)
  const flat = members.map(([name, member]) => name + json(member, "", Number.NEGATIVE_INFINITY)).join(", ")
  if (used + flat.length + 5 <= 120) return `${open}${space}${flat}${space}${close}`
  const deeper = `${indent}  `
  const lines = members.map(([name, member]) => `${deeper}${name}${json(member, deeper, deeper.length + name.length)}`)
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`
}

const list = (items: ReadonlyArray<unknown>) => items.map((item) => `- \`${item}\``).join("\n")

/** How the arguments of calls of one tool are shown. */
const shown: Readonly<Record<string, (calls: ReadonlyArray<Call["arguments"]>) => string>> = {
  "command.apply": (calls) => calls.map((args) => block("json", json(args))).join("\n\n"),
  "command.executeNatural": (calls) => list(calls.map(({ command }) => command)),
  "command.executeRaw": (calls) => calls.map(({ pythonCode }) => block("python", String(pythonCode))).join("\n\n"),
  "scene.capturePreview": (calls) => list(calls.map((args) => json(args))),
}

const callsOf = (calls: ReadonlyArray<Call>): string => {
  const [first, ...rest] = calls
  if (first === undefined) return ""
  const other = rest.findIndex(({ tool }) => tool !== first.tool)
  const same = other < 0 ? calls : calls.slice(0, other + 1)
  const text = shown[first.tool]?.(same.map((call) => call.arguments)) ?? ""
  return `\`${ToolNames.plain(first.tool)}\`\n\n${text}\n\n${callsOf(calls.slice(same.length))}`
}

/** The name of the file of a picture, in `docs/reference/blender-gallery/`. */
export const fileOf = ({ name, pictures }: Entry, index: number): string =>
  pictures.length === 1 ? `${name}.png` : `${name}-${pictures[index]}.png`

const imageOf = (entry: Entry, index: number) => `![${entry.pictures[index]}](blender-gallery/${fileOf(entry, index)})`

const picturesOf = (entry: Entry): string => {
  const images = entry.pictures.map((_, index) => imageOf(entry, index)).join("\n")
  return entry.pictures.length === 1 ? images : `${images}\n\nIn this order: ${entry.pictures.join(", ")}.`
}

const sectionOf = (entry: Entry) =>
  `## ${entry.title}\n\n${entry.text}\n\n${picturesOf(entry)}\n\n${callsOf(entry.calls).trimEnd()}`

export const text = `# Blender gallery

Pictures that a Blender 3.4 without a window rendered (Cycles), and the calls that made them. Each entry begins with the stage
below. [The editor server](../guides/editor-server.md#with-blender) says how to start one.

The tests make these calls, compare the pictures, and undo each entry by \`scene_undo\`.

## The stage

A round table in daylight, in place of what a new Blender shows.

${callsOf([stage]).trimEnd()}

${entries.map(sectionOf).join("\n\n")}
`
