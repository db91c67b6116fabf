/** The diffs of an approval, compared with the files on disk (promise 33). */
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as FileChanges from "../src/FileChanges.ts"

let directory = ""
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "zain-test-"))
})
afterEach(() => rmSync(directory, { recursive: true }))

const at = (name: string) => join(directory, name)
const put = (name: string, text: string | Buffer) => writeFileSync(at(name), text)
const edit = (name: string, after: FileChanges.FileEdit["after"], movedTo?: string): FileChanges.FileEdit => ({
  path: name,
  place: at(name),
  after,
  ...(movedTo === undefined ? {} : { movedTo: at(movedTo) }),
})
const write = (name: string, text: string) => edit(name, () => text)
const describeAll = (...edits: ReadonlyArray<FileChanges.FileEdit>) => FileChanges.describe(edits, (text) => text)

describe("`FileChanges.describe` returns the kind and the diff (promise 33)", () => {
  it("of a new file and of an existing one", async () => {
    put("old", "one\ntwo\n")
    assert.deepStrictEqual(
      await describeAll(write("new", "a\n"), write("old", "one\n2\n"), write("old", "one\ntwo\n")),
      [
        { path: "new", kind: "add", diff: "@@ -0,0 +1,1 @@\n+a\n", isNew: true },
        { path: "old", kind: "update", diff: "@@ -1,2 +1,2 @@\n one\n-two\n+2\n", isNew: false },
        { path: "old", kind: "update", diff: "", isNew: false },
      ],
    )
  })

  it("of a deleted file, and of a moved one, also when it overwrites another", async () => {
    put("old", "one\n")
    put("there", "")
    const hunks = { hunks: "@@ -1 +1 @@\n-one\n+1\n" }
    assert.deepStrictEqual(
      await describeAll(
        edit("old", () => undefined),
        edit("old", hunks, "free"),
        edit("old", hunks, "there"),
      ),
      [
        { path: "old", kind: "delete", diff: "@@ -1,1 +0,0 @@\n-one\n", isNew: false },
        { path: "old", kind: "move", diff: hunks.hunks, movedTo: at("free"), isNew: true },
        { path: "old", kind: "move", diff: hunks.hunks, movedTo: at("there"), isNew: false },
      ],
    )
  })

  it("with the line ends of the file, and a last line without one", async () => {
    put("crlf", "a\r\nb\r\n")
    put("bare", "a")
    const [crlf, bare] = await describeAll(write("crlf", "a\nb\r\n"), write("bare", "a\n"))
    assert.include(crlf?.diff, "-a\r\n+a\n")
    assert.include(bare?.diff, "-a\n\\ No newline at end of file\n+a\n")
  })

  it("of two texts without a common line, within the time limit", async () => {
    const lines = (mark: string) =>
      Array.from({ length: 60_000 }, (_, line) => `${mark}${(line * 7919) % 60_013}`).join("\n")
    put("old", lines("a"))
    const [change] = await describeAll(write("old", lines("b")))
    assert.match(change?.diff ?? "", /^@@ -1,60000 \+1,60000 @@\n-a0\n/)
  })
})

describe("`FileChanges.describe` returns the sizes of a file that it cannot show (promise 33)", () => {
  it.each([
    ["no text", Buffer.from([0, 1]), "text", "it is not text: 2 bytes before, 4 bytes after"],
    ["no UTF-8", Buffer.from([0xff]), "text", "it is not text: 1 bytes before, 4 bytes after"],
    ["too large", "x".repeat(2 ** 20 + 1), "text", "it is larger than 1 MiB: 1048577 bytes before, 4 bytes after"],
    [
      "too large afterwards",
      "x",
      "y".repeat(2 ** 20 + 1),
      "it is larger than 1 MiB: 1 bytes before, 1048577 bytes after",
    ],
  ])("%s", async (_, before, after, why) => {
    put("old", before)
    const [change] = await describeAll(write("old", after))
    assert.strictEqual(change?.kind, "update")
    assert.strictEqual(change?.diff, `Not shown, as ${why}.`)
  })

  it("without blocking on a pipe, a directory or an unreadable file", async () => {
    execFileSync("mkfifo", [at("pipe")])
    mkdirSync(at("directory"))
    symlinkSync(at("loop"), at("loop"))
    put("secret", "x")
    chmodSync(at("secret"), 0)
    const changes = await describeAll(...["pipe", "directory", "loop"].map((name) => write(name, "x")))
    assert.deepStrictEqual(
      changes.map(({ diff }) => diff.replace(/ \(\w+\)/, "")),
      ["it is not a regular file", "it is not a regular file", "it cannot be read"].map(
        (why) => `Not shown, as ${why}: an unknown size before, 1 bytes after.`,
      ),
    )
  })

  it("without reading a file whose link has changed since", async () => {
    put("outside", "a secret")
    symlinkSync(at("outside"), at("link"))
    const mayRead = async (path: string) => !path.endsWith("outside")
    const [change] = await FileChanges.describe([write("link", "x")], (text) => text, mayRead)
    assert.strictEqual(
      change?.diff,
      "Not shown, as it lies outside of the root: an unknown size before, 1 bytes after.",
    )
  })
})

describe("`FileChanges.describe` limits the changes (promise 33)", () => {
  it("in bytes, with a visible cut", async () => {
    const large = `${"ä".repeat(150 * 1024)}\n`
    const changes = await describeAll(write("a", large), write("b", "small\n"))
    assert.match(changes[0]?.diff ?? "", /…\nCut: the whole diff has \d+ bytes\.$/)
    assert.isBelow(Buffer.byteLength(JSON.stringify(changes)), 260 * 1024)
    assert.include(changes.at(-1)?.diff, "1 more files are not shown.")
  })

  it("in number", async () => {
    const many = Array.from({ length: 10_000 }, (_, file) => write(`file-${file}`, "x\n"))
    const changes = await describeAll(...many)
    assert.isBelow(changes.length, 5_000)
    assert.strictEqual(changes.at(-1)?.diff, `${10_000 - changes.length + 1} more files are not shown.`)
  })

  it("and removes secrets of the file and of the new text", async () => {
    put("old", "token-1\n")
    const redact = (text: string) => text.replaceAll("token-1", "<redacted>")
    const [change] = await FileChanges.describe([write("old", "token-1 again\n")], redact)
    assert.strictEqual(change?.diff, "@@ -1,1 +1,1 @@\n-<redacted>\n+<redacted> again\n")
  })
})
