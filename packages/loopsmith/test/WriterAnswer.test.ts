/** Reading the document in what a writer answers. */
import { assert, describe, it } from "@effect/vitest"
import { WriterAnswer } from "@zain/loopsmith"
import * as Result from "effect/Result"
import fc from "fast-check"

const read = (text: string, original = "") =>
  Result.getOrElse(WriterAnswer.parse(text, original), (problem) => `! ${problem}`)
const within = (document: string) => `<document>\n${document}\n</document>`

describe("the document in an answer", () => {
  it.each([
    ["alone", within("# T\n\ntext"), "# T\n\ntext"],
    ["after an introduction, before a remark", `Here it is:\n\n${within("# T")}\n\nI changed the title.`, "# T"],
    ["in a code fence", `\`\`\`markdown\n${within("# T")}\n\`\`\``, "# T"],
    ["with blanks after the enclosing lines", "<document>  \n# T\n</document>\t\n", "# T"],
    ["with the line breaks of Windows around it", "<document>\r\n# T\r\n</document>\r\n", "# T"],
    [
      "that names them in its text",
      within("Write `<document>` and </document> there."),
      "Write `<document>` and </document> there.",
    ],
    ["whose blank lines are its own", within("\n\n# T\n"), "\n\n# T\n"],
    [
      "with everything that a replacement could take for a pattern",
      within("$& $' $$ {{score}} 日本語 😀"),
      "$& $' $$ {{score}} 日本語 😀",
    ],
  ])("%s", (_, text, document) => {
    assert.strictEqual(read(text), document)
  })

  it("is the same, character for character, for any document and any prose around it", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", " ", "\n", "\r", "<document>", "</document>", "$&", "é", "😀"),
    })
    const prose = text.map((said) => said.replaceAll("document>", "doc>"))
    const documents = text.filter((document) => document.trim() !== "" && document === document.replaceAll("\r", ""))
    fc.assert(
      fc.property(prose, documents, prose, (before, document, after) => {
        assert.strictEqual(read(`${before}\n${within(document)}\n${after}`, document), document)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe("lines that enclose a document, within one", () => {
  const two = `${within("# One")}\n\nOr, shorter:\n\n${within("# Two")}`

  it.each([
    ["one in another", within(within("inner")), within("inner")],
    ["a closing line", within("a\n</document>\nb"), "a\n</document>\nb\n"],
    ["an opening line, with blanks after it", within("<document> \t\nb"), "<document> \t\nb\n"],
  ])("belong to it: %s", (_, text, document) => {
    assert.strictEqual(read(text, "first\n"), document.endsWith("\n") ? document : `${document}\n`)
  })

  it("are two documents where one ends before another begins: a bad answer", () => {
    assert.match(read(two, "The word <document>, and\n </document>\n"), /^! .*two documents/)
    assert.match(read(two, within("inner")), /^! .*two documents/)
  })

  it("belong to it in that order too when the original has them so", () => {
    const inner = `${within("a")}\n${within("b")}`
    assert.strictEqual(read(within(inner), `${within("c")}\n${within("d")}`), inner)
  })
})

describe("a document keeps the form of the original", () => {
  it.each([
    ["a last line break that got lost comes back", "b", "a\n", "b\n"],
    ["one that is there is not doubled", "b\n", "a\n", "b\n"],
    ["none is added where there was none", "b", "a", "b"],
    ["line breaks of Windows come back", "b\nc", "a\r\nb\r\n", "b\r\nc\r\n"],
    ["and are not doubled", "b\r\nc\r\n", "a\r\n", "b\r\nc\r\n"],
    ["those of Unix too", "b\r\nc", "a\nb\n", "b\nc\n"],
    ["a lost last line break is that of the original where it mixes them", "b\r\nc", "a\r\nb\n", "b\r\nc\n"],
    ["mixed ones are left as they are", "b\r\nc\n", "a\r\nb\n", "b\r\nc\n"],
  ])("%s", (_, answer, original, document) => {
    assert.strictEqual(read(within(answer), original), document)
  })
})

describe("what is never taken for a document", () => {
  it.each([
    ["prose", "I could not improve it.", /no line that is exactly `<document>`/],
    ["nothing", "", /no line that is exactly `<document>`/],
    ["a document on the line of its marker", "<document># T</document>", /no line that is exactly `<document>`/],
    ["an indented marker", "  <document>\n# T\n</document>", /no line that is exactly `<document>`/],
    ["a document that was cut off", "<document>\n# T\nand the", /no line that is exactly `<\/document>`/],
    ["a closing line before the opening one", "</document>\n<document>\n# T", /no line that is exactly `<\/document>`/],
    ["a closing line with more on it", "<document>\n# T\n</document> done", /no line that is exactly `<\/document>`/],
    ["an empty one", "<document>\n</document>", /is empty/],
    ["a blank one", within(" \n\t\n"), /is empty/],
    ["a binary one", within("a\0b"), /is binary/],
    ["one with half a character", within("\ud800"), /is binary/],
    ["one that is too long", within("x".repeat(1_000_001)), /1000001 characters/],
  ])("%s", (_, text, problem) => {
    assert.match(read(text), problem)
    assert.isTrue(read(text).startsWith("! "))
  })

  it("is found to be none without much work, however many markers there are", () => {
    const before = process.cpuUsage()
    assert.match(read(`<document>\n${"</document> x\n".repeat(300_000)}`), /exactly `<\/document>`/)
    assert.match(read(` <document>${" ".repeat(4_000_000)}x`), /exactly `<document>`/)
    assert.match(read("<document>  x\n".repeat(300_000)), /exactly `<document>`/)
    // Not by the clock: what else the machine does is none of it.
    assert.isBelow(process.cpuUsage(before).user, 20_000_000)
  })
})
