import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as LineFramer from "../src/LineFramer.ts"

const frame = (chunks: ReadonlyArray<Buffer>, limit = 1_000_000) => {
  const heard: Array<string> = []
  const push = LineFramer.make(limit, { line: (line) => heard.push(line), oversize: () => heard.push("OVERSIZE") })
  for (const chunk of chunks) push(chunk)
  return heard
}

/** Cuts a text into pieces at any bytes, also within a character. */
const cut = (text: string, places: ReadonlyArray<number>) => {
  const bytes = Buffer.from(text)
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end))
}

describe("LineFramer", () => {
  it("emits the same lines wherever the bytes are cut", () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", ""))
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), (lines, places) => {
        assert.deepStrictEqual(frame(cut(lines.map((text) => `${text}\n`).join(""), places)), lines)
      }),
    )
  })

  it("calls `garbled` for a line that is not UTF-8, wherever the bytes are cut, and continues", () => {
    const bytes = Buffer.concat([Buffer.from("é✓😀\n"), Buffer.from([0x61, 0xe2, 0x9c, 0x0a]), Buffer.from("語\n")])
    for (let at = 0; at <= bytes.length; at++) {
      const heard: Array<string> = []
      const line = (text: string) => void heard.push(text)
      const push = LineFramer.make(99, { line, oversize: () => line("OVERSIZE"), garbled: () => line("GARBLED") })
      for (const piece of [bytes.subarray(0, at), bytes.subarray(at)]) push(piece)
      assert.deepStrictEqual(heard, ["é✓😀", "GARBLED", "語"])
    }
    assert.deepStrictEqual(frame([bytes]), ["é✓😀", "a\uFFFD", "語"])
  })

  it("calls `oversize` once for a line longer than the limit, discards it, and continues", () => {
    const long = Array.from({ length: 40 }, () => Buffer.from("xxxxxxxxxx"))
    assert.deepStrictEqual(frame([Buffer.from("a\n"), ...long, Buffer.from("x\nb\n")], 100), ["a", "OVERSIZE", "b"])
    assert.deepStrictEqual(frame([Buffer.from(`${"y".repeat(101)}\nb\n`)], 100), ["OVERSIZE", "b"])
    assert.deepStrictEqual(frame([Buffer.from(`${"y".repeat(100)}\n`)], 100), ["y".repeat(100)])
  })
})
