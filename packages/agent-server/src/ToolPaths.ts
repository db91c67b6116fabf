/**
 * The files that the arguments of a tool name, by the names that such arguments usually have.
 */
import { fileURLToPath } from "node:url"
import { isRecord } from "@zain/process/JsonRpc"

/** Names of arguments that hold a path, or a list of them, in small letters and without `_` and `-`. */
const names: ReadonlySet<string> = new Set([
  ...["path", "paths", "file", "files", "filepath", "filepaths", "filename", "filenames", "notebookpath"],
  ...["absolutepath", "relativepath", "oldpath", "newpath", "sourcepath", "targetpath", "destinationpath"],
  ...["directory", "directories", "dir", "dirs", "folder", "folders", "cwd", "workdir", "workingdirectory"],
])

/** Names of arguments that hold a path as often as something else. */
const maybe: ReadonlySet<string> = new Set(["root", "roots", "target", "source", "destination", "src", "dest", "dst"])

const uris: ReadonlySet<string> = new Set(["uri", "uris", "url", "urls"])

const looksLikePath = /[\\/]|^[.~]/
const isFileUri = /^file:/i
const isOtherUri = /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i

/** More paths, longer ones, deeper ones, and more values to look at are told as `more`. */
const [most, longest, deepest, mostValues] = [64, 4096, 8, 10_000]

/** Stands for what is too much to say. Its look is that of a path which cannot be told. */
export const more = "~more"

/** The paths that the arguments of a tool name, each once, in their order. Relative ones and `~` stay as they are. */
export const pathsIn = (input: unknown): ReadonlyArray<string> => {
  const found = new Set<string>()
  let values = 0
  const look = (name: string, value: unknown, depth: number): void => {
    if (found.has(more)) return
    if (++values > mostValues || depth > deepest) return void found.add(more)
    if (typeof value === "string") {
      const path = pathOf(name, value)
      if (path !== undefined) found.add(path.length > longest || found.size === most ? more : path)
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

/** A URI that names no file of this machine stays as it is, and cannot be told. */
const ofUri = (uri: string): string => {
  if (!/^file:\/\//i.test(uri)) return uri
  try {
    return fileURLToPath(uri)
  } catch {
    return uri
  }
}
