/**
 * Directories and options of threads, because Claude Code stores neither.
 */
import { createReadStream } from "node:fs"
import { readdir } from "node:fs/promises"
import { isAbsolute, join } from "node:path"
import * as HandedServers from "@zain/agent-server/HandedServers"
import * as ThreadStore from "@zain/agent-server/ThreadStore"
import { parseObject } from "@zain/process/JsonRpc"
import * as LineFramer from "@zain/process/LineFramer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ClaudeCodeStartOptions } from "../ClaudeCodeOptions.ts"
import { nameOf } from "../native/ClaudeCodeStartOptions.ts"
import * as ConfigDirectory from "../native/ConfigDirectory.ts"

const ThreadRecord = Schema.Struct({
  /** Directory that the thread works in. */
  cwd: Schema.String,
  /** Whether Claude Code has stored the thread, as it does in its first turn. */
  isKnown: Schema.Boolean,
  /** Whether its instructions have changed since then. */
  isInstructedAnew: Schema.optionalKey(Schema.Boolean),
  /** Whether it is not known with which options it began. */
  isForgotten: Schema.optionalKey(Schema.Boolean),
  /** Its options. */
  options: ClaudeCodeStartOptions,
})

/** The record of a thread. */
export type ThreadRecord = typeof ThreadRecord.Type

/** Records of threads. */
export type ThreadRecords = HandedServers.ServerStore<ThreadRecord>
export const ThreadRecords: Context.Service<ThreadRecords, ThreadRecords> = Context.Service(
  "@zain/claude-code-client/ThreadRecords",
)

/** The options that need no record: those that Claude Code keeps with a thread, and servers, which each session gives. */
const kept: ReadonlyArray<keyof ClaudeCodeStartOptions> = ["cwd", "mcpServers", "model"]

const remembered = ({ options }: ThreadRecord) =>
  ThreadStore.unkept(options, kept).map((name) => nameOf(name as keyof ClaudeCodeStartOptions))

/** How much of a transcript is searched for its directory, in bytes. A long prompt may precede it. */
const maxSearchBytes = 4 * 1024 * 1024

/**
 * Records in files, and Claude Code's transcripts for threads that were started elsewhere.
 *
 * @param env the agent's environment, which has the directories of state and transcripts
 */
export const layer = (env: Readonly<Record<string, string>>): Layer.Layer<ThreadRecords> =>
  Layer.sync(ThreadRecords, () => inFiles(env))

const inFiles = (env: Readonly<Record<string, string>>): ThreadRecords => {
  const store = HandedServers.keep(
    ThreadStore.make(env, "claude-code", ThreadRecord, remembered),
    ({ options }) => options.mcpServers,
    (record, mcpServers) => ({ ...record, options: { ...record.options, mcpServers } }),
  )
  const projects = join(ConfigDirectory.of(env), "projects")
  const get = Effect.fnUntraced(function* (threadId: string): Effect.fn.Return<ThreadRecord | undefined> {
    if (!ThreadStore.isThreadId(threadId)) return undefined
    const record = yield* store.get(threadId)
    if (record?.isKnown) return record
    const cwd = yield* Effect.promise(() => transcriptDirectory(projects, threadId))
    if (record !== undefined) return { ...record, isKnown: cwd !== undefined }
    return cwd === undefined ? undefined : { cwd, isKnown: true, isForgotten: true, options: {} }
  })
  return { ...store, get }
}

/** The directory in a thread's transcript; `undefined` without one. */
const transcriptDirectory = async (projects: string, threadId: string): Promise<string | undefined> => {
  for (const project of await readdir(projects).catch(() => [])) {
    const cwd = await workingDirectory(join(projects, project, `${threadId}.jsonl`)).catch(() => undefined)
    if (cwd !== undefined) return cwd
  }
  return undefined
}

const workingDirectory = async (transcript: string): Promise<string | undefined> => {
  let cwd: string | undefined
  const line = (text: string) => {
    cwd ??= cwdIn(text)
  }
  const read = LineFramer.make(maxSearchBytes, { line, oversize: () => {} })
  for await (const chunk of createReadStream(transcript, { end: maxSearchBytes })) {
    read(chunk)
    if (cwd !== undefined) return cwd
  }
  // The last line may have no line break.
  read(Buffer.from("\n"))
  return cwd
}

const cwdIn = (line: string): string | undefined => {
  const cwd = parseObject(line)?.["cwd"]
  return typeof cwd === "string" && isAbsolute(cwd) ? cwd : undefined
}
