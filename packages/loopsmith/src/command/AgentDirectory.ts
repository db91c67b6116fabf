/**
 * The working directory of an agent: an empty one.
 */
import { rmSync } from "node:fs"
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { CommandError, fileProblem } from "./CommandError.ts"

/** The directories to remove at exit: a process that exits on a second signal closes no Scope. */
const there = new Set<string>()
const removeAll = () => {
  for (const path of there) rmSync(path, { recursive: true, force: true })
}

/** Makes an empty directory that only its owner can read. It is removed with the Scope or at exit; SIGKILL leaves it. */
export const make: Effect.Effect<string, CommandError, Scope.Scope> = Effect.acquireRelease(
  Effect.tryPromise({
    try: async () => {
      const path = await realpath(await mkdtemp(join(tmpdir(), "loopsmith-")))
      if (there.size === 0) process.on("exit", removeAll)
      there.add(path)
      return path
    },
    catch: (cause) =>
      new CommandError({
        message: `Cannot create a directory for the agent in ${tmpdir()}: ${fileProblem(cause)}. Set TMPDIR to a writable directory.`,
      }),
  }),
  (path) =>
    Effect.promise(async () => {
      await rm(path, { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
      there.delete(path)
      if (there.size === 0) process.removeListener("exit", removeAll)
    }),
)
