/**
 * The newest conversation of each agent and directory, for `--last`: a file each, below `XDG_STATE_HOME` or
 * `~/.local/state`, that only its owner can read.
 */
import { createHash, randomUUID } from "node:crypto"
import { mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import * as Effect from "effect/Effect"
import type { Variables } from "../SafePath.ts"

/** - `get`: the id of the newest. `put`: makes it this one; one that cannot be kept is not */
export interface LastThread {
  readonly get: Effect.Effect<string | undefined>
  readonly put: (threadId: string) => Effect.Effect<void>
}

/** How many are kept; the oldest go. */
const most = 500

const isId = (id: string) => /^[\w.:-]{1,200}$/.test(id)

/** @param cwd whose conversations; every name of a directory leads to the same ones */
export const make = (agent: string, cwd: string, env: Variables): LastThread => {
  const state = env["XDG_STATE_HOME"]
  const root = state !== undefined && isAbsolute(state) ? state : join(env["HOME"] ?? homedir(), ".local", "state")
  const directory = join(root, "zain", "last-threads")
  const file = async () => {
    const place = createHash("sha256").update(`${agent}\0${await realpath(cwd)}`)
    return join(directory, place.digest("hex"))
  }
  const read = async () => {
    const id = await readFile(await file(), "utf8")
    return isId(id) ? id : undefined
  }
  const write = async (threadId: string) => {
    if (!isId(threadId)) return
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const beside = join(directory, `.${randomUUID()}`)
    try {
      await writeFile(beside, threadId, { mode: 0o600, flag: "wx" })
      await rename(beside, await file())
    } finally {
      await rm(beside, { force: true })
    }
    await prune(directory)
  }
  return {
    get: Effect.promise(() => read().catch(() => undefined)),
    put: (threadId) => Effect.promise(() => write(threadId).catch(() => {})),
  }
}

const prune = async (directory: string): Promise<void> => {
  const names = await readdir(directory)
  if (names.length <= most) return
  const aged = await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name)
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }))
      return { path, mtimeMs }
    }),
  )
  const oldest = aged.sort((one, other) => other.mtimeMs - one.mtimeMs).slice(most)
  await Promise.all(oldest.map(({ path }) => rm(path, { force: true })))
}
