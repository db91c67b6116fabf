/**
 * Claude Code's transcripts: finds, describes and changes their files.
 *
 * @see Claude Code 2.1.332: measured. A transcript is `projects/<directory>/<id>.jsonl` with a line per entry; the folder
 *   `<id>` beside it has files about it
 */
import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { type FileHandle, lstat, mkdir, open, readdir, rm, writeFile } from "node:fs/promises"
import { isAbsolute, join } from "node:path"
import { type JsonObject, recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import * as ThreadStore from "@zain/agent-server/ThreadStore"
import type { McpThread } from "@zain/core/McpThreads"
import { parseObject } from "@zain/process/JsonRpc"

/** The file of a conversation. */
export interface Transcript {
  readonly threadId: string
  /** Its directory. */
  readonly project: string
  readonly path: string
  /** When it changed last, in milliseconds since 1970. */
  readonly changedAt: number
}

const ending = ".jsonl"

/** The transcripts of the directories whose names pass, without those behind links. */
export const list = async (
  projects: string,
  isMeant: (project: string) => boolean,
): Promise<ReadonlyArray<Transcript>> => {
  const found: Array<Transcript> = []
  for (const entry of await entriesOf(projects)) {
    if (!entry.isDirectory() || !isMeant(entry.name)) continue
    const project = join(projects, entry.name)
    for (const file of await entriesOf(project)) {
      const threadId = file.name.slice(0, -ending.length)
      if (!file.isFile() || !file.name.endsWith(ending) || !ThreadStore.isThreadId(threadId)) continue
      const transcript = await at(project, threadId)
      if (transcript !== undefined) found.push(transcript)
    }
  }
  return found
}

/** The transcript of a thread, unless it lies behind a link. */
export const find = async (projects: string, threadId: string): Promise<Transcript | undefined> => {
  if (!ThreadStore.isThreadId(threadId)) return undefined
  for (const entry of await entriesOf(projects)) {
    const found = entry.isDirectory() ? await at(join(projects, entry.name), threadId) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

const entriesOf = (directory: string) => readdir(directory, { withFileTypes: true }).catch(() => [])

const at = async (project: string, threadId: string): Promise<Transcript | undefined> => {
  const path = join(project, `${threadId}${ending}`)
  const found = await lstat(path).catch(() => undefined)
  return found?.isFile() ? { threadId, project, path, changedAt: Math.trunc(found.mtimeMs) } : undefined
}

/** Whether a directory of transcripts may be that of a working directory. */
export const isOf = (cwd: string): ((project: string) => boolean) => {
  const name = cwd.replace(/[^A-Za-z0-9]/g, "-")
  return (project) =>
    name.length > maxNameLength ? project.startsWith(name.slice(0, maxNameLength)) : project === name
}

/** Claude Code cuts longer names, and adds a hash. */
const maxNameLength = 200

/** How much of the beginning and of the end of a transcript describes it, in bytes. */
const [head, tail] = [256 * 1024, 64 * 1024]

/** Describes a transcript by its beginning and its end; `undefined` for one without a message. */
export const describe = async (transcript: Transcript): Promise<McpThread | undefined> => {
  const { changedAt, threadId } = transcript
  const [begun = [], ended = []] = await withFile(transcript.path, constants.O_RDONLY, edges).catch(() => [[], []])
  const entries = [...begun, ...ended]
  const cwd = entries.map((entry) => textOf(entry, "cwd") ?? "").find(isAbsolute)
  const isBegun = entries.some(({ type }) => type === "user" || type === "assistant")
  if (cwd === undefined || !isBegun || entries[0]?.["isSidechain"] === true) return undefined
  const first = begun.map(promptOf).find((prompt) => prompt !== undefined)
  const said = timeOf(entries.findLast((entry) => promptOf(entry) !== undefined)) ?? 0
  const title =
    entries.findLast(({ type }) => type === "custom-title")?.["customTitle"] ??
    (await beside(transcript, "custom-title.json"))["customTitle"]
  const { archived, at } = await beside(transcript, archive)
  const createdAt = timeOf(begun.find((entry) => timeOf(entry) !== undefined))
  const model = entries.map((entry) => textOf(recordOf(entry, "message"), "model")).findLast(isModel)
  return {
    ...{ threadId, cwd, updatedAt: changedAt },
    // A later prompt takes it out of the archive.
    isArchived: archived === true && !(said > Date.parse(String(at))),
    ...(typeof title === "string" && title !== "" ? { title } : {}),
    ...(first === undefined ? {} : { firstPrompt: first }),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(model === undefined ? {} : { model }),
  }
}

const isModel = (model: string | undefined) => model !== undefined && !model.startsWith("<")

/** The time of an entry, in milliseconds since 1970. */
export const timeOf = (entry: JsonObject | undefined): number | undefined => {
  const time = Date.parse(textOf(entry ?? {}, "timestamp") ?? "")
  return Number.isNaN(time) ? undefined : time
}

/** The entries at the beginning and at the end. */
const edges = async (file: FileHandle): Promise<ReadonlyArray<ReadonlyArray<JsonObject>>> => {
  const { size } = await file.stat()
  const part = async (from: number, length: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from)
    return buffer.toString("utf8", 0, bytesRead).split("\n")
  }
  const entries = (lines: ReadonlyArray<string>) => lines.map(parseObject).filter((entry) => entry !== undefined)
  if (size <= head + tail) return [entries(await part(0, size)), []]
  const [first, last] = [await part(0, head), await part(size - tail, tail)]
  return [entries(first.slice(0, -1)), entries(last.slice(1))]
}

/** How long a small file beside a transcript may be, in bytes. */
const maxBesideBytes = 4_096

/** A small JSON file beside a transcript; empty without one. */
const beside = ({ project, threadId }: Transcript, name: string): Promise<JsonObject> =>
  withFile(join(project, threadId, name), constants.O_RDONLY, async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBesideBytes), 0, maxBesideBytes, 0)
    return parseObject(buffer.toString("utf8", 0, bytesRead)) ?? {}
  }).catch(() => ({}))

