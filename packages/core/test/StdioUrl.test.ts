import { assert, describe, it } from "@effect/vitest"
import { McpConnectionConfig, StdioUrl } from "@zain/core"
import * as Result from "effect/Result"
import fc from "fast-check"

/** What a process can be given: any text without NUL. */
const text = fc.string({ unit: "binary" }).map((any) => any.replaceAll("\0", ""))
const command = fc.record(
  { command: text.filter((any) => any.length > 0), args: fc.array(text), cwd: text },
  { requiredKeys: ["command", "args"] },
)
const odd = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("%", "&", "=", "?", "/", ":", "\0", "é", "\ud800", "0", "F", "arg", "cwd") }),
)

describe("a command as a URL (design §4, McpConnectionConfig)", () => {
  it("format and parse undo each other, for any command, arguments and directory", () => {
    fc.assert(
      fc.property(command, (given) => {
        assert.deepStrictEqual(StdioUrl.parse(StdioUrl.format(given)), given)
      }),
      { numRuns: 500 },
    )
  })

  it("what stdio() builds from any command is a configuration, and a URL for everybody else", () => {
    fc.assert(
      fc.property(command, (given) => {
        const config = McpConnectionConfig.stdio(given)
        assert.isTrue(Result.isSuccess(McpConnectionConfig.parse(config)))
        assert.isTrue(URL.canParse(config.serverUrl))
        assert.match(config.serverUrl, /^[\x20-\x7e]+$/)
      }),
    )
  })

  it("parse never throws, on any text, behind the scheme or not", () => {
    fc.assert(
      fc.property(odd, fc.boolean(), (rest, behind) => {
        const url = behind ? `stdio:${rest}` : rest
        const read = StdioUrl.parse(url)
        assert.strictEqual(StdioUrl.isStdioUrl(url), read !== undefined)
        if (read !== undefined) assert.isAbove(StdioUrl.format(read).length, "stdio:".length)
      }),
      { numRuns: 1_000 },
    )
  })

  it("a text that is no Unicode becomes what a process would receive, and nothing throws (seed 1.4)", () => {
    const url = StdioUrl.format({ command: "a\ud800", args: ["\udc00b"], cwd: "/\ud800" })
    assert.deepStrictEqual(StdioUrl.parse(url), { command: "a\ufffd", args: ["\ufffdb"], cwd: "/\ufffd" })
  })

  it.each([
    [{ command: "codex", args: ["mcp-server"] }, "stdio:codex?arg=mcp-server"],
    [{ command: "/usr/bin/claude", args: [], cwd: "/srv/a b" }, "stdio:/usr/bin/claude?cwd=/srv/a%20b"],
    [{ command: "//host/share", args: ["--x=1&2", ""] }, "stdio:%2F/host/share?arg=--x%3D1%262&arg="],
  ])("%o stays readable", (given, url) => {
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
  ])("%j is no stdio URL", (url) => {
    assert.isUndefined(StdioUrl.parse(url))
  })
})
