/**
 * Diffs in the question about a change of files.
 *
 * @see docs/internals/promises.md, 33
 */
import { assert, describe, it } from "@effect/vitest"
import type { McpApprovalRequest, McpFileChange } from "@zain/core/McpApproval"
import picocolors from "picocolors"
import { vi } from "vitest"
import * as ApprovalText from "../../src/run/ApprovalText.ts"

const screen = (rows: number, columns = 60, isColored = false) => ({
  paint: picocolors.createColors(isColored),
  columns: () => columns,
  rows: () => rows,
})
const request = (...changes: ReadonlyArray<McpFileChange>): McpApprovalRequest => ({
  kind: "file-change",
  message: "Codex wants to change files",
  paths: changes.map(({ path }) => path),
  changes,
  cwd: "/work",
})
const question = (asked: McpApprovalRequest, ...place: Parameters<typeof screen>) =>
  ApprovalText.question("Codex", asked, screen(...place)).split("\n")

const update = (path: string, lines: number): McpFileChange => ({
  path,
  kind: "update",
  diff: Array.from({ length: lines }, (_, at) => `+${path} ${at + 1}\n`).join(""),
})

describe("the question about a change of files", () => {
  it("shows path, kind and diff of every file, and the target of a move", () => {
    const shown = question(
      request(
        { path: "/work/new", kind: "add", diff: "@@ -0,0 +1 @@\n+hello\n", isNew: true },
        { path: "/work/a", kind: "update", diff: "@@ -1 +1 @@\n-old\n+new\n", isNew: false },
        { path: "/work/b", kind: "move", movedTo: "/work/c", diff: "", isNew: false },
        { path: "/work/d", kind: "delete", diff: "Not shown, as it is not text: 9 bytes before, 0 bytes after." },
      ),
      90,
      90,
    )
    assert.deepStrictEqual(shown, [
      "Codex wants to change files",
      "  add      /work/new",
      "           @@ -0,0 +1 @@",
      "           +hello",
      "  update   /work/a",
      "           @@ -1 +1 @@",
      "           -old",
      "           +new",
      "  move     /work/b",
      "  to       /work/c",
      "  It overwrites an existing file.",
      "  delete   /work/d",
      "           Not shown, as it is not text: 9 bytes before, 0 bytes after.",
      "  in       /work",
    ])
  })

  it("names files without a diff too", () => {
    const shown = question({ ...request(update("/work/a", 1)), paths: ["/work/a", "/work/hidden"] }, 90)
    assert.include(shown, "  file     /work/hidden")
  })

  it("colours added, removed and position lines, if colours are enabled", () => {
    const asked = request({ path: "/a", kind: "update", diff: "@@ -1,2 +1,2 @@\n same\n-old\n+new\n" })
    const colored = question(asked, 90, 60, true).join("\n")
    for (const part of ["\u001b[36m@@ -1,2 +1,2 @@\u001b[39m", "\u001b[31m-old\u001b[39m", "\u001b[32m+new\u001b[39m"])
      assert.include(colored, part)
    assert.notInclude(question(asked, 90).join("\n"), "\u001b")
  })

  it("escapes invisible characters, and indents diffs, so that no line looks like one of the question", () => {
    const diff = "+ok\u001b[2K\r\u202e\n  in       /elsewhere\n+\tindented\n"
    const shown = question(request({ path: "/a", kind: "update", diff }), 90)
    assert.include(shown, "           +ok\\u{1b}[2K\\u{d}\\u{202e}")
    assert.include(shown, "             in       /elsewhere")
    assert.include(shown, "           +    indented")
  })

  it("wraps a long line into rows that fit, and marks continued rows", () => {
    const shown = question(request({ path: "/a", kind: "update", diff: `+${"x".repeat(50)}` }), 90, 40)
    assert.include(shown, `           +${"x".repeat(28)}`)
    assert.include(shown, `         │ ${"x".repeat(22)}`)
  })

  it("shows a diff whole if it fits, and otherwise the number of hidden lines", () => {
    assert.include(question(request(update("/a", 12)), 24), "           +/a 12")
    const shown = question(request(update("/a", 1_000)), 24)
    assert.isAtMost(shown.length + 6, 24)
    assert.include(shown, "           +/a 10")
    const [cut = ""] = shown.filter((row) => row.includes("not shown"))
    const [, hidden] = /^ {2}(\d+) of 1000 lines are not shown whole; --json has them all$/.exec(cut) ?? []
    assert.strictEqual(Number(hidden), 1_000 - shown.filter((row) => row.includes("+/a")).length)
  })

  it("shares the rows among files, and gives unused rows to large diffs", () => {
    const shown = question(request(update("/a", 2), update("/b", 500), update("/c", 500)), 40)
    assert.isAtMost(shown.length + 6, 40)
    const count = (path: string) => shown.filter((row) => row.includes(`+${path}`)).length
    assert.strictEqual(count("/a"), 2)
    assert.isAbove(count("/b"), 8)
    assert.isAbove(count("/c"), 8)
  })

  it("names every file, and begins every diff, without any free rows", () => {
    const changes = Array.from({ length: 50 }, (_, at) => update(`/file-${at}`, 100))
    const shown = question(request(...changes), 24)
    for (const { path } of changes) {
      assert.include(shown, `  update   ${path}`)
      assert.include(shown, `           +${path} 1`)
    }
    assert.include(shown.at(-1), "begins above")
  })

  it("takes bounded time for a line of the maximum length", () => {
    const measured = vi.spyOn(Intl.Segmenter.prototype, "segment")
    const shown = question(request({ path: "/a", kind: "update", diff: `+${"漢".repeat(80_000)}` }), 24)
    const lengths = measured.mock.calls.map(([text]) => text.length)
    measured.mockRestore()
    const length = lengths.reduce((sum, each) => sum + each, 0)
    assert.isAbove(length, 0)
    assert.isBelow(length, 20_000)
    assert.include(shown, "  1 of 1 lines are not shown whole; --json has them all")
  })
})
