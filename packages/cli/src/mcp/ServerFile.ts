/**
 * A file that lists MCP servers. Only files that somebody names are read, and nothing else of them than their servers.
 */
import { readFile, stat } from "node:fs/promises"
import { basename, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as CodexServers from "./CodexServers.ts"
import * as JsonServers from "./JsonServers.ts"
import type { ServerEntry } from "./ServerEntry.ts"

/** `error`: why it cannot be read. */
export interface ServerFile {
  readonly file: string
  readonly entries: ReadonlyArray<ServerEntry>
  readonly error?: string
}

/** Claude Code keeps much else in its own. */
const longest = 64 * 1024 * 1024

/** @param name as it was given; below the working directory, if it is no whole path */
export const read = Effect.fnUntraced(function* (
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Effect.fn.Return<ServerFile> {
  const file = resolve(cwd, name)
  const unreadable = (error: string): ServerFile => ({ file, entries: [], error })
  const text = yield* Effect.promise(() => contents(file))
  if (Result.isFailure(text)) return unreadable(text.failure)
  const isToml = file.endsWith(".toml")
  const value = yield* Effect.promise(() => (isToml ? toml(text.success) : json(text.success, isLenient(file))))
  if (Result.isFailure(value)) return unreadable(value.failure)
  const entries = (isToml ? CodexServers : JsonServers).read(value.success, { file, env, cwd })
  return Result.isSuccess(entries) ? { file, entries: entries.success } : unreadable(entries.failure)
})

const contents = async (file: string): Promise<Result.Result<string, string>> => {
  try {
    const about = await stat(file)
    if (!about.isFile()) return Result.fail("It is no file.")
    if (about.size > longest) return Result.fail("It is too long.")
    return Result.succeed(await readFile(file, "utf8"))
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined
    if (code === "ENOENT") return Result.fail("There is no such file.")
    return Result.fail(code === "EACCES" ? "It may not be read." : `It cannot be read (${code}).`)
  }
}

/** Editors read comments and commas at the end; Claude Code does not. */
const isLenient = (file: string) => /^mcp\.json$|\.jsonc$|\.code-workspace$/.test(basename(file))

/** The words of a parser may hold a piece of the file, and with it a secret: only the place is told. */
const json = async (text: string, isLenient: boolean): Promise<Result.Result<unknown, string>> => {
  try {
    const bare = text.replace(/^\uFEFF/, "")
    if (!isLenient) return Result.succeed(JSON.parse(bare))
    const { default: strip } = await import("strip-json-comments")
    return Result.succeed(JSON.parse(strip(bare, { trailingCommas: true })))
  } catch (cause) {
    const [, line, column] = /line (\d+) column (\d+)/.exec(String(cause)) ?? []
    return Result.fail(`It is no JSON${line === undefined ? "" : `: line ${line}, column ${column}`}.`)
  }
}

const toml = async (text: string): Promise<Result.Result<unknown, string>> => {
  const { parse, TomlError } = await import("smol-toml")
  try {
    return Result.succeed(parse(text))
  } catch (cause) {
    return Result.fail(
      `It is no TOML${cause instanceof TomlError ? `: line ${cause.line}, column ${cause.column}` : ""}.`,
    )
  }
}
