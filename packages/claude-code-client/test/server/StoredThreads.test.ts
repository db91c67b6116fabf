/** The stored conversations of Claude Code, by transcripts as it writes them. */
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import type { StoredThreads } from "@zain/agent-server/ServedThreads"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as ClaudeCode from "../../testing/server/ClaudeCode.ts"

type Line = Readonly<Record<string, unknown>>

const threadId = "11111111-0000-4000-8000-000000000000"
const page = { archived: false, limit: 100 }
const turns = { limit: 16 }

const entry = (uuid: string, parentUuid: string | null, type: string, content: unknown, more: Line = {}): Line => ({
  ...{ uuid, parentUuid, type, message: { role: type, content, ...(type === "assistant" ? { model: "opus" } : {}) } },
  ...{ cwd: "/srv/project", sessionId: threadId, isSidechain: false, timestamp: "2026-11-22T10:00:00.000Z" },
  ...more,
})
const text = (said: string) => [{ type: "text", text: said }]
const use = (id: string) => [{ type: "tool_use", id, name: "Bash", input: { command: `run ${id}` } }]
const result = (id: string) => [{ type: "tool_result", tool_use_id: id, content: `output of ${id}` }]

/** A conversation with everything that a transcript may have. */
const lines: ReadonlyArray<Line> = [
  { type: "queue-operation", operation: "enqueue", sessionId: threadId },
  entry("p1", null, "user", "first prompt"),
  entry("x1", "p1", "assistant", text("a dead branch")),
  entry("m1", "p1", "user", "of a hook", { isMeta: true }),
  entry("a1", "m1", "assistant", use("t1")),
  entry("a2", "a1", "assistant", use("t2")),
  entry("r1", "a1", "user", result("t1")),
  entry("r2", "a2", "user", result("t2")),
  entry("q1", "r2", "attachment", "", { attachment: { type: "queued_command", prompt: "steered" } }),
  entry("s1", null, "assistant", text("of a sub-agent"), { isSidechain: true }),
  entry("a3", "q1", "assistant", text("first answer")),
  { type: "file-history-snapshot", messageId: "p1" },
  entry("b1", null, "system", "", { subtype: "compact_boundary", logicalParentUuid: "a3" }),
  entry("c1", "b1", "user", "The conversation so far: …", { isCompactSummary: true }),
  entry("l1", "c1", "user", "<command-name>/model</command-name>"),
  entry("p2", "l1", "user", [{ type: "text", text: "second prompt" }]),
  entry("a4", "p2", "assistant", text("second answer")),
  { type: "custom-title", customTitle: "Old", sessionId: threadId },
  { type: "custom-title", customTitle: "New", sessionId: threadId },
]

