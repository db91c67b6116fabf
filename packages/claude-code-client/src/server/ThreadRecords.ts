/**
 * Where a thread of Claude Code works, and with which options: Claude Code keeps neither.
 */
import { createReadStream } from "node:fs"
import { readdir } from "node:fs/promises"
import { isAbsolute, join } from "node:path"
import { createInterface } from "node:readline"
import * as ThreadStore from "@zain/agent-server/ThreadStore"
import { parseObject } from "@zain/process/JsonRpc"
import * as StateFiles from "@zain/process/StateFiles"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ClaudeCodeStartOptions } from "../ClaudeCodeOptions.ts"

const ThreadRecord = Schema.Struct({
  cwd: Schema.String,
  isKnown: Schema.Boolean,
  isInstructedAnew: Schema.optionalKey(Schema.Boolean),
  options: ClaudeCodeStartOptions,
})

/**
 * - `isKnown`: whether Claude Code has the thread, as it does from its first turn on
 * - `isInstructedAnew`: whether its instructions have changed since then
 */
export type ThreadRecord = typeof ThreadRecord.Type

/** Records of the threads of one Claude Code. */
export type ThreadRecords = ThreadStore.ThreadStore<ThreadRecord>
export const ThreadRecords: Context.Service<ThreadRecords, ThreadRecords> = Context.Service(
  "@zain/claude-code-client/ThreadRecords",
)

/** Where Claude Code keeps the user's configuration, and transcripts. */
export const configDirectory = (env: Readonly<Record<string, string>>): string =>
  env["CLAUDE_CONFIG_DIR"] ?? join(StateFiles.homeOf(env), ".claude")

/** How far into a transcript its directory is looked for, in bytes: a long prompt may stand before it. */
const longestSearch = 4 * 1024 * 1024

/**
 * The records, and Claude Code's own transcripts for threads that were made elsewhere.
 *
 * @param env the agent's environment, which says where state and transcripts are
 */
export const layer = (env: Readonly<Record<string, string>>): Layer.Layer<ThreadRecords> =>
  Layer.sync(ThreadRecords, () => inFiles(env))

const inFiles = (env: Readonly<Record<string, string>>): ThreadRecords => {
  const store = ThreadStore.make(env, "claude-code", ThreadRecord)
  const projects = join(configDirectory(env), "projects")
  const get = Effect.fnUntraced(function* (threadId: string): Effect.fn.Return<ThreadRecord | undefined> {
    if (!ThreadStore.isThreadId(threadId)) return undefined
    const record = yield* store.get(threadId)
    if (record?.isKnown) return record
    const cwd = yield* Effect.promise(() => transcriptDirectory(projects, threadId))
    if (record !== undefined) return { ...record, isKnown: cwd !== undefined }
    return cwd === undefined ? undefined : { cwd, isKnown: true, options: {} }
  })
  return { put: store.put, get }
}

/** Where the agent worked, by its own transcript; `undefined` without one. */
const transcriptDirectory = async (projects: string, threadId: string): Promise<string | undefined> => {
  for (const project of await readdir(projects).catch(() => [])) {
    const cwd = await workingDirectory(join(projects, project, `${threadId}.jsonl`)).catch(() => undefined)
    if (cwd !== undefined) return cwd
  }
  return undefined
}

const workingDirectory = async (transcript: string): Promise<string | undefined> => {
  const bytes = createReadStream(transcript, { end: longestSearch })
  // The reader of lines says nothing of a file that cannot be opened.
  const opened = new Promise<void>((resolve, reject) => bytes.once("open", () => resolve()).once("error", reject))
  await opened
  try {
    for await (const line of createInterface({ input: bytes, crlfDelay: Number.POSITIVE_INFINITY })) {
      const cwd = cwdIn(line)
      if (cwd !== undefined) return cwd
    }
    return undefined
  } finally {
    bytes.destroy()
  }
}

const cwdIn = (line: string): string | undefined => {
  const cwd = parseObject(line)?.["cwd"]
  return typeof cwd === "string" && isAbsolute(cwd) ? cwd : undefined
}
