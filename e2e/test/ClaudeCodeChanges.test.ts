/** What an approver receives of the real Claude Code's edits before they are written (promise 33). */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { assert, describe } from "@effect/vitest"
import type { McpApproval } from "@zain/core"
import type { ModelRequest } from "@zain/scripted-model"
import { ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { applyPatch } from "diff"
import { place } from "../src/AgentServers.ts"
import * as Files from "../src/Files.ts"
import * as OwnClient from "../src/OwnClient.ts"

/** A prompt: the uses of tools, one after the other. */
const respond = (request: ModelRequest.ModelRequest) => {
  const uses = JSON.parse(request.userMessages.at(-1) ?? "[]") as ReadonlyArray<readonly [string, object]>
  const next = uses[request.toolResults.length]
  return next === undefined ? ScriptedTurn.text("Done.") : ScriptedTurn.toolCall(next[0], { ...next[1] })
}

const cell = (id: string, source: string) => ({
  cell_type: "code",
  execution_count: 7,
  id,
  metadata: {},
  outputs: [],
  source,
})
const notebook = JSON.stringify(
  { cells: [cell("one", "1"), cell("two", "2")], metadata: {}, nbformat: 4, nbformat_minor: 5 },
  null,
  1,
)
/** Larger than the limit of a diff. */
const large = `first\n${"line\n".repeat(300_000)}`

const before: Readonly<Record<string, string | Buffer>> = {
  "edited.txt": "one\ntwo\nthree\ntwo\n",
  "crlf.txt": "one\r\ntwo\r\n",
  "over.txt": "kept\nlost\n",
  "book.ipynb": notebook,
  "line.ipynb": `${notebook}\n`,
  "binary.bin": Buffer.from([0, 1, 2, 255]),
}

const uses = (work: string): ReadonlyArray<readonly [string, object]> => {
  const at = (name: string) => join(work, name)
  const read = (name: string) => ["Read", { file_path: at(name) }] as const
  return [
    read("edited.txt"),
    ["Edit", { file_path: at("edited.txt"), old_string: "two", new_string: "$& 2", replace_all: true }],
    ["Edit", { file_path: at("edited.txt"), old_string: "one\n", new_string: "" }],
    ["Edit", { file_path: at("edited.txt"), old_string: "three", new_string: "" }],
    read("crlf.txt"),
    ["Edit", { file_path: at("crlf.txt"), old_string: "one\ntwo", new_string: "one\n2" }],
    read("over.txt"),
    ["Write", { file_path: at("over.txt"), content: "kept\nnew\n" }],
    ["Write", { file_path: at("new/new.txt"), content: "hello" }],
    ["Edit", { file_path: at("created.txt"), old_string: "", new_string: "made\n" }],
    read("book.ipynb"),
    ["NotebookEdit", { notebook_path: at("book.ipynb"), cell_id: "two", new_source: "print(2)" }],
    ["NotebookEdit", { notebook_path: at("book.ipynb"), cell_id: "one", new_source: "", edit_mode: "delete" }],
    read("line.ipynb"),
    ["NotebookEdit", { notebook_path: at("line.ipynb"), cell_id: "two", new_source: "print(2)" }],
  ]
}

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

describe("an edit of the real Claude Code", () => {
  test.live("shows an approver what the file has afterwards, before anything is written (promise 33)", function* () {
    const at = yield* place("claude-code", { respond })
    Files.write(at.work, before)
    /** The expected content after each change, checked against the file at the next request and at the end. */
    const due = new Map<string, string>()
    const wrong: Array<string> = []
    const received: Array<McpApproval.McpFileChange> = []
    const check = () => {
      for (const [path, text] of due) if (textOf(path) !== text) wrong.push(`${path}: ${JSON.stringify(textOf(path))}`)
      due.clear()
    }
    const client = yield* OwnClient.adapter("claude-code", {
      ask: ({ changes = [] }) => {
        check()
        for (const change of changes) {
          received.push(change)
          const now = textOf(change.path)
          if ((change.kind === "add") !== (now === undefined)) wrong.push(`${change.kind} ${change.path}`)
          const patch = `--- a\n+++ b\n${change.diff}`
          due.set(change.path, String(applyPatch(now ?? "", patch)))
        }
        return "approve"
      },
    })
    const session = yield* client.openSession(OwnClient.config(at))
    const { content } = yield* client.execute(session, { content: JSON.stringify(uses(at.work)) })
    check()
    assert.strictEqual(content, "Done.")
    assert.deepStrictEqual(wrong, [])
    assert.deepStrictEqual(
      received.map(({ kind, path }) => `${kind} ${basename(path)}`),
      [
        ...["edited.txt", "edited.txt", "edited.txt", "crlf.txt", "over.txt"].map((name) => `update ${name}`),
        ...["add new.txt", "add created.txt"],
        ...["book.ipynb", "book.ipynb", "line.ipynb"].map((name) => `update ${name}`),
      ],
    )
    assert.include(received[0]?.diff, "-two\n+$& 2\n")
  })

  test.live(
    "names the sizes of a file that is no text, and shows the lines of an Edit in one that is too large (promise 33)",
    function* () {
      const at = yield* place("claude-code", { respond })
      const binary = join(at.directory, "binary.bin")
      writeFileSync(binary, before["binary.bin"] ?? "")
      const received: Array<McpApproval.McpFileChange> = []
      const client = yield* OwnClient.adapter("claude-code", {
        ask: ({ changes = [] }) => {
          received.push(...changes)
          return { decline: "No." }
        },
      })
      const session = yield* client.openSession(OwnClient.config(at))
      const whole = join(at.directory, "large.txt")
      writeFileSync(whole, large)
      const calls = [
        ["Read", { file_path: binary }],
        ["Write", { file_path: binary, content: "text" }],
        ["Read", { file_path: whole, limit: 1 }],
        ["Edit", { file_path: whole, old_string: "first", new_string: "1st" }],
      ]
      yield* client.execute(session, { content: JSON.stringify(calls) })
      rmSync(binary)
      assert.deepInclude(received[0], {
        kind: "update",
        diff: "Not shown, as it is not text: 4 bytes before, 4 bytes after.",
      })
      assert.deepInclude(received[1], { kind: "update", diff: "@@ … @@\n-first\n+1st\n" })
    },
  )
})