const write = (home: string, all: ReadonlyArray<Line> = lines, project = "-srv-project", id = threadId) => {
  const folder = join(home, ".claude/projects", project)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${id}.jsonl`)
  writeFileSync(file, all.map((line) => `${JSON.stringify(line)}\n`).join(""))
  return { file, folder }
}

const client = Effect.map(ClaudeCode.client(), (made) => ({ ...made, stored: made.threads ?? assert.fail() }))

const listed = ({ list }: StoredThreads) =>
  Effect.map(list(page), ({ threads }) => threads.map((thread) => thread.threadId))

describe("a stored conversation of Claude Code", () => {
  test.live("is described by its transcript, and its live branch is read", function* () {
    const { home, stored } = yield* client
    write(home)
    const [thread] = (yield* stored.list(page)).threads
    const { updatedAt, ...described } = thread ?? assert.fail()
    assert.isNumber(updatedAt)
    assert.deepStrictEqual(described, {
      ...{ threadId, cwd: "/srv/project", title: "New", firstPrompt: "first prompt", model: "opus" },
      ...{ createdAt: Date.parse("2026-11-22T10:00:00.000Z"), isArchived: false },
    })
    const read = yield* stored.read(threadId, turns)
    assert.deepStrictEqual(
      read.turns.map(({ events, prompt }) => [
        prompt,
        events.map((event) => ("text" in event ? event.text : "output" in event ? event.output : event._tag)),
      ]),
      [
        [
          "first prompt\n\nsteered",
          ["ToolStarted", "ToolStarted", "output of t1", "output of t2", "first answer", "Compacted"],
        ],
        ["second prompt", ["second answer"]],
      ],
    )
    const error = yield* Effect.flip(stored.read(threadId, { ...turns, cursor: "x1" }))
    assert.strictEqual(error.reason, "invalid-config")
  })

  test.live("is copied with new ids up to a turn, and keeps the limits of its origin", function* () {
    const { home, start, stored, turn } = yield* client
    const own = yield* start({ disallowedTools: ["Bash"] })
    yield* turn(own, { prompt: "leave" }, ClaudeCode.recorder())
    const { file, folder } = write(home, lines, "-srv-project", own)
    // Ids are UUIDs in a transcript.
    const ids = new Map(lines.map(({ uuid }) => [uuid, randomUUID()]))
    const whole = (_: string, value: unknown) => (typeof value === "string" ? (ids.get(value) ?? value) : value)
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line, whole)}\n`).join(""))
    const [first] = (yield* stored.read(own, turns)).turns
    const fork = yield* stored.fork(own, first?.turn)
    const copy = readFileSync(join(folder, `${fork}.jsonl`), "utf8")
    const entries = copy
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Line)
    for (const { forkedFrom, sessionId, uuid } of entries) {
      assert.strictEqual(sessionId, fork)
      assert.isFalse(copy.split(`"uuid":"${String((forkedFrom as Line)["messageUuid"])}"`).length > 1)
      assert.match(String(uuid), /^[0-9a-f-]{36}$/)
    }
    assert.notInclude(copy, "second prompt")
    assert.notInclude(copy, "sub-agent")
    const [again] = (yield* stored.read(fork, turns)).turns
    assert.deepStrictEqual({ ...again, turn: "" }, { ...first, turn: "" })
    const records = join(home, ".local/state/zain/claude-code")
    const record = (id: string) => JSON.parse(readFileSync(join(records, `${id}.json`), "utf8"))
    assert.deepStrictEqual(record(fork), { ...record(own), isKnown: true })
    yield* stored.change(fork, { action: "delete" })
    assert.isFalse(existsSync(join(records, `${fork}.json`)))
    const before = readdirSync(folder)
    assert.strictEqual((yield* Effect.flip(stored.fork(own, "no turn"))).reason, "agent-refused")
    assert.deepStrictEqual(readdirSync(folder), before)
  })

  test.live("behind a link is neither listed, read nor changed, and its folder's links are not followed", function* () {
    const { home, stored } = yield* client
    const outside = join(home, "outside")
    mkdirSync(outside)
    const { file, folder } = write(home)
    renameSync(file, join(outside, `${threadId}.jsonl`))
    symlinkSync(join(outside, `${threadId}.jsonl`), file)
    symlinkSync(outside, join(home, ".claude/projects/-linked"))
    assert.deepStrictEqual(yield* listed(stored), [])
    for (const work of [stored.read(threadId, turns), stored.change(threadId, { action: "delete" })]) {
      assert.strictEqual((yield* Effect.flip(work)).reason, "unknown-thread")
    }
    const other = "22222222-0000-4000-8000-000000000000"
    write(home, lines, "-srv-project", other)
    symlinkSync(outside, join(folder, other))
    const refused = yield* Effect.flip(stored.change(other, { action: "archive" }))
    assert.include(refused.message, "is not a directory")
    yield* stored.change(other, { action: "delete" })
    assert.deepStrictEqual(readdirSync(outside), [`${threadId}.jsonl`])
  })

  test.live("is long: its list reads the beginning and the end, and its turns are cut", function* () {
    const { home, stored } = yield* client
    const flood = Array.from({ length: 2_000 }, (_, at) =>
      entry(`f${at}`, at === 0 ? "p1" : `f${at - 1}`, "assistant", text(`${at} ${"x".repeat(1_000)}`)),
    )
    write(home, [entry("p1", null, "user", "a prompt"), ...flood])
    const [thread] = (yield* stored.list(page)).threads
    assert.strictEqual(thread?.firstPrompt, "a prompt")
    const [turn] = (yield* stored.read(threadId, turns)).turns
    assert.strictEqual((turn?.events.length ?? 0) + (turn?.omitted ?? 0), 2_000)
    assert.isBelow(JSON.stringify(turn).length, 300_000)
    assert.isTrue(JSON.stringify(turn?.events.at(-1)).includes('"1999 x'))
  })

  test.live("leaves the archive with its next prompt, and takes a title after an incomplete line", function* () {
    const { home, stored } = yield* client
    const { file } = write(home)
    yield* stored.change(threadId, { action: "archive" })
    assert.deepStrictEqual(yield* listed(stored), [])
    const later = entry("p3", "a4", "user", "later", { timestamp: new Date(Date.now() + 60_000).toISOString() })
    writeFileSync(file, `${JSON.stringify(later)}\n{"type":"ass`, { flag: "a" })
    assert.deepStrictEqual(yield* listed(stored), [threadId])
    yield* stored.change(threadId, { action: "rename", title: "Newest" })
    assert.strictEqual((yield* stored.list(page)).threads[0]?.title, "Newest")
  })
})
