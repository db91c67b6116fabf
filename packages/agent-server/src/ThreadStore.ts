/**
 * What is known of threads beyond the life of this process: an agent keeps the conversation, but not all that it was
 * started with. A sandbox that was asked for must not be wider after a restart.
 */
import { randomUUID } from "node:crypto"
import { chmod, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * - `put`: writes what is known of a thread. A directory that cannot be written is no reason to fail: then the thread is
 *   remembered until this process ends
 * - `get`: what is known of a thread, from whichever process wrote it last
 */
export interface ThreadStore<ThreadRecord> {
  readonly put: (threadId: string, record: ThreadRecord) => Effect.Effect<void>
  readonly get: (threadId: string) => Effect.Effect<ThreadRecord | undefined>
}

/** How many threads are remembered, the newest ones. */
const mostRecords = 1000

/** Records that are being written, and how long that may take, in milliseconds. */
const unfinished = /^\.[0-9a-f-]{36}\.[0-9a-f-]{36}$/
const longestWrite = 60_000

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a thread's id may become part of a path. */
export const isThreadId = (id: string): boolean => uuid.test(id)

/** The home of an agent, by its environment. */
export const homeOf = (env: Readonly<Record<string, string>>): string => env["HOME"] ?? homedir()

/**
 * Records in a directory that only its owner can read, below `XDG_STATE_HOME` or `~/.local/state`.
 *
 * @param env the agent's environment, which says where state is
 * @param name the directory's own
 */
export const make = <ThreadRecord>(
  env: Readonly<Record<string, string>>,
  name: string,
  schema: Schema.Codec<ThreadRecord, unknown>,
): ThreadStore<ThreadRecord> => {
  const state = env["XDG_STATE_HOME"]
  const root = state !== undefined && isAbsolute(state) ? state : join(homeOf(env), ".local", "state")
  const directory = join(root, "zain", name)
  const parse = Schema.decodeUnknownOption(Schema.fromJsonString(schema))
  /** Records whose write is under way, or has failed. Any other may have been replaced by another server. */
  const unwritten = new Map<string, ThreadRecord>()
  const pathOf = (threadId: string) => join(directory, `${threadId}.json`)

  const remember = (threadId: string, record: ThreadRecord) => {
    unwritten.delete(threadId)
    unwritten.set(threadId, record)
    const [oldest] = unwritten.keys()
    if (unwritten.size > mostRecords && oldest !== undefined) unwritten.delete(oldest)
  }

  const write = async (threadId: string, record: ThreadRecord): Promise<void> => {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await chmod(directory, 0o700)
    const beside = join(directory, `.${threadId}.${randomUUID()}`)
    try {
      await writeFile(beside, JSON.stringify(record), { mode: 0o600, flag: "wx" })
      await rename(beside, pathOf(threadId))
    } catch (cause) {
      await rm(beside, { force: true })
      throw cause
    }
    if (unwritten.get(threadId) === record) unwritten.delete(threadId)
    await prune(directory)
  }

  const read = async (threadId: string): Promise<ThreadRecord | undefined> => {
    const record = parse(await readFile(pathOf(threadId), "utf8"))
    if (Option.isNone(record)) return undefined
    const now = new Date()
    await utimes(pathOf(threadId), now, now)
    return record.value
  }

  const quietly = <A>(ask: () => Promise<A>): Effect.Effect<A | undefined> =>
    Effect.promise(() => ask().catch(() => undefined))

  return {
    put: (threadId, record) =>
      Effect.suspend(() => {
        remember(threadId, record)
        return isThreadId(threadId) ? Effect.asVoid(quietly(() => write(threadId, record))) : Effect.void
      }),
    get: (threadId) =>
      Effect.suspend(() => {
        const record = unwritten.get(threadId)
        if (record !== undefined || !isThreadId(threadId)) return Effect.succeed(record)
        return quietly(() => read(threadId))
      }),
  }
}

/** Removes the oldest records, and what is left of writers that have died. */
const prune = async (directory: string): Promise<void> => {
  const names = await readdir(directory)
  const records = names.filter((name) => name.endsWith(".json"))
  const oldest =
    records.length <= mostRecords ? [] : (await aged(directory, records)).sort((a, b) => b.at - a.at).slice(mostRecords)
  const begun = await aged(
    directory,
    names.filter((name) => unfinished.test(name)),
  )
  const abandoned = begun.filter(({ at }) => at < Date.now() - longestWrite)
  await Promise.all([...oldest, ...abandoned].map(({ path }) => rm(path, { force: true })))
}

const aged = (directory: string, names: ReadonlyArray<string>) =>
  Promise.all(
    names.map(async (name) => {
      const path = join(directory, name)
      const at = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      )
      return { path, at }
    }),
  )
