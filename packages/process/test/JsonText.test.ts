import { assert, describe, it } from "@effect/vitest"
import * as JsonText from "../src/JsonText.ts"

const [high, low] = ["\uD83D", "\uDC1B"]

describe("JsonText.write (promise 36)", () => {
  it.each([
    ["half a pair at the end", `bug ${high}`, "bug \uFFFD"],
    ["the other half", `${low} bug`, "\uFFFD bug"],
    ["two halves in the wrong order", low + high, "\uFFFD\uFFFD"],
    ["a half before a whole pair", `${high}🐛${low}`, "\uFFFD🐛\uFFFD"],
    ["a half after a backslash", `\\${high}`, "\\\uFFFD"],
    ["text that looks like an escape", "C:\\ud83d \\\\ud83d", "C:\\ud83d \\\\ud83d"],
    ["a whole pair, and other escapes", '🐛 "\n\u0000\ud7ff\ue000', '🐛 "\n\u0000\ud7ff\ue000'],
  ])("replaces half a surrogate pair by U+FFFD in %s", (_, given, written) => {
    const text = JsonText.write({ deep: [{ [given]: given }] })
    assert.isTrue(text.isWellFormed())
    assert.deepStrictEqual(JSON.parse(text), { deep: [{ [written]: written }] })
  })

  it("escapes U+2028 and U+2029, which some readers take for line breaks", () => {
    assert.strictEqual(JsonText.write({ text: "one\u2028two\u2029" }), '{"text":"one\\u2028two\\u2029"}')
  })
})

describe("JsonText.read", () => {
  it.each([
    ["\uFEFF7", 7],
    ['"\\uD83D\\uDC1b \\ud83d\\udc1b"', "🐛 🐛"],
    ['"\\uD83D \\uDC1B\\u0041 \\\\uD83D"', "\uFFFD \uFFFDA \\uD83D"],
    ['"\\uD83D\\uD83D\\uDC1B"', "\uFFFD🐛"],
  ])("skips a byte order mark, and replaces only halves of pairs: %s", (text, value) => {
    assert.strictEqual(JsonText.read(text), value)
  })

  it.each(['"\\ud8"', '"\\udzzzz"', "\uFEFF\uFEFF7", ""])("throws a SyntaxError for %j", (text) => {
    assert.throws(() => JsonText.read(text), SyntaxError)
  })
})
