import { assert, describe, it } from "@effect/vitest"
import * as ClientRules from "@zain/tool-server/ClientRules"
import { Result } from "effect"

const parsed = (text: string) => Result.getOrThrow(ClientRules.parse("--client-rule", text))
const refused = (text: string) => {
  const read = ClientRules.parse("--client-rule", text)
  return Result.isFailure(read) ? read.failure : assert.fail(`${text} was read`)
}

describe("the traits of a client", () => {
  it.each([
    ["claude-code", "2.1.329", true, undefined],
    ["claude-code", "2.1.328", false, undefined],
    ["claude-code", undefined, false, undefined],
    ["claude-code", "2.1.329-beta.1", false, undefined],
    ["claude-code", "2.1.1000 (Claude Code)", true, undefined],
    ["claude-code", "v3", true, undefined],
    ["claude-ai", "9.9.9", false, undefined],
    ["gemini-cli-mcp-client", "1.0.0", false, undefined],
    ["windsurf-client", "1.0.0", false, 100],
    ["Codeium", "1", false, undefined],
    ["codex-mcp-client", "0.169.0", false, undefined],
    ["cursor-vscode", "1.0.0", true, 40],
    ["Visual Studio Code", "1.120.0", true, 128],
    ["antigravity-client", "v1.0.0", true, 100],
    ["any other client", "1.0.0", true, undefined],
    ["", undefined, true, undefined],
  ])("named %s, version %s, are: asks again %s, at most %s tools", (name, version, asksAgain, maxTools) => {
    const clientInfo = { name, ...(version === undefined ? {} : { version }) }
    assert.deepInclude(ClientRules.traitsOf(clientInfo), { asksAgain, maxTools })
  })

  it.each([
    ["claude-code", "2.1.328", true],
    ["claude-code", "2.1.329", false],
    ["claude-ai", "1.0.0", false],
    ["codex-mcp-client", "0.171.0", true],
    ["any other client", "1.0.0", false],
  ])("named %s, version %s, are: shows structuredContent in place of pictures %s", (name, version, drops) => {
    assert.strictEqual(ClientRules.traitsOf({ name, version }).dropsPictures, drops)
  })

  it("come from the first given rule that matches, before the table", () => {
    const given = [parsed("cursor@<2=max-tools=10"), parsed("cursor=no-refetch"), parsed("cursor=max-tools=99")]
    const of = (version: string) => ClientRules.traitsOf({ name: "Cursor", version }, given)
    assert.deepInclude(of("1.9"), { asksAgain: true, maxTools: 10 })
    assert.deepInclude(of("2.0"), { asksAgain: false, maxTools: 40 })
    assert.deepInclude(ClientRules.traitsOf({ name: "codex" }, given), { asksAgain: false, maxTools: undefined })
  })

  it.each([
    ["1.2", true],
    ["1.10", true],
    ["1.2.0.0", true],
    ["1.2.x", true],
    ["1.2+build.7", true],
    ["1.3-rc.1", true],
    ["2.0-rc.1", true],
    ["1.1.99", false],
    ["1.2-rc.1", false],
    ["2", false],
    ["2.0.0+build", false],
    ["latest", false],
    ["", false],
    [`1.${"0".repeat(1_000_000)}`, false],
    [`1.${"9".repeat(1_000_000)}`, true],
    ["1".repeat(1_000_000), false],
  ])("are those of a rule for >=1.2<2 for version %.20s: %s", (version, isFor) => {
    const given = [parsed("tool@>=1.2<2=max-tools=7")]
    assert.strictEqual(ClientRules.traitsOf({ name: "tool", version }, given).maxTools, isFor ? 7 : undefined)
  })
})

describe("--client-rule", () => {
  it.each([
    ["name@>=1.2=refetches,max-tools=100", { name: "name", versions: { from: "1.2" }, asksAgain: true, maxTools: 100 }],
    ["name=max-tools=40", { name: "name", asksAgain: true, maxTools: 40 }],
    ["name=no-refetch", { name: "name", asksAgain: false }],
    ["name@<2=no-refetch", { name: "name", versions: { below: "2" }, asksAgain: false }],
    ["name@>=1<2.5=refetches", { name: "name", versions: { from: "1", below: "2.5" }, asksAgain: true }],
    ["Visual Studio Code = refetches , max-tools=9", { name: "visual studio code", asksAgain: true, maxTools: 9 }],
    ["@scope/agent=no-refetch", { name: "@scope/agent", asksAgain: false }],
    // Omitted traits are those of the table.
    ["codex=max-tools=40", { name: "codex", asksAgain: false, maxTools: 40, dropsPictures: true }],
    ["windsurf=refetches", { name: "windsurf", asksAgain: true, maxTools: 100 }],
    [
      "claude-code@>=2.1.400=max-tools=9",
      { name: "claude-code", versions: { from: "2.1.400" }, asksAgain: true, maxTools: 9 },
    ],
  ])("reads %s", (text, rule) => {
    assert.deepStrictEqual(parsed(text), rule)
  })

  it.each([
    ["", '"" is not NAME=TRAITS'],
    ["cursor", '"cursor" is not NAME=TRAITS'],
    ["=refetches", '"=refetches" is not NAME=TRAITS'],
    ["cursor=", '"cursor=" is not NAME=TRAITS'],
    [" =refetches", '" =refetches" is not NAME=TRAITS'],
    ["cursor=fast", 'the trait "fast" is not refetches, no-refetch or max-tools=NUMBER'],
    ["cursor=refetches,", 'the trait "" is not'],
    ["cursor=max-tools=0", 'the trait "max-tools=0" is not'],
    ["cursor=max-tools=many", 'the trait "max-tools=many" is not'],
    ["cursor=refetches,no-refetch", 'the trait "no-refetch" repeats or contradicts another'],
    ["cursor=max-tools=1,max-tools=2", 'the trait "max-tools=2" repeats or contradicts another'],
    ["cursor@=refetches", '"" is not a range of versions'],
    ["cursor@1.2=refetches", '"1.2" is not a range of versions, which is >=1.2, <2 or >=1.2<2'],
    ["cursor@<=2=refetches", '"<=2" is not a range of versions'],
    ["cursor@>1=refetches", '">1" is not a range of versions'],
    ["cursor@>=new=refetches", '">=new" is not a range of versions'],
    ["cursor@>=2<2.0=refetches", 'no version is in the range ">=2<2.0"'],
    [`${"x".repeat(300)}=refetches`, "is longer than 256 characters"],
  ])("rejects %.40s with one sentence and an example", (text, what) => {
    const said = refused(text)
    assert.include(said, what)
    assert.match(said, /^--client-rule: .*; expected a rule such as 'cursor@>=1\.2=refetches,max-tools=100'\.$/)
    assert.isBelow(said.length, 300)
  })
})
