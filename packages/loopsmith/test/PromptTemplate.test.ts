import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as PromptTemplate from "@zain/loopsmith/PromptTemplate"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { TestConsole } from "effect/testing"
import fc from "fast-check"

const source = { packaged: "evaluation-prompt.txt", needs: ["document_content"] } as const

const warnings = Effect.map(TestConsole.logLines, (lines) => lines.map(String).join("\n"))

describe("PromptTemplate", () => {
  const useless: ReadonlyArray<readonly [string, (path: string) => void, string]> = [
    ["missing", () => {}, "cannot be read"],
    ["a directory", (path) => execFileSync("mkdir", [path]), "is not a regular file"],
    ["a pipe without a writer", (path) => execFileSync("mkfifo", [path]), "is not a regular file"],
    ["too long", (path) => writeFileSync(path, `{{document_content}}${"é".repeat(39_981)}`), "is longer than 40000"],
    ["far too long", (path) => writeFileSync(path, `{{document_content}}${" ".repeat(1_000_000)}`), "is longer than"],
    ["without the document", (path) => writeFileSync(path, "{{document}}"), "has no {{document_content}}"],
    ["not UTF-8", (path) => writeFileSync(path, Buffer.from("\xff{{document_content}}", "latin1")), "is not UTF-8"],
  ]
  for (const [what, prepare, problem] of useless)
    test(`uses the packaged template and warns when the file at \`path\` is ${what}`, function* () {
      const path = join(yield* directory, "judge.txt")
      prepare(path)
      assert.strictEqual(yield* PromptTemplate.load({ ...source, path }), yield* PromptTemplate.load(source))
      assert.include(yield* warnings, problem)
      assert.include(yield* warnings, path)
    })

  it("inserts a value unchanged, without reading `$&` or placeholders in it (LoopSmith 4)", () => {
    const document = "$& $' $` $$ $1 {{a}} {{b}} {{{b}}} 日本語 😀 \r\n"
    assert.strictEqual(PromptTemplate.render("<{{a}}|{{b}}>", { a: document, b: "2" }), `<${document}|2>`)
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        assert.strictEqual(PromptTemplate.render("{{a}}{{b}}{{a}}", { a: text, b: "-" }), `${text}-${text}`)
      }),
    )
  })

  it("leaves a placeholder without a value, whatever its name", () => {
    const template = "{{unknown}} {{constructor}} {{__proto__}} {{ a }} {a} {{}}"
    assert.strictEqual(PromptTemplate.render(template, { a: "1" }), template)
  })
})
