import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { Framing } from "../../src/domain/EditorProfile.ts"
import * as ContentLength from "../../src/infrastructure/link/ContentLength.ts"
import * as LengthPrefix from "../../src/infrastructure/link/LengthPrefix.ts"

const limit = 1024 * 1024

/** What a decoder finds in bytes that arrive in these pieces. */
const decode = (framing: Framing, pieces: ReadonlyArray<Buffer>, max = limit) => {
  const found: Array<readonly [kind: string, ...what: ReadonlyArray<unknown>]> = []
  const push = framing.decoder(max, {
    begun: () => {},
    frame: (text) => found.push(["frame", text]),
    noise: (sample) => found.push(["noise", sample]),
    oversize: (beginning, bytes) => found.push(["oversize", beginning.length, bytes]),
    nonsense: () => found.push(["nonsense"]),
  })
  for (const piece of pieces) push(piece)
  return found
}
const bytesOf = (bytes: Buffer) => [...bytes].map((byte) => Buffer.from([byte]))

/** Literal bytes of each framing: a text of 32 bytes with an emoji. */
const text = '{"method":"ping","a":"😀 あ"}'
const literals = [
  {
    name: "contentLength",
    framing: ContentLength.framing,
    bytes: Buffer.from('Content-Length: 32\r\n\r\n{"method":"ping","a":"😀 あ"}'),
  },
  {
    name: "lengthPrefix",
    framing: LengthPrefix.framing,
    bytes: Buffer.concat([Buffer.from([0, 0, 0, 32]), Buffer.from('{"method":"ping","a":"😀 あ"}')]),
  },
]

describe.each(literals)("the framing $name", ({ bytes, framing }) => {
  it("encodes a text as these bytes (editors 000.7, 004.10)", () => {
    assert.deepStrictEqual(framing.encode(text), bytes)
  })

  it("decodes a frame that arrives one byte at a time (editors 000.7, 004.10)", () => {
    assert.deepStrictEqual(decode(framing, bytesOf(bytes)), [["frame", text]])
  })

  it("decodes three frames that arrive in one piece (editors 000.7, 004.10)", () => {
    const frames = decode(framing, [Buffer.concat([bytes, bytes, bytes])])
    assert.deepStrictEqual(frames, [
      ["frame", text],
      ["frame", text],
      ["frame", text],
    ])
  })

  it("decodes the same frames however their bytes are cut", () => {
    const cases = fc.tuple(
      fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 80 }), { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(), { maxLength: 12 }),
    )
    fc.assert(
      fc.property(cases, ([texts, places]) => {
        const whole = Buffer.concat(texts.map((one) => framing.encode(one)))
        const cuts = [0, ...places.map((place) => place % (whole.length + 1)).sort((a, b) => a - b), whole.length]
        const pieces = cuts.slice(1).map((end, at) => whole.subarray(cuts[at], end))
        assert.deepStrictEqual(
          decode(framing, pieces),
          texts.map((one) => ["frame", one]),
        )
      }),
    )
  })

  it("skips a frame over the limit, keeps how it begins, and decodes the next one (editors 000.8, 004.12)", () => {
    const large = framing.encode("x".repeat(10_000))
    const found = decode(framing, [large.subarray(0, 7), large.subarray(7), bytes], 5_000)
    assert.deepStrictEqual(found, [
      ["oversize", 4_096, 10_000],
      ["frame", text],
    ])
  })
})

const word = (...bytes: ReadonlyArray<number>) => Buffer.from(bytes)

