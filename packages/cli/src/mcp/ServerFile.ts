/**
 * Reads files with MCP servers. Only named files are read, and only their servers.
 */
import { readFile, stat } from "node:fs/promises"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Json from "./formats/Json.ts"
import * as Toml from "./formats/Toml.ts"
import type { ServerEntry } from "./ServerEntry.ts"

/** A file. `error`: why it cannot be read. */
export interface ServerFile {
  readonly file: string
  readonly entries: ReadonlyArray<ServerEntry>
  readonly error?: string
}

/** The largest file; agents store other data in theirs too. */
const maxFileBytes = 64 * 1024 * 1024

/** @param name as passed; a relative path starts at the working directory */
export const read = Effect.fnUntraced(function* (
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Effect.fn.Return<ServerFile> {
  const file = resolve(cwd, name)
  const unreadable = (error: string): ServerFile => ({ file, entries: [], error })
  const text = yield* Effect.promise(() => contents(file))
  if (Result.isFailure(text)) return unreadable(text.failure)
  const { parse, read } = file.endsWith(".toml") ? Toml.format : Json.format
  const content = yield* Effect.promise(() => parse(text.success, file))
  if (Result.isFailure(content)) return unreadable(content.failure)
  const entries = read(content.success, { file, env, cwd })
  return Result.isSuccess(entries) ? { file, entries: entries.success } : unreadable(entries.failure)
})

const contents = async (file: string): Promise<Result.Result<string, string>> => {
  try {
    const about = await stat(file)
    if (!about.isFile()) return Result.fail("Not a file.")
    if (about.size > maxFileBytes) return Result.fail("Too large.")
    return Result.succeed(await readFile(file, "utf8"))
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined
    if (code === "ENOENT") return Result.fail("File not found.")
    return Result.fail(code === "EACCES" ? "Permission denied." : `It cannot be read (${code}).`)
  }
}
