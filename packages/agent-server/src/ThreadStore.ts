/**
 * Records of threads that outlive this process. An agent keeps the conversation, but not all options of the thread, and a
 * sandbox must not be wider after a restart.
 *
 * @see docs/internals/promises.md, 35
 */

import { clip } from "@zain/command/Clip"
import * as StateFiles from "@zain/process/StateFiles"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type AgentError, invalidConfig } from "./AgentError.ts"

/** Records of threads. */
export interface ThreadStore<ThreadRecord> {
  /**
   * Writes the record of a thread. When the directory cannot be written, a record without an option that must be remembered
   * lasts until this process ends; any other fails with `invalid-config`, and the record before it remains.
   */
  readonly put: (threadId: string, record: ThreadRecord) => Effect.Effect<void, AgentError>
  /** Fails as `put` would for a new thread. */
  readonly check: (record: ThreadRecord) => Effect.Effect<void, AgentError>
  /** Removes the record of a thread, if there is one. */
  readonly remove: (threadId: string) => Effect.Effect<void>
  /** Reads the record of a thread, from the process that wrote it last. */
  readonly get: (threadId: string) => Effect.Effect<ThreadRecord | undefined>
}

/** How many records are kept; the oldest is removed first. */
const maxRecords = 1000

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a thread's id is a UUID, and may become part of a path. */
export const isThreadId = (id: string): boolean => uuid.test(id)

/** Puts a value as the newest, and removes the oldest of more than `max`. */
export const putNewest = <Value>(all: Map<string, Value>, threadId: string, value: Value, max: number): void => {
  all.delete(threadId)
  all.set(threadId, value)
  const [oldest] = all.keys()
  if (all.size > max && oldest !== undefined) all.delete(oldest)
}

/**
 * The options that a thread has and its agent does not keep.
 *
 * @param options the thread's options by the names of the tool's arguments. A flag that is `false` is not set
 * @param kept the options that the agent keeps with the conversation
 */
export const unkept = (options: object, kept: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.entries(options).flatMap(([name, value]) =>
    value === undefined || value === false || kept.includes(name) ? [] : [name],
  )

/**
 * Records as files in a directory that only its owner can read, below `XDG_STATE_HOME` or `~/.local/state`.
 *
 * @param env the agent's environment, which has `XDG_STATE_HOME` or `HOME`
 * @param name name of the directory
 * @param remembered the options of a record that must be remembered, by their names
 */
export const make = <ThreadRecord>(
  env: Readonly<Record<string, string>>,
  name: string,
  schema: Schema.Codec<ThreadRecord, unknown>,
  remembered: (record: ThreadRecord) => ReadonlyArray<string>,
): ThreadStore<ThreadRecord> => {
  const files = StateFiles.make(env, name, maxRecords)
  const json = Schema.fromJsonString(schema)
  const parse = Schema.decodeUnknownOption(json)
  const print = Schema.encodeSync(json)
  /** Records that are being written, or could not be. Any other is read from its file, because another server may replace it. */
  const unwritten = new Map<string, ThreadRecord>()

  /** Fails where the record must be written. */
  const required = (record: ThreadRecord) => (cause: StateFiles.Unwritable) => {
    const names = remembered(record)
    return names.length === 0 ? Effect.void : Effect.fail(forgetful(names, cause))
  }

  return {
    put: Effect.fnUntraced(function* (threadId, record) {
      putNewest(unwritten, threadId, record, maxRecords)
      if (!isThreadId(threadId)) return
      const write = Effect.as(files.write(`${threadId}.json`, print(record)), true)
      const isWritten = yield* Effect.catch(write, (cause) => Effect.as(required(record)(cause), false)).pipe(
        Effect.tapError(() => Effect.sync(() => unwritten.delete(threadId))),
      )
      if (isWritten && unwritten.get(threadId) === record) unwritten.delete(threadId)
    }),
    check: (record) =>
      remembered(record).length === 0
        ? Effect.void
        : Effect.catch(files.attempt(print(record)), (cause) => required(record)(cause)),
    remove: (threadId) =>
      Effect.suspend(() => {
        unwritten.delete(threadId)
        return isThreadId(threadId) ? files.remove(`${threadId}.json`) : Effect.void
      }),
    get: Effect.fnUntraced(function* (threadId) {
      const record = unwritten.get(threadId)
      if (record !== undefined || !isThreadId(threadId)) return record
      return Option.getOrUndefined(parse(yield* files.read(`${threadId}.json`)))
    }),
  }
}

const forgetful = (names: ReadonlyArray<string>, { directory, why }: StateFiles.Unwritable): AgentError =>
  invalidConfig(
    `${names.map((name) => `\`${name}\``).join(", ")} must be remembered with the thread, and the directory ${clip(directory, 300)} cannot be written (${why}). Set XDG_STATE_HOME of the agent's server, with local() in \`env\`, to a directory that can be written.`,
  )

/** The warning in each turn of a thread without a record. */
export const forgotten =
  "Zain has no record of this thread: it began elsewhere, or its record was lost. Options that it began with and its agent does not keep do not apply; give them again beside its `threadId`."
