/**
 * Reads a file that a request attaches.
 */
import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import * as Effect from "effect/Effect"

/**
 * Reads a regular file of at most `limit` bytes; fails with what is wrong with it, as the predicate of a sentence.
 *
 * @param limit in bytes
 * @param tooLarge the predicate for a larger file
 */
export const read = (path: string, limit: number, tooLarge: string): Effect.Effect<Uint8Array, string> =>
  Effect.acquireUseRelease(
    // A pipe without a writer would be waited for.
    attempt(() => open(path, constants.O_RDONLY | constants.O_NONBLOCK)),
    (file) =>
      Effect.flatMap(
        attempt(() => bytesOf(file, limit, tooLarge)),
        (read) => (typeof read === "string" ? Effect.fail(read) : Effect.succeed(read)),
      ),
    (file) => Effect.promise(() => file.close()),
  )

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, string> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) => `cannot be read (${(cause as NodeJS.ErrnoException).code ?? String(cause)})`,
  })

const bytesOf = async (file: FileHandle, limit: number, tooLarge: string): Promise<Uint8Array | string> => {
  const found = await file.stat()
  if (found.isDirectory()) return "is a directory"
  if (!found.isFile()) return "is not a regular file"
  if (found.size > limit) return tooLarge
  const bytes = new Uint8Array(found.size)
  let size = 0
  while (size < bytes.length) {
    const { bytesRead } = await file.read(bytes, size, bytes.length - size)
    if (bytesRead === 0) break
    size += bytesRead
  }
  return bytes.subarray(0, size)
}