describe("the framing contentLength", () => {
  it.each([
    ["header names in any case", "content-LENGTH: 4\r\n\r\nnull"],
    ["other headers", "Content-Type: application/json\r\nContent-Length: 4\r\nX-Y: z\r\n\r\nnull"],
    ["lines that end without a carriage return", "Content-Length: 4\n\nnull"],
  ])("takes %s", (_, given) => {
    assert.deepStrictEqual(decode(ContentLength.framing, [Buffer.from(given)]), [["frame", "null"]])
  })

  it.each([
    ["a negative length", "Content-Length: -1\r\n"],
    ["a length of 0", "Content-Length: 0\r\n"],
    ["a length over 1 GiB", "Content-Length: 1073741825\r\n"],
    ["a length that is no number", "Content-Length: abc\r\n"],
    ["a length in another base", "Content-Length: 0x10\r\n"],
    ["a length after text on its line", "a log line Content-Length: -1\r\n"],
    ["a line that is no header behind the length", "Content-Length: 4\r\nno header\r\n"],
    ["more than 8 KiB in a header", `A: ${"x".repeat(9_000)}`],
    ["more than 8 KiB of lines without a length", "a line of a log\n".repeat(513)],
  ])("gives up at %s, at once (editors 000.9)", (_, given) => {
    const bytes = Buffer.from(given)
    for (const pieces of [[bytes], bytesOf(bytes)]) {
      const found = decode(ContentLength.framing, pieces).filter(([kind]) => kind !== "noise")
      assert.deepStrictEqual(found, [["nonsense"]])
    }
  })

  it.each([
    ["a line of a log", "a line of a log\n"],
    ["8 KiB of lines", "a line of a log\n".repeat(512)],
    ["text without a line end", "[Unity] ready"],
    ["an empty line", "\r\n"],
    ["headers without a length", "Content-Type: text/plain\r\n\r\n"],
    ["JSON without a header", '{"jsonrpc":"2.0"}\n'],
    ["bytes of the other framing", "\u0000\u0000\u0000\u0004null"],
  ])("skips %s before a frame, and between frames (editors 000.9)", (_, noise) => {
    const bytes = Buffer.from(`${noise}Content-Length: 4\r\n\r\nnull${noise}Content-Length: 5\r\n\r\nfalse`)
    for (const pieces of [[bytes], bytesOf(bytes)]) {
      const frames = decode(ContentLength.framing, pieces).filter(([kind]) => kind !== "noise")
      assert.deepStrictEqual(frames, [
        ["frame", "null"],
        ["frame", "false"],
      ])
    }
  })

  it("reports text between frames, and no header", () => {
    const bytes = Buffer.from(
      "Content-Type: a\r\nContent-Length: 4\r\n\r\nnulla line of a log\nContent-Length: 4\r\n\r\nnull",
    )
    assert.deepStrictEqual(decode(ContentLength.framing, [bytes]), [
      ["frame", "null"],
      ["noise", '"a line of a log"'],
      ["frame", "null"],
    ])
  })

  it.each([
    ["this is garbage", 'no header: "this is garbage"'],
    ["Error: no header\r\n", 'no header: "Error: no header"'],
    ["a line\nanother\n", 'no header: "a line"'],
    [`${"x".repeat(65)}\n`, `no header: "${"x".repeat(64)}"`],
    ["\r\n", 'no header: ""'],
    ["content-LEN", undefined],
    ["Content-Length: 4\r\n", undefined],
    ["a line\nContent-Length: 4\r\n", undefined],
    ["a line\nContent-Length: 4\r\n\r\nnu", undefined],
    ["Content-Length: 4\r\n\r\nnull", undefined],
    ["Content-Length: 4\r\n\r\nnulloops", 'no header: "oops"'],
  ])("names what %j has that no frame follows yet", (given, stray) => {
    const nothing = () => {}
    const listener = { begun: nothing, frame: nothing, noise: nothing, oversize: nothing, nonsense: nothing }
    const whole = ContentLength.framing.decoder(limit, listener)
    assert.strictEqual(whole(Buffer.from(given)), stray)
    const push = ContentLength.framing.decoder(limit, listener)
    assert.strictEqual(bytesOf(Buffer.from(given)).map(push).at(-1), stray)
  })
})

describe("the framing lengthPrefix", () => {
  it.each([
    ["a negative length", word(0xff, 0xff, 0xff, 0xff)],
    ["a length of 0", word(0, 0, 0, 0)],
    ["a length of 2^31 - 1", word(0x7f, 0xff, 0xff, 0xff)],
    ["a length over 1 GiB", word(0x40, 0, 0, 1)],
    ["text of HTTP", Buffer.from("HTTP/1.1 400 Bad Request\r\n")],
    ["text that begins with a low letter of ASCII", Buffer.from("<html>")],
    ["text in brackets that no editor writes", Buffer.from("[other] x\n")],
  ])("gives up at %s, at once (editors 004.11)", (_, given) => {
    assert.deepStrictEqual(decode(LengthPrefix.framing, [given]), [["nonsense"]])
    assert.deepStrictEqual(decode(LengthPrefix.framing, bytesOf(given)), [["nonsense"]])
  })

  it("skips stray lines between frames, and takes them for none (editors 004.10)", () => {
    const frame = Buffer.concat([word(0, 0, 0, 4), Buffer.from("null")])
    const lines = ["[unity-mcp-server] ready\n", '[Unity MCP Server] {"id":"1"}\r\n', "[Unity] x\n"]
    const bytes = Buffer.concat([Buffer.from(lines[0] ?? ""), frame, Buffer.from(lines.slice(1).join("")), frame])
    for (const pieces of [[bytes], bytesOf(bytes)]) {
      const kinds = decode(LengthPrefix.framing, pieces).map(([kind]) => kind)
      assert.deepStrictEqual(kinds, ["noise", "frame", "noise", "noise", "frame"])
    }
  })

  it("counts no frame as stray text that arrives in one piece with a line before it", () => {
    const large = "x".repeat(10_000)
    const bytes = Buffer.concat([Buffer.from("[Unity] x\n"), LengthPrefix.framing.encode(large)])
    assert.deepStrictEqual(decode(LengthPrefix.framing, [bytes]), [
      ["noise", "[Unity] x"],
      ["frame", large],
    ])
  })

  it("gives up at more than 8 KiB of stray text", () => {
    const bytes = Buffer.from(`[Unity] ${"x".repeat(9_000)}`)
    assert.deepStrictEqual(decode(LengthPrefix.framing, [bytes]), [["nonsense"]])
  })
})
