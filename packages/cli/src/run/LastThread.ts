/**
 * Stores the newest thread of each agent and directory for `--last`, in private files below `XDG_STATE_HOME` or
 * `~/.local/state`.
 */
import { createHash } from "node:crypto"
import { realpath } from "node:fs/promises"
import * as StateFiles from "@zain/process/StateFiles"
import * as Effect from "effect/Effect"
import type { Variables } from "../SafePath.ts"

/** `get`: the id of the newest thread. `put`: stores it; a failed write is ignored */
export interface LastThread {
  readonly get: Effect.Effect<string | undefined>
  readonly put: (threadId: string) => Effect.Effect<unknown>
}

/** How many are kept; the oldest are deleted. */
const most = 500

const isId = (id: string) => /^[\w.:-]{1,200}$/.test(id)

/** @param cwd the directory, with links resolved */
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
