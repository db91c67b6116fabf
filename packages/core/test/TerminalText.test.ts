import { assert, describe, it } from "@effect/vitest"
import { TerminalText } from "@zain/core"
import fc from "fast-check"

const { visible, visibleLine } = TerminalText

describe("TerminalText", () => {
  it.each([
    ["control characters", "\u001b[2K\u009b8m\r\b\t\u007f\0", "\\u{1b}[2K\\u{9b}8m\\u{d}\\u{8}\\u{9}\\u{7f}\\u{0}"],
    ["marks of the direction of text", "a\u202eb\u2066c\u061c", "a\\u{202e}b\\u{2066}c\\u{61c}"],
    ["characters without width", "a\u200bb\u00adc\u3164\ufe0f", "a\\u{200b}b\\u{ad}c\\u{3164}\\u{fe0f}"],
    ["characters that look like a plain space", "a\u00a0b\u3000c\u2800", "a\\u{a0}b\\u{3000}c\\u{2800}"],
    ["line and paragraph separators", "a\u2028b\u2029", "a\\u{2028}b\\u{2029}"],
    ["tags beyond the basic plane", "a\u{e0041}", "a\\u{e0041}"],
    ["private, unassigned and unpaired code points", "\ue000\u0378\ud800", "\\u{e000}\\u{378}\\u{d800}"],
  ])("`visible` escapes %s", (_, text, expected) => {
    assert.strictEqual(visible(text), expected)
  })

  it("`visible` keeps letters of any script, emoji, plain spaces and line feeds", () => {
    const text = "Grüße, 世界 مرحبا 🙂\n  rm -rf ~ # \\u{1b}\n"
    assert.strictEqual(visible(text), text)
  })

  it("`visibleLine` escapes line feeds too", () => {
    assert.strictEqual(visibleLine("mkdir a\nrule: Approve\u001b"), "mkdir a\\u{a}rule: Approve\\u{1b}")
  })

  it("`visible` and `visibleLine` return no control character of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        assert.notMatch(visible(text), /[^\P{C}\n]/u)
        assert.notMatch(visibleLine(text), /\p{C}/u)
        assert.strictEqual(visible(visible(text)), visible(text))
      }),
    )
  })
})
