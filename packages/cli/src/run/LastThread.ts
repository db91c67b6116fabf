/**
 * Stores the newest thread of each agent and directory for `--last`, in private files below `XDG_STATE_HOME` or
 * `~/.local/state`.
 */
import { createHash } from "node:crypto"
import { realpath, rm } from "node:fs/promises"
import { join } from "node:path"
import * as StateFiles from "@zain/process/StateFiles"
import * as Effect from "effect/Effect"
import type { Variables } from "../SafePath.ts"

/**
 * - `get`: the id of the newest thread. Fails where `put` would, because a newer thread may not have been stored
 * - `put`: stores it. When that fails, none is the newest
 */
export interface LastThread {
  readonly get: Effect.Effect<string | undefined, StateFiles.Unwritable>
  readonly put: (threadId: string) => Effect.Effect<void, StateFiles.Unwritable>
}

/** How many are kept; the oldest are deleted. */
const maxThreads = 500

const isId = (id: string) => /^[\w.:-]{1,200}$/.test(id)

/** @param cwd the directory, with links resolved */
export const make = (agent: string, cwd: string, env: Variables): LastThread => {
  const directory = StateFiles.directoryOf(env, "last-threads")
  const files = StateFiles.within(directory, maxThreads)
  const file = Effect.promise(async () => {
    const place = await realpath(cwd).catch(() => cwd)
    return createHash("sha256").update(`${agent}\0${place}`).digest("hex")
  })
  const write = (name: string, threadId: string) =>
    isId(threadId) ? files.write(name, threadId) : Effect.fail({ directory, why: "its id has unexpected characters" })
  // On a full disk a file can still be removed.
  const forget = (name: string) => Effect.promise(() => rm(join(directory, name), { force: true }).catch(() => {}))
  return {
    get: Effect.andThen(
      files.attempt("0"),
      Effect.map(Effect.flatMap(file, files.read), (id) => (id !== undefined && isId(id) ? id : undefined)),
    ),
    put: (threadId) => Effect.flatMap(file, (name) => Effect.tapError(write(name, threadId), () => forget(name))),
  }
}
