import { assert, describe, it } from "@effect/vitest"
import { McpConnectionConfig, StdioUrl } from "@zain/core"
import * as Result from "effect/Result"
import fc from "fast-check"

/** An argument of a process: any text without NUL. */
const text = fc.string({ unit: "binary" }).map((any) => any.replaceAll("\0", ""))
const command = fc.record(
  { command: text.filter((any) => any.length > 0), args: fc.array(text), cwd: text },
  { requiredKeys: ["command", "args"] },
)
const odd = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("%", "&", "=", "?", "/", ":", "\0", "é", "\ud800", "0", "F", "arg", "cwd") }),
)

describe("StdioUrl (docs/concepts/sessions.md#connections)", () => {
  it("parses what it formats to the same command, arguments and directory", () => {
    fc.assert(
      fc.property(command, (given) => {
        assert.deepStrictEqual(StdioUrl.parse(StdioUrl.format(given)), given)
      }),
      { numRuns: 100 },
    )
  })

  it("is a URL for every command that McpConnectionConfig.stdio() accepts", () => {
    fc.assert(
      fc.property(command, (given) => {
        const config = McpConnectionConfig.stdio(given)
        assert.isTrue(Result.isSuccess(McpConnectionConfig.parse(config)))
        assert.isTrue(URL.canParse(config.serverUrl))
        assert.match(config.serverUrl, /^[\x20-\x7e]+$/)
      }),
    )
  })

  it("never throws in parse, for any text with or without the scheme", () => {
    fc.assert(
      fc.property(odd, fc.boolean(), (rest, behind) => {
        const url = behind ? `stdio:${rest}` : rest
        const read = StdioUrl.parse(url)
        assert.strictEqual(StdioUrl.isStdioUrl(url), read !== undefined)
        if (read !== undefined) assert.isAbove(StdioUrl.format(read).length, "stdio:".length)
      }),
      { numRuns: 200 },
    )
  })

  it("replaces lone surrogates, as a process would receive them, and does not throw (seed 1.4)", () => {
    const url = StdioUrl.format({ command: "a\ud800", args: ["\udc00b"], cwd: "/\ud800" })
    assert.deepStrictEqual(StdioUrl.parse(url), { command: "a\ufffd", args: ["\ufffdb"], cwd: "/\ufffd" })
  })

  it.each([
    [{ command: "codex", args: ["mcp-server"] }, "stdio:codex?arg=mcp-server"],
    [{ command: "/usr/bin/claude", args: [], cwd: "/srv/a b" }, "stdio:/usr/bin/claude?cwd=/srv/a%20b"],
    [{ command: "//host/share", args: ["--x=1&2", ""] }, "stdio:%2F/host/share?arg=--x%3D1%262&arg="],
  ])("formats %o readably", (given, url) => {
    assert.strictEqual(StdioUrl.format(given), url)
    assert.deepStrictEqual(StdioUrl.parse(url), given)
  })

  it.each([
    "",
    "codex",
    "stdio:",
    "stdio:?arg=a",
    "http://codex",
    "STDIO:codex",
    "stdio:codex?env=KEY",
    "stdio:codex?arg=%",
    "stdio:%00",
    "stdio:codex?arg=%00",
    "stdio:codex?cwd=%00",
  ])("rejects %j", (url) => {
    assert.isUndefined(StdioUrl.parse(url))
  })
})
