/**
 * Records of threads that outlive this process. An agent keeps the conversation, but not all options of the thread, and a
 * sandbox must not be wider after a restart.
 */
import * as StateFiles from "@zain/process/StateFiles"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Records of threads. */
export interface ThreadStore<ThreadRecord> {
  /** Writes the record of a thread. When the directory cannot be written, the record lasts until this process ends. */
  readonly put: (threadId: string, record: ThreadRecord) => Effect.Effect<void>
  /** Reads the record of a thread, from the process that wrote it last. */
  readonly get: (threadId: string) => Effect.Effect<ThreadRecord | undefined>
}

/** How many records are kept; the oldest is removed first. */
const mostRecords = 1000

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a thread's id is a UUID, and may become part of a path. */
export const isThreadId = (id: string): boolean => uuid.test(id)

/**
 * Records as files in a directory that only its owner can read, below `XDG_STATE_HOME` or `~/.local/state`.
 *
 * @param env the agent's environment, which has `XDG_STATE_HOME` or `HOME`
 * @param name name of the directory
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
  /** Records that are being written, or could not be. Any other is read from its file, because another server may replace it. */
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
