import { assert, describe, it } from "vitest"
import * as ClaudeCodeEdits from "../../src/server/ClaudeCodeEdits.ts"

/** The edited text of a file. */
const after = (tool: string, input: Readonly<Record<string, unknown>>, before: string | undefined) => {
  const [edit] = ClaudeCodeEdits.editsOf(tool, input, "f", "/work")
  return typeof edit?.after === "function" ? edit.after(before) : edit
}

const edit = (before: string | undefined, old_string: string, new_string: string, more = {}) =>
  after("Edit", { file_path: "f", old_string, new_string, ...more }, before)

describe("an edit of Claude Code", () => {
  it("is shown without its position when the text is not found", () => {
    assert.deepStrictEqual(edit("other", "old\nlines", "new"), { hunks: "@@ … @@\n-old\n-lines\n+new\n" })
    assert.deepStrictEqual(edit("not empty", "", "new"), { hunks: "@@ … @@\n+new\n" })
  })

  it("with many parts applies each to the result of the previous one", () => {
    const edits = [
      { old_string: "a", new_string: "b" },
      { old_string: "b c", new_string: "d" },
    ]
    assert.strictEqual(after("MultiEdit", { file_path: "f", edits }, "a c"), "d")
  })

  it("is empty when the input has no text", () => {
    for (const [tool, input] of [
      ["Write", { file_path: "f" }],
      ["Bash", { command: "touch f", file_path: "f" }],
    ] as const) {
      assert.deepStrictEqual(ClaudeCodeEdits.editsOf(tool, input, "f", "/work"), [])
    }
    assert.deepStrictEqual(after("Edit", { file_path: "f", old_string: 7, new_string: {} }, "text"), {
      hunks: "@@ … @@\n",
    })
  })
})

describe("an edit of a notebook by Claude Code", () => {
  const book = (...cells: ReadonlyArray<object>) => JSON.stringify({ cells, nbformat: 4 }, undefined, 1)
  const cell = (id: string, source: string) => ({ cell_type: "code", id, source, execution_count: 7, outputs: ["x"] })
  const fresh = { execution_count: null, outputs: [] }
  const notebook = (input: object, before: string) => after("NotebookEdit", { notebook_path: "n", ...input }, before)

  it("replaces, inserts and removes a cell, by its id or its number", () => {
    const before = `${book(cell("a", "1"), cell("b", "2"))}\n`
    assert.strictEqual(
      notebook({ cell_id: "cell-1", new_source: "3" }, before),
      `${book(cell("a", "1"), { ...cell("b", "3"), ...fresh })}\n`,
    )
    assert.strictEqual(notebook({ cell_id: "a", edit_mode: "delete" }, before), `${book(cell("b", "2"))}\n`)
    assert.strictEqual(
      notebook({ cell_id: "a", edit_mode: "insert", cell_type: "markdown", new_source: "#" }, before),
      `${book(cell("a", "1"), { cell_type: "markdown", id: "…", source: "#", metadata: {} }, cell("b", "2"))}\n`,
    )
  })

  it("is shown without its position when the notebook or the cell is invalid", () => {
    for (const before of ["no json", "[]", book(cell("a", "1"))]) {
      assert.deepStrictEqual(notebook({ cell_id: "zzz", new_source: "3" }, before), { hunks: "@@ … @@\n+3\n" })
    }
  })
})
