/**
 * Where an agent works: a directory with nothing in it.
 */
import { rmSync } from "node:fs"
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { CommandError, fileProblem } from "./CommandError.ts"

/** Those that are there. A process that is told to end at once closes no Scope. */
const there = new Set<string>()
const removeAll = () => {
  for (const path of there) rmSync(path, { recursive: true, force: true })
}

/** An empty directory that nobody else can read. It goes with the Scope, or with the process; a SIGKILL leaves it. */
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
        message: `No directory for an agent can be made in ${tmpdir()}: ${fileProblem(cause)}. Name another with TMPDIR.`,
      }),
  }),
  (path) =>
    Effect.promise(async () => {
      await rm(path, { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
      there.delete(path)
      if (there.size === 0) process.removeListener("exit", removeAll)
    }),
)
