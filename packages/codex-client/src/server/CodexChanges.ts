/**
 * Files that Codex would write, as it says them.
 *
 * @see Codex 0.169 app-server, `FileUpdateChange`: measured. The content of an `add` is no diff, and an `add` may overwrite
 *   a file
 */
import type { FileEdit } from "@zain/agent-server/FileChanges"
import { type JsonObject, recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"

/** The changes of an item. */
export const ofItem = (item: JsonObject): ReadonlyArray<FileEdit> =>
  recordsOf(item, "changes").flatMap((change) => {
    const path = textOf(change, "path")
    const kind = recordOf(change, "kind")
    return path === undefined
      ? []
      : [edit(path, textOf(kind, "type"), textOf(change, "diff"), textOf(kind, "move_path"))]
  })

/** The changes of a request as older versions of Codex write them; some put the type's name around each. */
export const ofRequest = (changes: JsonObject): ReadonlyArray<FileEdit> =>
  Object.keys(changes).map((path) => {
    const change = recordOf(changes, path)
    const type = textOf(change, "type") ?? Object.keys(change)[0]
    const said = "type" in change ? change : recordOf(change, type ?? "")
    return edit(path, type, textOf(said, "content") ?? textOf(said, "unified_diff"), textOf(said, "move_path"))
  })

/** Every path that changes write. */
export const pathsOf = (edits: ReadonlyArray<FileEdit>): ReadonlyArray<string> =>
  edits.flatMap(({ movedTo, path }) => (movedTo === undefined ? [path] : [path, movedTo]))

const edit = (path: string, type: string | undefined, text = "", movedTo?: string): FileEdit => {
  const at = { path, place: path }
  if (type === "add") return { ...at, after: () => text }
  if (type === "delete") return { ...at, after: () => undefined }
  if (movedTo === undefined) return { ...at, after: { hunks: text } }
  const moved = `\n\nMoved to: ${movedTo}`
  return { ...at, movedTo, after: { hunks: text.endsWith(moved) ? text.slice(0, -moved.length) : text } }
}

/** How many changes are kept, and how much of them, in characters. */
const [mostItems, mostText] = [64, 16 * 1024 * 1024]

/** Changes of items that have begun and have not ended. More than can wait at once are forgotten, the oldest first. */
export interface OpenChanges {
  readonly begun: (threadId: string, item: JsonObject) => void
  readonly ended: (threadId: string, itemId: string) => void
  readonly of: (threadId: string, itemId: string) => ReadonlyArray<FileEdit>
}

/** None. */
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
        if (oldest === key || (open.size <= mostItems && size <= mostText)) break
        forget(oldest)
      }
    },
    ended: (threadId, itemId) => forget(keyOf(threadId, itemId)),
    of: (threadId, itemId) => open.get(keyOf(threadId, itemId))?.edits ?? [],
  }
}
