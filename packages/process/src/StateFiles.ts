/**
 * Small files that outlive the process, in a directory that only the user can read.
 */
import { randomUUID } from "node:crypto"
import { chmod, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import * as Effect from "effect/Effect"

/** Why a directory of state cannot be written. */
export interface Unwritable {
  /** The absolute path of the directory. */
  readonly directory: string
  /** The system's reason, such as `EROFS: read-only file system`. */
  readonly why: string
}

/** The files of one directory. `read` never fails; `write` fails where the directory cannot be written. */
export interface StateFiles {
  /**
   * Reads a file, and sets its time of use to now.
   *
   * @param name the file's name, without a path
   * @returns its text; `undefined` if it does not exist or cannot be read
   */
  readonly read: (name: string) => Effect.Effect<string | undefined>
  /**
   * Replaces a file atomically, with mode 0600, then removes the files that exceed the limit of the directory.
   *
   * @param name the file's name, without a path or a dot at its beginning
   * @param text the whole new content, written as UTF-8
   */
  readonly write: (name: string, text: string) => Effect.Effect<void, Unwritable>
  /**
   * Removes a file, if it exists and can be removed.
   *
   * @param name the file's name, without a path
   */
  readonly remove: (name: string) => Effect.Effect<void>
  /**
   * Fails as `write` would now: writes a text to a file and removes the file. A failure later is still possible, such as
   * that of a disk that fills up.
   *
   * @param text a text of about the same length
   */
  readonly attempt: (text: string) => Effect.Effect<void, Unwritable>
}

/** The names of files that are being written, and the age at which they count as abandoned, in milliseconds. */
const unfinished = /^\..+\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const maxWriteMillis = 60_000

/**
 * Returns the home directory of the user whose environment is given.
 *
 * @param env its `HOME` is used; `os.homedir()` without one
 */
export const homeOf = (env: Readonly<Record<string, string | undefined>>): string => env["HOME"] ?? homedir()

/**
 * Returns a base directory of the user, as the XDG Base Directory Specification defines it.
 *
 * @param given the value of an XDG variable; used if it is an absolute path
 * @param env the environment whose `HOME` is the home directory
 * @param belowHome the default, as names below the home directory
 * @see XDG Base Directory Specification
 */
export const baseDirectory = (
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  ...belowHome: ReadonlyArray<string>
): string => (given !== undefined && isAbsolute(given) ? given : join(homeOf(env), ...belowHome))

/**
 * Returns a directory below `$XDG_STATE_HOME/zain`, or below `~/.local/state/zain` if that variable is not an absolute
 * path.
 *
 * @param env its `XDG_STATE_HOME` and `HOME` are used; either may be absent
 * @param name the last name of the directory's path
 */
export const directoryOf = (env: Readonly<Record<string, string | undefined>>, name: string): string =>
  join(baseDirectory(env["XDG_STATE_HOME"]?.trim(), env, ".local", "state"), "zain", name)

/**
 * Gives access to the files of the directory that `directoryOf` returns. A write creates the directory.
 *
 * @param env its `XDG_STATE_HOME` and `HOME` are used; either may be absent
 * @param name the last name of the directory's path
 * @param max how many files to keep at most: a write removes those that were used longest ago
 */
export const make = (env: Readonly<Record<string, string | undefined>>, name: string, max: number): StateFiles =>
  within(directoryOf(env, name), max)

/**
 * Gives access to the files of any directory. A write creates the directory, with mode 0700.
 *
 * @param directory the path of the directory; use it for nothing else, as a write removes the files that were used
 *   longest ago
 * @param max how many files to keep at most: a write removes those that were used longest ago
 */
export const within = (directory: string, max: number): StateFiles => {
  const read = async (file: string): Promise<string> => {
    const path = join(directory, file)
    const text = await readFile(path, "utf8")
    const now = new Date()
    await utimes(path, now, now).catch(() => {})
    return text
  }
  /** @param then receives the path of the unfinished file */
  const write = async (file: string, text: string, then: (beside: string) => Promise<void>): Promise<void> => {
    await makeDirectory(directory)
    await chmod(directory, 0o700)
    const beside = join(directory, `.${file}.${randomUUID()}`)
    try {
      await writeFile(beside, text, { mode: 0o600, flag: "wx" })
      await then(beside)
    } finally {
      await rm(beside, { force: true })
    }
  }
  const replace = async (file: string, text: string): Promise<void> => {
    await write(file, text, (beside) => rename(beside, join(directory, file)))
    await prune(directory, max).catch(() => {})
  }
  const failing = (work: () => Promise<void>) =>
    Effect.tryPromise({ try: work, catch: (cause): Unwritable => ({ directory, why: whyNot(cause) }) })
  return {
    read: (file) => Effect.promise(() => read(file).catch(() => undefined)),
    remove: (file) => Effect.promise(() => rm(join(directory, file), { force: true }).catch(() => {})),
    write: (file, text) => failing(() => replace(file, text)),
    attempt: (text) => failing(() => write("attempt", text, async () => {})),
  }
}

/** Makes a directory and those above it. Node's own `recursive` says of a read-only file system that a directory is missing. */
const makeDirectory = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return
    if (code !== "ENOENT" || dirname(path) === path) throw cause
    await makeDirectory(dirname(path))
    await makeDirectory(path)
  }
}

/** Node's message without the call and its paths. */
const whyNot = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause)).replace(/, .*/s, "")

/** Removes the files used longest ago, and unfinished files of writers that were killed. */
const prune = async (directory: string, max: number): Promise<void> => {
  const names = await readdir(directory)
  const files = names.filter((name) => !name.startsWith("."))
  const oldest = files.length <= max ? [] : (await aged(directory, files)).sort((a, b) => b.at - a.at).slice(max)
  const begun = await aged(
    directory,
    names.filter((name) => unfinished.test(name)),
  )
  const abandoned = begun.filter(({ at }) => at < Date.now() - maxWriteMillis)
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
