/**
 * Reading the document, and planning and writing the outputs.
 */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as DocumentFile from "../../src/command/DocumentFile.ts"
import * as OutputFiles from "../../src/command/OutputFiles.ts"

const refusal = (path: string) => Effect.map(Effect.flip(DocumentFile.read(path)), ({ message }) => message)

type Asked = Parameters<typeof OutputFiles.plan>[0]

/** The planned outputs for a document. */
const plan = Effect.fnUntraced(function* (path: string, asked: Partial<Asked> = {}) {
  const document = yield* DocumentFile.read(path)
  const usual = { file: path, force: false, inPlace: false, output: undefined, report: undefined }
  return yield* OutputFiles.plan({ ...usual, ...asked }, document)
})

const planProblem = (path: string, asked: Partial<Asked>) =>
  Effect.map(Effect.flip(plan(path, asked)), ({ message }) => message)

/** A directory with `guide.md` in it. */
const guide = Effect.map(directory, (home) => {
  const path = join(home, "guide.md")
  writeFileSync(path, "# Guide\n")
  const named = (name: string) => join(home, name)
  return {
    home,
    path,
    named,
    read: (name: string) => readFileSync(named(name), "utf8"),
    list: () => readdirSync(home).sort(),
  }
})

describe("DocumentFile.read", () => {
  test("reads a document character for character (LoopSmith 4)", function* () {
    const { path } = yield* guide
    const content = "\ufeff$& $' $$ {{clarity_weight}} 日本語 😀 e\u0301\r\n\ttail without an end"
    writeFileSync(path, content)
    const read = yield* DocumentFile.read(path)
    assert.strictEqual(read.content, content)
    assert.strictEqual(read.path, path)
    chmodSync(path, 0o640)
    assert.strictEqual((yield* DocumentFile.read(path)).mode, 0o640)
  })

  test("accepts 1,000,000 characters and rejects one more, also with wide characters", function* () {
    const { path } = yield* guide
    const max = 1_000_000
    for (const one of ["x", "é", "語"]) {
      writeFileSync(path, one.repeat(max))
      assert.strictEqual((yield* DocumentFile.read(path)).content.length, max)
      writeFileSync(path, `${one.repeat(max)}x`)
      assert.include(yield* refusal(path), "may have 1000000")
    }
    // A sparse file of 20 GiB is not read to its end.
    truncateSync(path, 20 * 1024 ** 3)
    assert.include(yield* refusal(path), path)
  })

  test("rejects an invalid document in a sentence that names its file", function* () {
    const { home, named } = yield* guide
    const files: ReadonlyArray<readonly [name: string, bytes: string | Uint8Array, said: string]> = [
      ["empty.md", "", "empty"],
      ["nul.md", "a\0b", "binary"],
      ["latin1.md", Uint8Array.of(0x63, 0x61, 0x66, 0xe9), "Not UTF-8"],
      ["surrogate.md", Uint8Array.of(0xed, 0xa0, 0x80), "Not UTF-8"],
    ]
    for (const [name, bytes, said] of files) {
      writeFileSync(named(name), bytes)
      const message = yield* refusal(named(name))
      assert.include(message, said)
      assert.include(message, name)
    }
    assert.include(yield* refusal(home), "directory")
    assert.include(yield* refusal(named("missing.md")), "no such file")
    assert.include(yield* refusal(join(named("guide.md"), "below.md")), "not a directory")
    symlinkSync(named("nowhere"), named("dangling.md"))
    assert.include(yield* refusal(named("dangling.md")), "no such file")
  })

  test("rejects a named pipe without blocking", function* () {
    const { named } = yield* guide
    execFileSync("mkfifo", [named("pipe")])
    assert.include(yield* refusal(named("pipe")), "Not a regular file")
  })
})

