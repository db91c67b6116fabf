/**
 * A temporary directory for one session or process, removed with the Scope.
 */
import { mkdtemp, rm, rmdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { HostGuard } from "./HostGuard.ts"
import { directoryFailed, type ProcessError } from "./ProcessError.ts"

/**
 * The longest path, in bytes: agents add some 40 bytes for the names of sockets, and a socket's path has at most 104.
 */
const maxPathBytes = 60

/** What `mkdtemp` appends to the name. */
const prefix = "zain-"
const suffixLength = 6

/**
 * Makes a directory with mode 0700. It is removed with its contents when the Scope closes, or by the guard after the
 * host's death.
 *
 * @param base the directory to make it in, `os.tmpdir()` by default. `/tmp` is used instead if the path would have more
 *   than 60 bytes or a line break, or if `base` cannot be written
 * @returns the absolute path; fails with `ProcessError` if `/tmp` cannot be written either
 */
export const make = (base: string = tmpdir()): Effect.Effect<string, ProcessError, Scope.Scope | HostGuard> =>
  Effect.flatMap(HostGuard, (guard) =>
    Effect.acquireRelease(
      Effect.tryPromise({ try: () => create(base), catch: directoryFailed }).pipe(
        Effect.tap((path) => Effect.sync(() => guard.protectDirectory(path))),
      ),
      (path) =>
        Effect.promise(() => remove(path)).pipe(Effect.tap(() => Effect.sync(() => guard.releaseDirectory(path)))),
    ),
  )

const create = (base: string): Promise<string> =>
  mkdtemp(join(place(base), prefix)).catch((cause) =>
    mkdtemp(join("/tmp", prefix)).catch(() => {
      throw cause
    }),
  )

/** Most are empty. */
const remove = (path: string) =>
  rmdir(path)
    .catch(() => rm(path, { recursive: true, force: true, maxRetries: 3 }))
    .catch(() => {})

const place = (base: string): string => {
  const path = resolve(base)
  if (process.platform === "win32") return path
  const length = Buffer.byteLength(join(path, prefix)) + suffixLength
  // The guard receives directories as lines.
  return length <= maxPathBytes && !path.includes("\n") ? path : "/tmp"
}
