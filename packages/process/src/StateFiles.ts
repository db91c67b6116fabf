/**
 * Small files of the user that outlive a process, in a directory that only the user can read.
 */
import { randomUUID } from "node:crypto"
import { chmod, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import * as Effect from "effect/Effect"

/**
 * Neither fails: a directory may be none that can be written.
 *
 * - `read`: the text of a file, which counts as used; `undefined` where there is none that can be read
 * - `write`: replaces a file as a whole, and says whether it could. Names do not begin with a dot
 */
export interface StateFiles {
  readonly read: (name: string) => Effect.Effect<string | undefined>
  readonly write: (name: string, text: string) => Effect.Effect<boolean>
}

/** Files that are being written, and how long that may take, in milliseconds. */
const unfinished = /^\..+\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const longestWrite = 60_000

/** The home of the user, by an environment. */
export const homeOf = (env: Readonly<Record<string, string | undefined>>): string => env["HOME"] ?? homedir()

/**
 * A base directory of the user: the given one where that is an absolute path, else one below the home.
 *
 * @see XDG Base Directory Specification
 */
export const baseDirectory = (
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  ...belowHome: ReadonlyArray<string>
): string => (given !== undefined && isAbsolute(given) ? given : join(homeOf(env), ...belowHome))

/** A directory below `XDG_STATE_HOME/zain`, or below `~/.local/state/zain` where that is not set. */
export const directoryOf = (env: Readonly<Record<string, string | undefined>>, name: string): string =>
  join(baseDirectory(env["XDG_STATE_HOME"]?.trim(), env, ".local", "state"), "zain", name)

/**
 * The files of such a directory.
 *
 * @param env says where state is
 * @param most how many files stay; those go that were used longest ago
 */
export const make = (env: Readonly<Record<string, string | undefined>>, name: string, most: number): StateFiles =>
  within(directoryOf(env, name), most)

/** The files of a directory, which is made when it is needed. See `make`. */
export const within = (directory: string, most: number): StateFiles => {
  const read = async (file: string): Promise<string> => {
    const path = join(directory, file)
    const text = await readFile(path, "utf8")
    const now = new Date()
    await utimes(path, now, now).catch(() => {})
    return text
  }
  const write = async (file: string, text: string): Promise<boolean> => {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await chmod(directory, 0o700)
    const beside = join(directory, `.${file}.${randomUUID()}`)
    try {
      await writeFile(beside, text, { mode: 0o600, flag: "wx" })
      await rename(beside, join(directory, file))
    } finally {
      await rm(beside, { force: true })
    }
    await prune(directory, most).catch(() => {})
    return true
  }
  return {
    read: (file) => Effect.promise(() => read(file).catch(() => undefined)),
    write: (file, text) => Effect.promise(() => write(file, text).catch(() => false)),
  }
}

/** Removes the files that were used longest ago, and what is left of writers that have died. */
const prune = async (directory: string, most: number): Promise<void> => {
  const names = await readdir(directory)
  const files = names.filter((name) => !name.startsWith("."))
  const oldest = files.length <= most ? [] : (await aged(directory, files)).sort((a, b) => b.at - a.at).slice(most)
  const begun = await aged(
    directory,
    names.filter((name) => unfinished.test(name)),
  )
  const abandoned = begun.filter(({ at }) => at < Date.now() - longestWrite)
  await Promise.all([...oldest, ...abandoned].map(({ path }) => rm(path, { force: true })))
}

const aged = (directory: string, names: ReadonlyArray<string>) =>
  Promise.all(
    names.map(async (name) => {
      const path = join(directory, name)
      const at = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      )
      return { path, at }
    }),
  )