describe("OutputFiles", () => {
  test("writes beside the original, under free names", function* () {
    const { list, named, path, read } = yield* guide
    const first = yield* plan(path)
    assert.deepStrictEqual(yield* OutputFiles.write(first.document, "one"), named("guide.improved.md"))
    const report = first.report
    assert.isDefined(report)
    if (report !== undefined) assert.strictEqual(yield* OutputFiles.write(report, "<html>"), named("guide.report.html"))
    assert.strictEqual(yield* OutputFiles.write((yield* plan(path)).document, "two"), named("guide.improved-2.md"))
    assert.strictEqual(yield* OutputFiles.write((yield* plan(path)).document, "three"), named("guide.improved-3.md"))
    assert.deepStrictEqual(list(), [
      "guide.improved-2.md",
      "guide.improved-3.md",
      "guide.improved.md",
      "guide.md",
      "guide.report.html",
    ])
    assert.deepStrictEqual(["guide.md", "guide.improved.md", "guide.improved-2.md"].map(read), [
      "# Guide\n",
      "one",
      "two",
    ])
  })

  test("derives the names of outputs from the document's name", function* () {
    const { home, named } = yield* guide
    const pathsOf = (name: string, asked: Partial<Asked> = {}) =>
      Effect.map(plan(named(name), asked), ({ document, report }) =>
        [document, report].map((one) =>
          one === undefined || one.kind === "stdout" ? one?.kind : one.path.slice(home.length + 1),
        ),
      )
    for (const name of ["README", ".notes", "a.tar.md"]) writeFileSync(named(name), "x")
    assert.deepStrictEqual(yield* pathsOf("README"), ["README.improved", "README.report.html"])
    assert.deepStrictEqual(yield* pathsOf(".notes"), [".notes.improved", ".notes.report.html"])
    assert.deepStrictEqual(yield* pathsOf("a.tar.md"), ["a.tar.improved.md", "a.tar.report.html"])
    mkdirSync(named("out"))
    assert.deepStrictEqual(yield* pathsOf("README", { output: named("out/b.md") }), ["out/b.md", "out/b.report.html"])
    assert.deepStrictEqual(yield* pathsOf("README", { output: "-" }), ["stdout", "README.report.html"])
    assert.deepStrictEqual(yield* pathsOf("README", { report: false }), ["README.improved", undefined])
    assert.deepStrictEqual(yield* pathsOf("README", { report: named("r.html") }), ["README.improved", "r.html"])
  })

  test("rejects an existing file, except with `force`", function* () {
    const { named, path, read } = yield* guide
    for (const name of ["out.md", "out.html"]) writeFileSync(named(name), "kept")
    assert.include(yield* planProblem(path, { output: named("out.md") }), "--force")
    assert.include(yield* planProblem(path, { report: named("out.html") }), "--force")
    const { document } = yield* plan(path, { output: named("out.md"), force: true })
    assert.strictEqual(yield* OutputFiles.write(document, "replaced"), named("out.md"))
    assert.strictEqual(read("out.md"), "replaced")
  })

  test("rejects the original as an output by any of its paths, also with `force`", function* () {
    const { home, named, path, read } = yield* guide
    symlinkSync(path, named("link.md"))
    for (const output of [path, named("link.md"), join(home, ".", "guide.md")]) {
      assert.include(yield* planProblem(path, { output, force: true }), "--in-place")
      assert.include(yield* planProblem(path, { report: output, force: true }), "--in-place")
    }
    linkSync(path, named("hard.md"))
    const { document } = yield* plan(path, { output: named("hard.md"), force: true })
    yield* OutputFiles.write(document, "new")
    assert.deepStrictEqual(["guide.md", "hard.md"].map(read), ["# Guide\n", "new"])
  })

  test("rejects the same path for the document and the report", function* () {
    const { named, path } = yield* guide
    assert.include(yield* planProblem(path, { output: named("x"), report: named("x") }), "--report")
  })

  test("rejects paths that cannot be written when it plans", function* () {
    const { named, path } = yield* guide
    assert.include(yield* planProblem(path, { output: named("nowhere/a.md") }), "no such file")
    assert.include(yield* planProblem(path, { report: join(path, "a.html") }), "not a directory")
    mkdirSync(named("folder"))
    assert.include(yield* planProblem(path, { output: named("folder"), force: true }), "not a regular file")
  })

  test("gives outputs the permissions of the document", function* () {
    const { named, path } = yield* guide
    chmodSync(path, 0o600)
    const { document, report } = yield* plan(path)
    yield* OutputFiles.write(document, "x")
    if (report !== undefined) yield* OutputFiles.write(report, "x")
    const modeOf = (name: string) => statSync(named(name)).mode & 0o777
    assert.deepStrictEqual(["guide.improved.md", "guide.report.html"].map(modeOf), [0o600, 0o600])
  })
})

describe("OutputFiles with inPlace", () => {
  test("replaces the original atomically, with its mode, through symbolic links", function* () {
    const { list, named, path, read } = yield* guide
    chmodSync(path, 0o754)
    symlinkSync(path, named("link.md"))
    const { document } = yield* plan(named("link.md"), { inPlace: true })
    assert.strictEqual(yield* OutputFiles.write(document, "better"), path)
    assert.strictEqual(read("link.md"), "better")
    assert.strictEqual(statSync(path).mode & 0o777, 0o754)
    assert.deepStrictEqual(list(), ["guide.md", "link.md"])
  })

  test("rejects an original with several hard links when it plans", function* () {
    const { named, path } = yield* guide
    linkSync(path, named("other.md"))
    assert.include(yield* planProblem(path, { inPlace: true }), "2 hard links")
    assert.strictEqual((yield* plan(path)).document.kind, "new")
  })

  it.effect.runIf(process.getuid?.() === 0)("keeps the owner of the file where the process may set it", () =>
    Effect.gen(function* () {
      const { named, path } = yield* guide
      chownSync(path, 12_345, 23_456)
      yield* OutputFiles.write((yield* plan(path, { inPlace: true })).document, "better")
      writeFileSync(named("out.md"), "")
      chownSync(named("out.md"), 12_345, 23_456)
      yield* OutputFiles.write((yield* plan(path, { output: named("out.md"), force: true })).document, "better")
      for (const name of ["guide.md", "out.md"]) {
        assert.deepInclude(statSync(named(name)), { uid: 12_345, gid: 23_456 })
        assert.strictEqual(readFileSync(named(name), "utf8"), "better")
      }
    }),
  )
})
