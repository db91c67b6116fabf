/**
 * Paths in the arguments of a tool, found by the usual names of such arguments.
 */
import { fileURLToPath } from "node:url"
import { isRecord } from "@zain/process/JsonRpc"

/** Names of arguments that hold a path, or an array of paths, in lower case and without `_` and `-`. */
const names: ReadonlySet<string> = new Set([
  ...["path", "paths", "file", "files", "filepath", "filepaths", "filename", "filenames", "notebookpath"],
  ...["absolutepath", "relativepath", "oldpath", "newpath", "sourcepath", "targetpath", "destinationpath"],
  ...["directory", "directories", "dir", "dirs", "folder", "folders", "cwd", "workdir", "workingdirectory"],
])

/** Names of arguments that hold a path, or something else. */
const maybe: ReadonlySet<string> = new Set(["root", "roots", "target", "source", "destination", "src", "dest", "dst"])

const uris: ReadonlySet<string> = new Set(["uri", "uris", "url", "urls"])

const looksLikePath = /[\\/]|^[.~]/
const isFileUri = /^file:/i
const isOtherUri = /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i

/** Limits: number of paths, length in characters, depth, and number of values. Anything beyond becomes `more`. */
const [maxPaths, maxPathLength, maxDepth, maxValues] = [64, 4096, 8, 10_000]

/** Replaces paths beyond the limits. No rule approves it, because `~` is not resolved. */
export const more = "~more"

/** The paths in the arguments of a tool, each once, in order. Relative paths and `~` are not resolved. */
export const pathsIn = (input: unknown): ReadonlyArray<string> => {
  const found = new Set<string>()
  let values = 0
  const look = (name: string, value: unknown, depth: number): void => {
    if (found.has(more)) return
    if (++values > maxValues || depth > maxDepth) return void found.add(more)
    if (typeof value === "string") {
      const path = pathOf(name, value)
      if (path !== undefined) found.add(path.length > maxPathLength || found.size === maxPaths ? more : path)
    } else if (Array.isArray(value)) {
      for (const one of value) look(name, one, depth + 1)
    } else if (isRecord(value)) {
      for (const [key, one] of Object.entries(value)) look(key.toLowerCase().replace(/[_-]/g, ""), one, depth + 1)
    }
  }
  look("", input, 0)
  return [...found]
}

const pathOf = (name: string, value: string): string | undefined => {
  const isNamed = names.has(name) || (maybe.has(name) && looksLikePath.test(value)) || uris.has(name)
  if (!isNamed || value === "") return undefined
  if (isFileUri.test(value)) return ofUri(value)
  return uris.has(name) || isOtherUri.test(value) ? undefined : value
}

/** A URI that names no file of this machine is not converted. */
const ofUri = (uri: string): string => {
  if (!/^file:\/\//i.test(uri)) return uri
  try {
    return fileURLToPath(uri)
  } catch {
    return uri
  }
}
