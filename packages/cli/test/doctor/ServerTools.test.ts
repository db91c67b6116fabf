/** `zain doctor --server` and `zain mcp check`: tools that clients reject, announced changes, and framing. */
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import * as FakeAgents from "../../testing/doctor/FakeAgents.ts"
import { tool } from "../../testing/doctor/FakeAgents.ts"
import * as Zain from "../../testing/doctor/Zain.ts"
import { type Home, inHome, untilEmpty } from "../../testing/run/Home.ts"

const probe = (home: Home, settings: object) => Zain.doctor(home, ["--server", FakeAgents.serverLine(settings)])
const serving = (home: Home, tools: ReadonlyArray<object>, more: object = {}) =>
  probe(home, { capabilities: { tools: {} }, lists: { "tools/list": { tools } }, ...more })
const some = (count: number) => Array.from({ length: count }, (_, at) => tool(`tool-${at}`))

describe("a server that answers in Content-Length frames (editors 004.20)", () => {
  const framed = fileURLToPath(new URL("../../../sdk-client/testing/fixtures/framed.mjs", import.meta.url))

  inHome("is a problem with cause and fix, before the timeout", function* (home) {
    const server = `'${process.execPath}' '${framed}'`
    const { code, report } = yield* Zain.doctor(home, ["--server", server, "--timeout", "4 minutes"])
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(
      report.findings.filter(({ status }) => status !== "ok").map(({ kind }) => kind),
      ["wrong-framing"],
    )
    const { cause, fix, what } = Zain.only(report.findings, "wrong-framing")
    assert.include(what, "is not an MCP server: it sends `Content-Length` headers")
    assert.include(cause, "MCP over stdio has one JSON message a line")
    assert.include(fix, "StdioServerTransport")
    assert.match(report.servers[0]?.foreign ?? "", /^Content-Length: \d+$/)
    yield* untilEmpty(home)
  })
})

describe("the number of tools", () => {
  inHome("over a limit is a warning that names the clients with a lower limit", function* (home) {
    const { code, report } = yield* serving(home, some(107))
    assert.strictEqual(code, 0)
    const { status, what } = Zain.only(report.findings, "tools-many")
    assert.strictEqual(status, "warning")
    assert.strictEqual(what, "It has 107 tools, more than Windsurf (100), Cursor (40) and Antigravity (100) accept.")
  })

  inHome("at the lowest limit is no finding", function* (home) {
    const { report } = yield* serving(home, some(40))
    assert.deepStrictEqual(Zain.inShort(report.findings), [])
  })
})

describe("names and schemas of tools", () => {
  inHome("that are invalid are reported with tool, path and fix", function* (home) {
    const size = { name: "resize", inputSchema: { type: "object", properties: { size: { type: "strng" } } } }
    const { code, report } = yield* serving(home, [{ name: "ping" }, size, tool("two words"), tool("two words\u001b")])
    assert.strictEqual(code, 1)
    const schema = Zain.only(report.findings, "tool-schema")
    assert.strictEqual(schema.status, "problem")
    assert.include(schema.what, "ping: inputSchema is missing; ")
    assert.include(schema.what, "resize: inputSchema/properties/size/type is not one of JSON Schema's types")
    assert.include(schema.fix, '{ "type": "object" }')
    const name = Zain.only(report.findings, "tool-name")
    assert.strictEqual(name.status, "warning")
    assert.include(name.what, "two words: name has characters other than")
    assert.include(name.what, "two words\\u{1b}: name")
  })

  inHome(
    "with dots are a warning that has the pattern, who rejects them, and the first of them (editors 003.31)",
    function* (home) {
      const { code, report } = yield* serving(home, ["a.b", "ok", "c.d", "e.f", "g.h"].map(tool))
      assert.strictEqual(code, 0)
      const { cause, status, what } = Zain.only(report.findings, "tool-name")
      assert.strictEqual(status, "warning")
      assert.match(what, /^tool a\.b: name has .*; tool c\.d: .*; tool e\.f: .*; and 1 more\.$/)
      assert.include(cause, "Claude Desktop and OpenAI's API reject a list with a name that does not match")
      assert.include(cause, "^[a-zA-Z0-9_-]{1,64}$")
    },
  )

  inHome("are shown up to a bound", function* (home) {
    const endless = { tools: Array.from({ length: 100 }, () => ({ name: "x y".repeat(200) })) }
    const { report } = yield* probe(home, { capabilities: { tools: {} }, endless })
    for (const kind of ["tool-schema", "tool-name"]) {
      const { what } = Zain.only(report.findings, kind)
      assert.include(what, "; and 47 more")
      assert.isBelow(what.length, 600)
    }
  })
})

describe("announced changes of lists", () => {
  inHome("are a warning if not declared, and no finding if declared", function* (home) {
    const notify = ["notifications/tools/list_changed", "notifications/prompts/list_changed"]
    const { code, report } = yield* serving(home, [tool("ping")], { notify })
    assert.strictEqual(code, 0)
    const { fix, status, what } = Zain.only(report.findings, "list-changed-unsaid")
    assert.strictEqual(status, "warning")
    assert.strictEqual(what, `It sends ${notify.join(" and ")}, which it does not declare.`)
    assert.include(fix, "capabilities: { tools: { listChanged: true }, prompts: { listChanged: true } }")
    const declared = yield* serving(home, [tool("ping")], {
      capabilities: { tools: { listChanged: true } },
      notify: notify.slice(0, 1),
    })
    assert.deepStrictEqual(Zain.inShort(declared.report.findings), [])
  })
})
