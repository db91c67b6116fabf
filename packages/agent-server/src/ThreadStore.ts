/**
 * What is known of threads beyond the life of this process: an agent keeps the conversation, but not all that it was
 * started with. A sandbox that was asked for must not be wider after a restart.
 */
import * as StateFiles from "@zain/process/StateFiles"
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

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a thread's id may become part of a path. */
export const isThreadId = (id: string): boolean => uuid.test(id)

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
  const files = StateFiles.make(env, name, mostRecords)
  const json = Schema.fromJsonString(schema)
  const parse = Schema.decodeUnknownOption(json)
  const print = Schema.encodeSync(json)
  /** Records whose write is under way, or has failed. Any other may have been replaced by another server. */
  const unwritten = new Map<string, ThreadRecord>()

  const remember = (threadId: string, record: ThreadRecord) => {
    unwritten.delete(threadId)
    unwritten.set(threadId, record)
    const [oldest] = unwritten.keys()
    if (unwritten.size > mostRecords && oldest !== undefined) unwritten.delete(oldest)
  }

  return {
    put: Effect.fnUntraced(function* (threadId, record) {
      remember(threadId, record)
      const isWritten = isThreadId(threadId) && (yield* files.write(`${threadId}.json`, print(record)))
      if (isWritten && unwritten.get(threadId) === record) unwritten.delete(threadId)
    }),
    get: Effect.fnUntraced(function* (threadId) {
      const record = unwritten.get(threadId)
      if (record !== undefined || !isThreadId(threadId)) return record
      return Option.getOrUndefined(parse(yield* files.read(`${threadId}.json`)))
    }),
  }
}
