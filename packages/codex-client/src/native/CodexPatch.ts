/**
 * Reads the changes of a patch from Codex's request. No file is read.
 *
 * @see Codex 0.153.4, `codex_changes`: measured. An `add` may overwrite a file
 */
import type { McpFileChange } from "@zain/core/McpApproval"
import { clip } from "@zain/core/McpError"
import { isRecord } from "@zain/process/JsonRpc"

/** Limit of all diffs of one request, in bytes. */
const maxDiffBytes = 256 * 1024

/** The changes by their paths. Older versions put a name around each: `{ update: { move_path } }`. */
export const read = (changes: unknown): ReadonlyArray<McpFileChange> => {
  let left = maxDiffBytes
  return Object.entries(isRecord(changes) ? changes : {}).map(([path, change]) => {
    const { diff, ...rest } = changeOf(path, isRecord(change) ? change : {})
    const size = Buffer.byteLength(diff)
    const shown = size <= left ? diff : `${clip(diff, Math.max(3, left))}\nCut: the whole diff has ${size} bytes.`
    left -= Math.min(size, left)
    return { ...rest, diff: shown }
  })
}

const changeOf = (path: string, change: Readonly<Record<string, unknown>>): McpFileChange => {
  const type = typeof change["type"] === "string" ? change["type"] : Object.keys(change)[0]
  const inner = change[type ?? ""]
  const said = isRecord(inner) ? inner : change
  const content = textOf(said["content"]) ?? ""
  if (type === "add") return { path, kind: "add", diff: whole("+", content) }
  if (type === "delete") return { path, kind: "delete", diff: whole("-", content) }
  const movedTo = textOf(said["move_path"])
  const diff = textOf(said["unified_diff"]) ?? ""
  return movedTo === undefined ? { path, kind: "update", diff } : { path, kind: "move", movedTo, diff }
}

/** All lines of a file as one hunk. */
const whole = (mark: "+" | "-", content: string): string => {
  if (content === "") return ""
  const lines = content.replace(/\n$/, "").split("\n")
  const head = mark === "+" ? `@@ -0,0 +1,${lines.length} @@` : `@@ -1,${lines.length} +0,0 @@`
  return [head, ...lines.map((line) => `${mark}${line}`), ""].join("\n")
}

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
