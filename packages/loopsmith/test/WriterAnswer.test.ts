import { assert, describe, it } from "@effect/vitest"
import { WriterAnswer } from "@zain/loopsmith"
import * as Result from "effect/Result"
import fc from "fast-check"

const read = (text: string, original = "") =>
  Result.getOrElse(WriterAnswer.parse(text, original), (problem) => `! ${problem}`)
const within = (document: string) => `<document>\n${document}\n</document>`

describe("WriterAnswer.parse finds the document", () => {
  it.each([
    ["that stands alone", within("# T\n\ntext"), "# T\n\ntext"],
    [
      "that follows an introduction and precedes a remark",
      `Here it is:\n\n${within("# T")}\n\nI changed the title.`,
      "# T",
    ],
    ["that stands in a code fence", `\`\`\`markdown\n${within("# T")}\n\`\`\``, "# T"],
    ["that has blanks after the enclosing lines", "<document>  \n# T\n</document>\t\n", "# T"],
    ["that has CRLF around it", "<document>\r\n# T\r\n</document>\r\n", "# T"],
    [
      "that names the enclosing lines in its text",
      within("Write `<document>` and </document> there."),
      "Write `<document>` and </document> there.",
    ],
    ["that begins and ends with blank lines", within("\n\n# T\n"), "\n\n# T\n"],
    ["that contains patterns and placeholders", within("$& $' $$ {{score}} 日本語 😀"), "$& $' $$ {{score}} 日本語 😀"],
  ])("%s", (_, text, document) => {
    assert.strictEqual(read(text), document)
  })

  it("character for character, for any document and any prose around it", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", " ", "\n", "\r", "<document>", "</document>", "$&", "é", "😀"),
    })
    const prose = text.map((said) => said.replaceAll("document>", "doc>"))
    const documents = text.filter((document) => document.trim() !== "" && document === document.replaceAll("\r", ""))
    fc.assert(
      fc.property(prose, documents, prose, (before, document, after) => {
        assert.strictEqual(read(`${before}\n${within(document)}\n${after}`, document), document)
      }),
      { numRuns: 300 },
    )
  })
})

describe("enclosing lines within a document", () => {
  const two = `${within("# One")}\n\nOr, shorter:\n\n${within("# Two")}`

  it.each([
    ["a document in a document", within(within("inner")), within("inner")],
    ["a closing line", within("a\n</document>\nb"), "a\n</document>\nb\n"],
    ["an opening line, with blanks after it", within("<document> \t\nb"), "<document> \t\nb\n"],
  ])("are kept: %s", (_, text, document) => {
    assert.strictEqual(read(text, "first\n"), document.endsWith("\n") ? document : `${document}\n`)
  })

  it("fail as two documents when an opening line follows a closing line", () => {
    assert.match(read(two, "The word <document>, and\n </document>\n"), /^! .*two documents/)
    assert.match(read(two, within("inner")), /^! .*two documents/)
  })

  it("are kept in that order when the original has them in that order", () => {
    const inner = `${within("a")}\n${within("b")}`
    assert.strictEqual(read(within(inner), `${within("c")}\n${within("d")}`), inner)
  })
})

describe("WriterAnswer.parse restores the original's line breaks", () => {
  it.each([
    ["and adds the missing final line break", "b", "a\n", "b\n"],
    ["and does not double the final line break", "b\n", "a\n", "b\n"],
    ["and adds no final line break when the original has none", "b", "a", "b"],
    ["and converts LF to CRLF", "b\nc", "a\r\nb\r\n", "b\r\nc\r\n"],
    ["and does not double CRLF", "b\r\nc\r\n", "a\r\n", "b\r\nc\r\n"],
    ["and converts CRLF to LF", "b\r\nc", "a\nb\n", "b\nc\n"],
    ["and adds the original's final line break when the original mixes LF and CRLF", "b\r\nc", "a\r\nb\n", "b\r\nc\n"],
    ["and changes no line break when the original mixes LF and CRLF", "b\r\nc\n", "a\r\nb\n", "b\r\nc\n"],
  ])("%s", (_, answer, original, document) => {
    assert.strictEqual(read(within(answer), original), document)
  })
})

describe("WriterAnswer.parse rejects", () => {
  it.each([
    ["prose", "I could not improve it.", /no line that is exactly `<document>`/],
    ["an empty answer", "", /no line that is exactly `<document>`/],
    ["a document on the line of its marker", "<document># T</document>", /no line that is exactly `<document>`/],
    ["an indented marker", "  <document>\n# T\n</document>", /no line that is exactly `<document>`/],
    ["a document that was cut off", "<document>\n# T\nand the", /no line that is exactly `<\/document>`/],
    ["a closing line before the opening one", "</document>\n<document>\n# T", /no line that is exactly `<\/document>`/],
    [
      "a closing line with text after it",
      "<document>\n# T\n</document> done",
      /no line that is exactly `<\/document>`/,
    ],
    ["an empty document", "<document>\n</document>", /is empty/],
    ["a blank document", within(" \n\t\n"), /is empty/],
    ["a binary document", within("a\0b"), /is binary/],
    ["a document with a lone surrogate", within("\ud800"), /is binary/],
    ["a document that is too long", within("x".repeat(1_000_001)), /1000001 characters/],
  ])("%s", (_, text, problem) => {
    assert.match(read(text), problem)
    assert.isTrue(read(text).startsWith("! "))
  })

  it("an answer with many markers, in linear time", () => {
    const before = process.cpuUsage()
    assert.match(read(`<document>\n${"</document> x\n".repeat(60_000)}`), /exactly `<\/document>`/)
    assert.match(read(` <document>${" ".repeat(1_000_000)}x`), /exactly `<document>`/)
    assert.match(read("<document>  x\n".repeat(60_000)), /exactly `<document>`/)
    // CPU time of this process, which other load does not change.
    assert.isBelow(process.cpuUsage(before).user, 5_000_000)
  })
})
