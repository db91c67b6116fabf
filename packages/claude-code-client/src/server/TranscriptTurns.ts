/**
 * The turns of a transcript: reads and copies its live branch. An entry names the one before it; a rewound or repeated prompt
 * leaves a branch that is not live, and a compaction begins a new one that names the old.
 *
 * @see Claude Code 2.1.332: measured
 */
import { randomUUID } from "node:crypto"
import { constants, createReadStream } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { type JsonObject, recordOf, textOf } from "@zain/agent-server/JsonMember"
import * as TurnEvents from "@zain/agent-server/TurnEvents"
import type { McpThreadTurn, McpThreadTurns, McpTurnQuery } from "@zain/core/McpThreads"
import { isRecord, parseObject } from "@zain/process/JsonRpc"
import * as LineFramer from "@zain/process/LineFramer"
import { promptOf, type Transcript, timeOf } from "./Transcripts.ts"
import * as TurnReader from "./TurnReader.ts"

/** Limit of a line, in bytes; one may hold the output of a tool. */
const maxLineBytes = 64 * 1024 * 1024

/** The most entries of a transcript that is read. */
const maxEntries = 500_000

/** An entry of a transcript, by its line. */
interface Entry {
  readonly line: number
  readonly before: string | undefined
  readonly isPrompt: boolean
  /** Whether it can be the last one of the branch. */
  readonly isEnd: boolean
  /** The calls whose results it has. */
  readonly results: ReadonlyArray<string>
}

/** A turn, by the id of its prompt, and its lines. */
interface Turn {
  readonly id: string
  readonly lines: Set<number>
}

const kinds: ReadonlySet<unknown> = new Set(["user", "assistant", "attachment", "system"])

const isEntry = (entry: JsonObject): boolean => kinds.has(entry["type"]) && entry["isSidechain"] !== true

/** Passes each line to `take`, with its number. */
const eachLine = async (path: string, take: (text: string, line: number) => void | Promise<void>): Promise<void> => {
  let line = 0
  let lines: Array<string> = []
  const framer = LineFramer.make(maxLineBytes, { line: (text) => lines.push(text), oversize: () => lines.push("") })
  const flush = async () => {
    const due = lines
    lines = []
    for (const text of due) await take(text, line++)
  }
  for await (const chunk of createReadStream(path)) {
    framer(chunk)
    await flush()
  }
  // The last line may have no line break.
  framer(Buffer.from("\n"))
  await flush()
}

/** The turns of the live branch, oldest first. */
const turnsOf = async (path: string): Promise<ReadonlyArray<Turn>> => {
  const entries = new Map<string, Entry>()
  let last: string | undefined
  await eachLine(path, (text, line) => {
    const entry = parseObject(text)
    const id = entry === undefined ? undefined : textOf(entry, "uuid")
    if (entry === undefined || id === undefined || !isEntry(entry)) return
    if (entries.size >= maxEntries) throw new Error(`it has more than ${maxEntries} entries`)
    const isEnd = entry["type"] === "user" || entry["type"] === "assistant"
    entries.set(id, {
      ...{ line, isEnd, isPrompt: promptOf(entry) !== undefined },
      before: textOf(entry, "parentUuid") ?? textOf(entry, "logicalParentUuid"),
      results: TurnReader.blocksOf(entry).flatMap((block) => textOf(block, "tool_use_id") ?? []),
    })
    if (isEnd) last = id
  })
  const branch = new Map<string, Entry>()
  for (let id = last; id !== undefined && !branch.has(id); ) {
    const entry = entries.get(id)
    if (entry === undefined) break
    branch.set(id, entry)
    id = entry.before
  }
  const turns: Array<Turn> = []
  const turnOf = new Map<string, Turn>()
  for (const [id, { isPrompt, line }] of [...branch].toReversed()) {
    if (isPrompt) turns.push({ id, lines: new Set() })
    const turn = turns.at(-1)
    turn?.lines.add(line)
    if (turn !== undefined) turnOf.set(id, turn)
  }
  // Results of parallel calls follow their calls, and are not all on one branch.
  const answered = new Set([...branch.values()].flatMap(({ results }) => results))
  for (const [id, { before = "", line, results }] of entries) {
    if (!branch.has(id) && results.length > 0 && !results.some((one) => answered.has(one)))
      turnOf.get(before)?.lines.add(line)
  }
  return turns
}

