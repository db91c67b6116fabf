/**
 * The newest conversation of each agent and directory, for `--last`: a file each, below `XDG_STATE_HOME` or
 * `~/.local/state`, that only its owner can read.
 */
import { createHash } from "node:crypto"
import { realpath } from "node:fs/promises"
import * as StateFiles from "@zain/process/StateFiles"
import * as Effect from "effect/Effect"
import type { Variables } from "../SafePath.ts"

/** - `get`: the id of the newest. `put`: makes it this one; one that cannot be kept is not */
export interface LastThread {
  readonly get: Effect.Effect<string | undefined>
  readonly put: (threadId: string) => Effect.Effect<unknown>
}

/** How many are kept; the oldest go. */
const most = 500

const isId = (id: string) => /^[\w.:-]{1,200}$/.test(id)

/** @param cwd whose conversations; every name of a directory leads to the same ones */
export const make = (agent: string, cwd: string, env: Variables): LastThread => {
  const files = StateFiles.make(env, "last-threads", most)
  const file = Effect.promise(async () => {
    const place = await realpath(cwd).catch(() => cwd)
    return createHash("sha256").update(`${agent}\0${place}`).digest("hex")
  })
  return {
    get: Effect.map(Effect.flatMap(file, files.read), (id) => (id !== undefined && isId(id) ? id : undefined)),
    put: (threadId) => (isId(threadId) ? Effect.flatMap(file, (name) => files.write(name, threadId)) : Effect.void),
  }
}
