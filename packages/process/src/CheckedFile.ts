/**
 * Reads a small file that other users must not read or change.
 */
import { constants, type Stats } from "node:fs"
import { open } from "node:fs/promises"
import * as Effect from "effect/Effect"

/** What a file must be. */
export interface Rules {
  /** The largest size, in bytes. */
  readonly maxBytes: number
  /** The bits that its mode must not have, such as `0o077`. Windows has none. */
  readonly forbidden: number
  /** Whether it must belong to the user of this process. False by default. */
  readonly isOwn?: boolean
}

/**
 * Reads the text of a file.
 *
 * @param path the file
 * @param rules what it must be
 * @returns the text; fails with the end of a sentence about the file, which has the remedy and nothing of the text
 */
export const read = (path: string, rules: Rules): Effect.Effect<string, string> =>
  Effect.tryPromise({
    try: async () => {
      // Opening a named pipe would block.
      await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
      const why = problem(path, await file.stat(), rules)
      if (why !== undefined) throw new Error(why)
      return await file.readFile("utf8")
    },
    catch: (cause) => {
      const { code, message } = cause as NodeJS.ErrnoException
      return code === undefined ? message : `cannot be read (${code}). Check the path.`
    },
  })

const problem = (path: string, stat: Stats, { forbidden, isOwn = false, maxBytes }: Rules): string | undefined => {
  if (!stat.isFile()) return "is not a regular file."
  if (stat.size > maxBytes) return `is larger than ${maxBytes / 1024} KiB.`
  if (process.platform === "win32") return undefined
  if (isOwn && stat.uid !== process.getuid?.()) return "belongs to another user."
  if ((stat.mode & forbidden) === 0) return undefined
  return `is open to other users. Run: chmod ${(stat.mode & 0o777 & ~forbidden).toString(8)} ${path}`
}