/** Reads a page of turns; `undefined` for a cursor that is none. */
export const read = async (
  { path }: Transcript,
  { cursor, limit }: McpTurnQuery & { readonly limit: number },
): Promise<McpThreadTurns | undefined> => {
  const all = await turnsOf(path)
  const from = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor)
  if (from < 0) return undefined
  const page = all.slice(from, from + limit)
  const made = page.map(({ id, lines }) => ({ id, lines, ...reading() }))
  await eachLine(path, (text, line) => {
    const turn = made.find(({ lines }) => lines.has(line))
    if (turn !== undefined) turn.take(parseObject(text) ?? {})
  })
  const next = all[from + limit]
  return {
    turns: made.map(({ end, id }) => end(id)),
    ...(next === undefined ? {} : { next: next.id }),
  }
}

/** Collects the entries of one turn. */
const reading = () => {
  const reader = TurnReader.make()
  const prompts: Array<string> = []
  const events = TurnEvents.make()
  let at: number | undefined
  return {
    take: (entry: JsonObject) => {
      at ??= timeOf(entry)
      const prompt = promptOf(entry) ?? queuedOf(entry)
      if (prompt !== undefined) return void prompts.push(prompt)
      const message = { ...entry, tool_use_result: entry["toolUseResult"], parent_tool_use_id: null }
      for (const event of reader.read(message)) if (event._tag !== "Raw") events.add(event)
    },
    end: (turn: string): McpThreadTurn => ({
      ...{ turn, prompt: prompts.join("\n\n") },
      ...(at === undefined ? {} : { at }),
      ...events.end(),
    }),
  }
}

/** The text of a prompt that was given while a turn ran. */
const queuedOf = (entry: JsonObject): string | undefined => {
  const attachment = recordOf(entry, "attachment")
  return attachment["type"] === "queued_command" ? textOf(attachment, "prompt") : undefined
}

/** Entries without a `uuid` that a copy needs too. */
const kept: ReadonlySet<unknown> = new Set([
  ...["content-replacement", "history-suppression", "hybrid-organization", "session-owner", "atis-latch"],
  ...["tools-used", "relocated"],
])

/**
 * Copies a transcript, with new ids, up to the end of a turn. Branches that are not live are copied with it, as a compaction
 * names their entries.
 *
 * @returns whether the turn exists
 */
export const copy = async (
  { path, project, threadId }: Transcript,
  fork: string,
  turn: string | undefined,
): Promise<boolean> => {
  const of = turn === undefined ? undefined : (await turnsOf(path)).find(({ id }) => id === turn)
  if (turn !== undefined && of === undefined) return false
  const end = of === undefined ? Number.POSITIVE_INFINITY : [...of.lines].reduce((max, line) => Math.max(max, line))
  const ids = new Map<string, string>()
  const idOf = (id: string): string => {
    const known = ids.get(id) ?? randomUUID()
    ids.set(id, known)
    return known
  }
  const copied = (line: string): string => {
    const entry = parseObject(line)
    const id = entry === undefined ? undefined : textOf(entry, "uuid")
    if (entry === undefined) return ""
    const own = { sessionId: fork, forkedFrom: { sessionId: threadId, messageUuid: id } }
    if (id !== undefined && isEntry(entry)) return `${JSON.stringify({ ...renamed(entry, idOf), ...own })}\n`
    return kept.has(entry["type"]) && entry["sessionId"] === threadId
      ? `${JSON.stringify({ ...entry, sessionId: fork })}\n`
      : ""
  }
  const unfinished = join(project, `.${fork}.${randomUUID()}`)
  const file = await open(unfinished, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    let due = ""
    await eachLine(path, async (text, line) => {
      if (line > end) return
      due += copied(text)
      if (due.length < 1024 * 1024) return
      await file.write(due)
      due = ""
    })
    await file.write(due)
    await file.close()
    await rename(unfinished, join(project, `${fork}.jsonl`))
    return true
  } finally {
    await file.close().catch(() => {})
    await rm(unfinished, { force: true })
  }
}

/** The members of an entry that are not of a copy. */
const without = new Set(["teamName", "agentName", "sessionKind", "slug", "sourceToolAssistantUUID"])

/** The members that name other entries. */
const naming = new Set(["uuid", "parentUuid", "logicalParentUuid", "compactMetadata"])

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** An entry with the new ids. */
const renamed = (entry: JsonObject, idOf: (id: string) => string): JsonObject => {
  const change = (value: unknown): unknown => {
    if (typeof value === "string") return uuid.test(value) ? idOf(value) : value
    if (Array.isArray(value)) return value.map(change)
    return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(one)])) : value
  }
  return Object.fromEntries(
    Object.entries(entry).flatMap(([key, value]) =>
      without.has(key) ? [] : [[key, naming.has(key) ? change(value) : value]],
    ),
  )
}
