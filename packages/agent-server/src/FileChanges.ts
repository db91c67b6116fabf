/**
 * Diffs of the files that an approval would write.
 *
 * @see docs/internals/promises.md, 33
 */
import { constants } from "node:fs"
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises"
import type { McpFileChange } from "@zain/core/McpApproval"
import { clip } from "@zain/core/McpError"

/** One file that an agent requests to write. */
export interface FileEdit {
  /** As in the request's `paths`. */
  readonly path: string
  /** The absolute path. */
  readonly place: string
  /** New path of a moved file: as in the request's `paths`, and absolute. */
  readonly movedTo?: string
  /**
   * The file's text afterwards, by its text before (`undefined` when the file does not exist). Or the hunks of a unified
   * diff, where the agent provides no more.
   */
  readonly after: ((before: string | undefined) => string | Hunks | undefined) | Hunks
}

/** A change whose context is unknown. */
export interface Hunks {
  /** Hunks of a unified diff. */
  readonly hunks: string
}

/** Limit of a text that is compared, and of all changes in one request, in bytes. */
const [maxTextBytes, maxDiffBytes] = [1024 * 1024, 256 * 1024]

/** Time limit of one comparison, in milliseconds. */
const comparing = 100

/** A file on disk: its text, `undefined` when it does not exist; or why it is not shown, and its size where known. */
type Found = { readonly text: string | undefined } | { readonly hidden: string; readonly size?: number }

/**
 * The changes of a request, compared with the files on disk.
 *
 * @param redact removes secrets from the diffs
 * @param mayRead whether the text of a file may be shown, by its path without links; any by default
 */
export const describe = async (
  edits: ReadonlyArray<FileEdit>,
  redact: (text: string) => string,
  mayRead: MayRead = async () => true,
): Promise<ReadonlyArray<McpFileChange>> => {
  const changes: Array<McpFileChange> = []
  let left = maxDiffBytes
  for (const [at, edit] of edits.entries()) {
    const { diff, ...change } = await changeOf(edit, mayRead)
    left -= Buffer.byteLength(JSON.stringify(change))
    if (left <= 0) {
      changes.push({ path: "…", kind: "update", diff: `${edits.length - at} more files are not shown.` })
      return changes
    }
    const cut = shortened(redact(diff), left)
    left -= Buffer.byteLength(cut)
    changes.push({ ...change, diff: cut })
  }
  return changes
}

/** The diff of a file that was written or removed as a whole. */
export const whole = (kind: "add" | "delete", text: string): string => {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n")
  const [mark, place] = kind === "add" ? ["+", `-0,0 +1,${lines.length}`] : ["-", `-1,${lines.length} +0,0`]
  return lines.length === 0 ? "" : `@@ ${place} @@\n${lines.map((line) => `${mark}${line}\n`).join("")}`
}

type MayRead = (path: string) => Promise<boolean>

const changeOf = async ({ after, movedTo, path, place }: FileEdit, mayRead: MayRead): Promise<McpFileChange> => {
  const moved = movedTo === undefined ? {} : { movedTo, ...(await newness(movedTo)) }
  if (typeof after !== "function") {
    const kind = movedTo === undefined ? "update" : "move"
    return { path, kind, diff: after.hunks, ...(movedTo === undefined ? { isNew: false } : moved) }
  }
  const before = await read(place, mayRead)
  const text = after("hidden" in before ? "" : before.text)
  if (typeof text === "object") {
    return {
      path,
      kind: "update",
      diff: text.hunks,
      ...("hidden" in before ? {} : { isNew: before.text === undefined }),
    }
  }
  if ("hidden" in before) {
    const kind = text === undefined ? "delete" : movedTo === undefined ? "update" : "move"
    return { path, kind, diff: sizes(before.hidden, before.size, text), ...moved }
  }
  const isNew = before.text === undefined
  const kind = text === undefined ? "delete" : movedTo !== undefined ? "move" : isNew ? "add" : "update"
  return { path, kind, diff: await between(before.text, text), isNew, ...moved }
}

const newness = (path: string) =>
  lstat(path).then(
    () => ({ isNew: false }),
    ({ code }: NodeJS.ErrnoException) => (code === "ENOENT" ? { isNew: true } : {}),
  )

/** `O_NONBLOCK`: opening a device or a pipe does not block. */
const read = async (path: string, mayRead: MayRead): Promise<Found> => {
  let file: FileHandle | undefined
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const { isFile, size } = await file.stat().then((found) => ({ isFile: found.isFile(), size: found.size }))
    // A link may have changed since the path was checked, so the path of the open file is checked.
    const real = await readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(path))
    if (!(await mayRead(real))) return { hidden: "it lies outside of the root" }
    if (!isFile) return { hidden: "it is not a regular file" }
    if (size > maxTextBytes) return { hidden: "it is larger than 1 MiB", size }
    const bytes = Buffer.alloc(size)
    const { bytesRead } = await file.read(bytes, 0, size, 0)
    const text = textOf(bytes.subarray(0, bytesRead))
    return text === undefined ? { hidden: "it is not text", size } : { text }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    return code === "ENOENT" ? { text: undefined } : { hidden: `it cannot be read (${code})` }
  } finally {
    await file?.close()
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const textOf = (bytes: Buffer): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

const between = async (before: string | undefined, after: string | undefined): Promise<string> => {
  const size = after === undefined ? 0 : Buffer.byteLength(after)
  if (size > maxTextBytes) return sizes("it is larger than 1 MiB", sizeOf(before), after)
  if (after?.includes("\0")) return sizes("it is not text", sizeOf(before), after)
  const { createTwoFilesPatch, OMIT_HEADERS } = await import("diff")
  const options = { context: 3, headerOptions: OMIT_HEADERS, timeout: comparing }
  const [old, next] = [before ?? "", after ?? ""]
  if (old === next) return ""
  // Texts that share little exceed the time limit; then the diff has both as a whole.
  return createTwoFilesPatch("", "", old, next, undefined, undefined, options) ?? replaced(old, next)
}

const replaced = (before: string, after: string): string => {
  const [minus, plus] = [linesOf("-", before), linesOf("+", after)]
  return [`@@ -1,${minus.length} +1,${plus.length} @@`, ...minus, ...plus, ""].join("\n")
}

const linesOf = (mark: string, text: string): ReadonlyArray<string> =>
  text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${mark}${line}`)

const sizeOf = (text: string | undefined): number => (text === undefined ? 0 : Buffer.byteLength(text))

const sizes = (why: string, before: number | undefined, after: string | undefined): string => {
  const [old, next] = [before === undefined ? "an unknown size" : `${before} bytes`, `${sizeOf(after)} bytes`]
  return `Not shown, as ${why}: ${old} before, ${next} after.`
}

const shortened = (diff: string, max: number): string => {
  const size = Buffer.byteLength(diff)
  return size <= max ? diff : `${clip(diff, max)}\nCut: the whole diff has ${size} bytes.`
}
