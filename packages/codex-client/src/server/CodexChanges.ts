/**
 * Reads the files that Codex would write from its messages.
 *
 * @see Codex 0.171 app-server, `FileUpdateChange`: measured. The content of an `add` is not a diff, and an `add` may
 *   overwrite a file
 */

import type { FileEdit } from "@zain/agent-server/FileChanges"
import * as FileChanges from "@zain/agent-server/FileChanges"
import { type JsonObject, recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import { clip, maxOutputLength } from "@zain/command/Clip"
import type { McpEventContent } from "@zain/core/McpEvents"

/** The changes of an item. */
export const ofItem = (item: JsonObject): ReadonlyArray<FileEdit> =>
  recordsOf(item, "changes").flatMap((change) => {
    const path = textOf(change, "path")
    const kind = recordOf(change, "kind")
    return path === undefined
      ? []
      : [edit(path, textOf(kind, "type"), textOf(change, "diff"), textOf(kind, "move_path"))]
  })

/** The changes of a request of older versions; some wrap each change in its type's name. */
export const ofRequest = (changes: JsonObject): ReadonlyArray<FileEdit> =>
  Object.keys(changes).map((path) => {
    const change = recordOf(changes, path)
    const type = textOf(change, "type") ?? Object.keys(change)[0]
    const said = "type" in change ? change : recordOf(change, type ?? "")
    return edit(path, type, textOf(said, "content") ?? textOf(said, "unified_diff"), textOf(said, "move_path"))
  })

/** Every path that the changes write. */
export const pathsOf = (edits: ReadonlyArray<FileEdit>): ReadonlyArray<string> =>
  edits.flatMap(({ movedTo, path }) => (movedTo === undefined ? [path] : [path, movedTo]))

const edit = (path: string, type: string | undefined, text = "", movedTo?: string): FileEdit => {
  const at = { path, place: path }
  if (type === "add") return { ...at, after: () => text }
  if (type === "delete") return { ...at, after: () => undefined }
  if (movedTo === undefined) return { ...at, after: { hunks: text } }
  return { ...at, movedTo, after: { hunks: hunksOf(text, movedTo) } }
}

const hunksOf = (text: string, movedTo: string): string => {
  const moved = `\n\nMoved to: ${movedTo}`
  return text.endsWith(moved) ? text.slice(0, -moved.length) : text
}

/** The most events of one item. */
const maxEvents = 200

/** The events of an item that has changed files. Codex gives the whole content of a new or a deleted file, not a diff. */
export const events = (item: JsonObject): ReadonlyArray<McpEventContent> =>
  recordsOf(item, "changes")
    .slice(0, maxEvents)
    .flatMap((change): ReadonlyArray<McpEventContent> => {
      const [path, kind] = [textOf(change, "path"), recordOf(change, "kind")]
      const text = textOf(change, "diff") ?? ""
      const [type, movedTo] = [textOf(kind, "type"), textOf(kind, "move_path")]
      if (path === undefined) return []
      const diff = (whole: string) => clip(whole, maxOutputLength)
      if (type === "add" || type === "delete") {
        return [{ _tag: "FileChanged", path, kind: type, diff: diff(FileChanges.whole(type, text)) }]
      }
      if (movedTo === undefined) return [{ _tag: "FileChanged", path, kind: "update", diff: diff(text) }]
      return [{ _tag: "FileChanged", path, kind: "move", movedTo, diff: diff(hunksOf(text, movedTo)) }]
    })

/** Limits of the open changes: their number, and their text in characters. */
const [maxItems, maxTextLength] = [64, 16 * 1024 * 1024]

/** Changes of running items. Beyond the limits, the oldest is removed first. */
export interface OpenChanges {
  /** Adds the changes of an item. */
  readonly begun: (threadId: string, item: JsonObject) => void
  /** Removes the changes of an item. */
  readonly ended: (threadId: string, itemId: string) => void
  /** The changes of a running item. */
  readonly of: (threadId: string, itemId: string) => ReadonlyArray<FileEdit>
}

export const make = (): OpenChanges => {
  const open = new Map<string, { readonly edits: ReadonlyArray<FileEdit>; readonly size: number }>()
  let size = 0
  const forget = (key: string) => {
    size -= open.get(key)?.size ?? 0
    open.delete(key)
  }
  const keyOf = (threadId: string, itemId: string) => `${threadId} ${itemId}`
  return {
    begun: (threadId, item) => {
      const key = keyOf(threadId, textOf(item, "id") ?? "")
      forget(key)
      const own = recordsOf(item, "changes").reduce((sum, change) => sum + (textOf(change, "diff") ?? "").length, 0)
      open.set(key, { edits: ofItem(item), size: own })
      size += own
      for (const oldest of open.keys()) {
        if (oldest === key || (open.size <= maxItems && size <= maxTextLength)) break
        forget(oldest)
      }
    },
    ended: (threadId, itemId) => forget(keyOf(threadId, itemId)),
    of: (threadId, itemId) => open.get(keyOf(threadId, itemId))?.edits ?? [],
  }
}
