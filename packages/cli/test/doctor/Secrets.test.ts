/** Secrets of command lines are redacted, and nothing else is. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Advice from "../../src/doctor/Advice.ts"
import * as ReportRedaction from "../../src/doctor/ReportRedaction.ts"
import * as ReportSecrets from "../../src/doctor/ReportSecrets.ts"
import * as ServerArgument from "../../src/doctor/ServerArgument.ts"
import * as ShellWords from "../../src/doctor/ShellWords.ts"

/** How files name a variable. */
const variable = (name: string) => `\${${name}}`

const shown = (...words: ReadonlyArray<string>) => ReportSecrets.ofWords(words).shown.join(" ")

describe("secrets of command lines do not show (docs/guides/doctor.md, safe to paste)", () => {
  it.each([
    ["--env=API_KEY=hush"],
    ["--header=X-Api-Key:hush"],
    ["--pat", "hush"],
    ["-H", "Cookie: a=hush; b=hush"],
    ["-H", "X-Thing: hush, more hush"],
    ['PASSWORD="a$hush hush"'],
    ["--config", '{"token":"a$b\\"hush"}'],
    ["--password", "-xhush"],
    ["--password", "a hush;hush"],
    ["--config", '{"token":"hush;hush","b":1}'],
    ["-c", "export API_KEY=hush; run"],
    ["Server=s;Password=a$hush;Uid=u"],
    ["--db=postgres://h/db?user=me&sslpassword=hush"],
    ["postgres://u:hush@pw-hush@h/db"],
    ["--api-key", variable("KEY:-hush")],
    ["Authorization: Bearer hush"],
    ["--sessionCookie=hush"],
    ["github_pat_11ABCDEFG0123456789abcdefhush"],
    ["AIzaSyA1234567890abcdefghijklmnophush"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghush"],
    ["eyJhYiI6MSwieCI6eyJiIjoxfX0.eyJzdWIiOiIxIn0.abcdefghush"],
  ])("%s %s", (...words) => {
    const text = shown("server", ...words)
    assert.notInclude(text, "hush")
    assert.include(text, "<redacted>")
    assert.include(ReportSecrets.ofWords(["server", ...words]).secrets.join(" "), "hush")
  })

  it.each([
    [["sh", "-c", "TOKEN=1; touch /tmp/x"], "touch /tmp/x"],
    [["sh", "-c", "--token=1; touch x"], "; touch x"],
    [["sh", "-c", "TOKEN=$(touch x)"], "touch x"],
    [["sh", "-c", "x=Bearer /tmp/evil-1234567"], "x=Bearer /tmp/evil-1234567"],
    [["bash", "-c", "-auth", "touch x"], "touch x"],
    [["npx", "-y", "--auth", "evil-package"], "evil-package"],
    [["npm", "exec", "--token", "evil-package"], "evil-package"],
    [["x", "http://a?b&touch"], "x http://a?<redacted>&"],
    [["npx", "-y", "@scope/pkg@1.2", "--path", "/a"], "npx -y @scope/pkg@1.2 --path /a"],
    [["x", "--author", "me", "--auth", "--verbose"], "--author me --auth --verbose"],
    [["x", `KEY=${variable("NAME")}`, variable("env:B")], `KEY=${variable("NAME")} ${variable("env:B")}`],
  ] as const)("the command that runs is shown: %s", (words, part) => {
    assert.include(shown(...words), part)
  })

  it("a URL keeps its host and no part that could be a key", () => {
    const { secrets, shown } = ReportSecrets.ofUrl("https://u:p%40w@e.com/s/abc123def456ghi789/mcp?k=hush")
    assert.strictEqual(shown, "https://<redacted>@e.com/s/<redacted>/mcp?…")
    assert.includeMembers([...secrets], ["p%40w", "p@w", "hush", "abc123def456ghi789"])
  })

  it("a finished report keeps its own text for any environment", () => {
    const env = { A_TOKEN: "problem", B_KEY: "findings", HOME: "/home/me", C_SECRET: "handshake" }
    const report = {
      findings: [{ status: "problem", kind: "handshake", what: "in /home/me/a, ghp_abcdefghij0123456789" }],
    }
    assert.deepStrictEqual(ReportRedaction.all(report, env), {
      findings: [{ status: "problem", kind: "handshake", what: "in ~/a, <redacted>" }],
    })
  })
})

describe("a pasted fix", () => {
  it.each(["$(touch x)", "`x`", "a b", "~root", variable("A"), "{a,b}", "a;b", "it's"])("quotes %s", (word) => {
    assert.strictEqual(ShellWords.quoted(word), `'${word.replace("'", "'\\''")}'`)
  })

  it("quotes a URL of a file, and is absent for a redacted URL", () => {
    const timeout = { _tag: "ConnectionUnavailable", reason: "connect-timeout", message: "", delivery: "not-sent" }
    const fixOf = (target: string) =>
      Advice.unreached(
        { target, steps: [], lists: {}, diagnostics: {}, failure: { step: "initialize", error: timeout } } as never,
        Advice.argument("one"),
      )[1]
    assert.strictEqual(fixOf("http://h/$(touch x)"), "curl -i 'http://h/$(touch x)'")
    assert.isUndefined(fixOf("http://h/abc123def456ghi789/mcp"))
  })
})

describe("the words of --server", () => {
  const options = { bearer: undefined, env: {} }
  const url = (text: string, isWindows: boolean) =>
    Result.getOrThrow(ServerArgument.parse(text, { ...options, isWindows })).subject

  it("keep a backslash on Windows, where it belongs to a path, and not elsewhere", () => {
    assert.strictEqual(url('C:\\tools\\server.exe "a b"', true), "C:\\tools\\server.exe a b")
    assert.strictEqual(url("a\\ b c", false), "a b c")
  })
})
