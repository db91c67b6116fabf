/**
 * The columns of a text on a terminal.
 */
import { assert, describe, it } from "@effect/vitest"
import { clean } from "@zain/command/PlainText"
import { clip, width, wrap } from "@zain/command/TextWidth"

describe("a text on a terminal", () => {
  it("keeps every script, and its width", () => {
    assert.strictEqual(clean("naïve 日本語 😀 עברית"), "naïve 日本語 😀 עברית")
    assert.deepStrictEqual(["abc", "日本", "😀", "e\u0301", "ﾊ", "Ａ", ""].map(width), [3, 4, 2, 1, 1, 2, 0])
  })

  it("is cut between characters, and wrapped between words", () => {
    assert.strictEqual(clip("日本語", 5), "日本…")
    assert.strictEqual(clip("日本語", 6), "日本語")
    assert.strictEqual(clip("abc", 0), "")
    assert.deepStrictEqual(wrap("one two three four", 9, 3), ["one two", "three", "four"])
    assert.deepStrictEqual(wrap("one two three four", 9, 2), ["one two", "three fo…"])
    assert.deepStrictEqual(wrap("abcdefghij", 4, 3), ["abcd", "efgh", "ij"])
    assert.deepStrictEqual(wrap("", 4, 3), [])
  })
})
