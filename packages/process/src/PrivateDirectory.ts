/**
 * A directory for one session, or for one process: made in the temporary directory, and gone with the Scope.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { HostGuard } from "./HostGuard.ts"
import { directoryFailed, type ProcessError } from "./ProcessError.ts"

/** The longest path, in bytes: agents put sockets some forty bytes below it, and a socket's path has 104 at most. */
const longestPath = 60

/** What `mkdtemp` appends to the name. */
const prefix = "zain-"
const suffixLength = 6

/**
 * Makes a directory that its user alone can read.
 *
 * @param base the directory to make it in. `/tmp` stands in for one that would make the path longer than 60 bytes, or
 *   in which none can be made
 * @returns its absolute path, or `ProcessError`
 */
export const make = (base: string = tmpdir()): Effect.Effect<string, ProcessError, Scope.Scope | HostGuard> =>
  Effect.flatMap(HostGuard, (guard) =>
    Effect.acquireRelease(
      Effect.tryPromise({ try: () => create(base), catch: directoryFailed }).pipe(
        Effect.tap((path) => Effect.sync(() => guard.protectDirectory(path))),
      ),
      (path) =>
        Effect.promise(() => rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})).pipe(
          Effect.tap(() => Effect.sync(() => guard.releaseDirectory(path))),
        ),
    ),
  )

const create = (base: string): Promise<string> =>
  mkdtemp(join(place(base), prefix)).catch((cause) =>
    mkdtemp(join("/tmp", prefix)).catch(() => {
      throw cause
    }),
  )

const place = (base: string): string => {
  const path = resolve(base)
  if (process.platform === "win32") return path
  const length = Buffer.byteLength(join(path, prefix)) + suffixLength
  // The guard receives directories as lines.
  return length <= longestPath && !path.includes("\n") ? path : "/tmp"
}