/** Opens a file that is no link. */
const withFile = async <A>(path: string, flags: number, use: (file: FileHandle) => Promise<A>): Promise<A> => {
  const file = await open(path, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

/** The text of a prompt of the user; `undefined` for an entry that is none. */
export const promptOf = (entry: JsonObject): string | undefined => {
  if (entry["type"] !== "user" || notOfUser.some((mark) => entry[mark] === true)) return undefined
  const { content } = recordOf(entry, "message")
  if (typeof content === "string") return isCommand(content) ? undefined : content
  const blocks = recordsOf(recordOf(entry, "message"), "content")
  if (blocks.length === 0 || blocks.some(({ type }) => type === "tool_result")) return undefined
  const text = blocks
    .flatMap((block) => textOf(block, "text") ?? [])
    .filter((one) => !one.startsWith("[Image: source:"))
    .join("\n")
  return isCommand(text) ? undefined : text
}

const notOfUser = ["isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly"]

/** Whether Claude Code wrote the text itself, for a command or an interrupt. */
const isCommand = (text: string): boolean =>
  /^\s*(<(command-name|command-message|local-command-|bash-|task-notification)|\[Request interrupted by user)/.test(
    text,
  )

/** Appends a title. */
export const rename = ({ path, threadId }: Transcript, title: string): Promise<void> =>
  withFile(path, constants.O_RDWR | constants.O_APPEND, async (file) => {
    const { size } = await file.stat()
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
    const entry = { type: "custom-title", customTitle: title, sessionId: threadId }
    const own = { uuid: randomUUID(), timestamp: new Date().toISOString() }
    await file.write(`${buffer[0] === 0x0a ? "" : "\n"}${JSON.stringify({ ...entry, ...own })}\n`)
  })

const archive = "archived.json"

/** Marks a thread as archived, or not. */
export const setArchived = async ({ project, threadId }: Transcript, archived: boolean): Promise<void> => {
  const folder = join(project, threadId)
  await mkdir(folder, { mode: 0o700 }).catch(() => {})
  // A link could lead anywhere.
  if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is not a directory`)
  const path = join(folder, archive)
  await rm(path, { force: true })
  await writeFile(path, `${JSON.stringify({ archived, at: new Date().toISOString() })}\n`, { flag: "wx", mode: 0o600 })
}

/** Deletes a transcript and its folder. Links in the folder are removed, not followed. */
export const remove = async ({ path, project, threadId }: Transcript): Promise<void> => {
  await rm(path)
  await rm(join(project, threadId), { recursive: true, force: true })
}
