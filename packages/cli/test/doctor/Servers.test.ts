/** `zain doctor --server`: MCP servers, above all differences between what they declare and serve. */

import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import { fakeCodex } from "@zain/codex-client/fake"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import * as FakeAgents from "../../testing/doctor/FakeAgents.ts"
import { tool } from "../../testing/doctor/FakeAgents.ts"
import { refusing, serving } from "../../testing/doctor/Serving.ts"
import * as Zain from "../../testing/doctor/Zain.ts"
import { type Home, inHome, limited, untilEmpty } from "../../testing/run/Home.ts"

const doctor = (home: Home, server: string, ...more: ReadonlyArray<string>) =>
  Zain.doctor(home, ["--server", server, ...more], { TOKEN: "a-token-of-mine" })
const probe = (home: Home, settings: object, ...more: ReadonlyArray<string>) =>
  doctor(home, FakeAgents.serverLine(settings), ...more)

const tools = { "tools/list": { tools: [tool("ping"), tool("create_gameobject")] } }
const empty = { ...tools, "resources/list": { resources: [] }, "prompts/list": { prompts: [] } }
const seed = { tools: { listChanged: true }, resources: {}, prompts: {} }

describe('declared capabilities: the case of "Capabilities: none" (docs/guides/capabilities-none.md)', () => {
  inHome("tools that are served and not declared are a problem, with symptom, cause and fix", function* (home) {
    const { code, report } = yield* probe(home, { capabilities: {}, lists: tools })
    assert.strictEqual(code, 1)
    const found = Zain.only(report.findings, "tools-undeclared")
    assert.strictEqual(found.status, "problem")
    assert.include(
      found.what,
      'It answers tools/list with 2 tools, and declares none: clients show "Capabilities: none"',
    )
    assert.include(found.cause, "capabilities: {}")
    assert.include(found.fix, "capabilities: { tools: { listChanged: true } }")
    assert.deepStrictEqual(report.servers[0]?.capabilities, {})
    assert.deepStrictEqual(report.agents, [])
  })

  inHome("declared empty lists, as of the seed's server, are a warning each", function* (home) {
    const { code, report } = yield* probe(home, { capabilities: seed, lists: empty })
    assert.strictEqual(code, 0)
    const found = report.findings.filter(({ status }) => status !== "ok")
    assert.deepStrictEqual(
      found.map(({ kind, status }) => `${kind} ${status}`),
      ["declared-empty warning", "declared-empty warning"],
    )
    assert.include(found[0]?.cause, '`resources: {}` is legal MCP and means "supported, without further features"')
    assert.include(found[0]?.fix, "assertRequestHandlerCapability")
    assert.include(found[1]?.what, 'It declares `prompts`, and has none. Some clients then show "Capabilities: none"')
  })

  inHome("declared lists without handlers, as of the seed's server, are problems", function* (home) {
    const { code, report } = yield* probe(home, { capabilities: seed, lists: tools })
    assert.strictEqual(code, 1)
    const found = report.findings.filter(({ status }) => status === "problem")
    assert.deepStrictEqual(
      found.map(({ kind }) => kind),
      ["declared-not-served", "declared-not-served"],
    )
    assert.include(found[0]?.what, "resources/list fails (-32601: Method not found)")
    assert.include(found[0]?.fix, "Omit `resources` from the capabilities")
  })

  inHome("declaring `tools: {}` or `listChanged` alone has no finding", function* (home) {
    for (const capabilities of [{ tools: { listChanged: true } }, { tools: {} }]) {
      const { code, report } = yield* probe(home, { capabilities, lists: tools })
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(Zain.inShort(report.findings), [])
      assert.strictEqual(Zain.only(report.findings, "tools").what, "2 tools: ping, create_gameobject")
    }
  })

  inHome("a handler that the SDK rejects, which ends the server, is reported with its capability", function* (home) {
    const fixture = fileURLToPath(new URL("../../../sdk-client/testing/fixtures/undeclared.mjs", import.meta.url))
    const { code, report } = yield* doctor(home, `'${process.execPath}' '${fixture}'`)
    assert.strictEqual(code, 1)
    const found = Zain.only(report.findings, "handler-without-capability")
    assert.include(found.cause, "It sets a handler for resources/list and does not declare `resources`")
    assert.include(found.fix, "Remove the handler for resources/list")
  })

  inHome(
    "nothing declared and served, or an empty tools list, is a warning; templates count as resources",
    function* (home) {
      const nothing = yield* probe(home, { capabilities: {} })
      assert.match(Zain.only(nothing.report.findings, "tools-none").what, /declares nothing.*Capabilities: none/)
      const none = yield* probe(home, { capabilities: { tools: {} }, lists: { "tools/list": { tools: [] } } })
      assert.strictEqual(Zain.only(none.report.findings, "tools-none").status, "warning")
      const lists = { ...empty, "resources/templates/list": { resourceTemplates: [{ uriTemplate: "a://{b}" }] } }
      const templates = yield* probe(home, { capabilities: { tools: {}, resources: {} }, lists })
      assert.deepStrictEqual(Zain.inShort(templates.report.findings), [])
      assert.deepStrictEqual([nothing.code, none.code, templates.code], [0, 0, 0])
    },
  )
})

describe("servers that violate MCP", () => {
  inHome("a banner before MCP is a warning with its line and a fix", function* (home) {
    const banner = "\n\u001b[32mServer ready, token a-token-of-mine\u001b[0m\nAnd more."
    const { code, report } = yield* probe(home, { ...FakeAgents.good, banner })
    assert.strictEqual(code, 0)
    const found = Zain.only(report.findings, "banner")
    assert.strictEqual(found.status, "warning")
    assert.include(found.what, "Server ready, token <redacted>")
    assert.notInclude(found.what, "\u001b")
    assert.include(found.fix, "standard error")
    const quiet = yield* probe(home, FakeAgents.good)
    assert.isEmpty(quiet.report.findings.filter(({ kind }) => kind === "banner"))
  })

  inHome("output that is not MCP is quoted by its first line, bounded", function* (home) {
    for (const junk of ["Usage: server --stdio\nMore.", `Usage: server ${"x".repeat(10_000)}`]) {
      const { code, report } = yield* probe(home, { junk, exit: undefined, silent: [] }, "--timeout", "2 seconds")
      assert.strictEqual(code, 1)
      const { cause } = Zain.only(report.findings, "handshake")
      assert.include(cause, "not MCP: Usage: server ")
      assert.notInclude(cause, "More.")
      assert.isBelow(cause?.length ?? 0, 600)
    }
  })

  inHome("a declared prompts/list without an answer is a problem", function* (home) {
    const settings = { capabilities: { tools: {}, prompts: {} }, lists: tools, silent: ["prompts/list"] }
    const [{ code, report }, seconds] = yield* limited(
      (limit) => probe(home, settings, "--timeout", `${limit} seconds`),
      (ended) => ended.report.servers[0]?.lists["tools"]?.outcome === "served",
    )
    assert.strictEqual(code, 1)
    assert.include(Zain.only(report.findings, "declared-not-served").what, "prompts/list times out")
    assert.strictEqual(report.servers[0]?.lists["prompts"]?.outcome, "silent")
    assert.isAtLeast(report.servers[0]?.steps.at(-1)?.millis ?? 0, seconds * 1_000 - 10)
    yield* untilEmpty(home)
  })

  inHome.each([
    [
      "prints junk",
      { junk: "Server ready!", exit: undefined, silent: ["initialize"] },
      "initialize connect-timeout",
      "2",
    ],
    ["exits", { exit: 3, words: "boom a-token-of-mine" }, "initialize server-exited", "240"],
    ["prints junk and exits", { junk: "Usage: server", silent: [], exit: 0 }, "initialize not-an-mcp-server", "240"],
  ] as const)("a server that %s is a problem", function* (home, [, settings, failure, limit]) {
    const { code, output, report } = yield* probe(home, settings, "--timeout", `${limit} seconds`)
    assert.strictEqual(code, 1)
    const { failure: found } = report.servers[0] ?? {}
    assert.strictEqual(`${found?.step} ${found?.reason}`, failure)
    assert.strictEqual(Zain.only(report.findings, "handshake").status, "problem")
    assert.isDefined(Zain.only(report.findings, "handshake").fix)
    assert.notInclude(output, "a-token-of-mine")
    yield* untilEmpty(home)
  })
})

/** An MCP server over Streamable HTTP that requires a token, and repeats it in its answers. */
const guarded = serving(async (request, response) => {
  const { authorization = "" } = request.headers
  if (authorization !== "Bearer a-token-of-mine") return void response.writeHead(401).end("Who are you?")
  let body = ""
  for await (const piece of request) body += piece
  const { id, method } = JSON.parse(body || "{}")
  if (id === undefined) return void response.writeHead(202).end()
  const serverInfo = { name: `for ${authorization}`, version: "1" }
  const result =
    method === "initialize"
      ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo }
      : tools["tools/list"]
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }))
})

describe("incomplete lists", () => {
  inHome("endless pages are reported as `at least`, with `complete: false` in the JSON", function* (home) {
    const settings = { capabilities: { tools: {} }, endless: { tools: [tool("ping"), tool("pong")] } }
    const { code, report } = yield* probe(home, settings)
    assert.strictEqual(code, 0)
    assert.include(Zain.only(report.findings, "tools-many").what, "at least 200 tools")
    assert.include(Zain.only(report.findings, "tool-name").what, "ping: name is the name of another tool too")
    assert.include(Zain.only(report.findings, "tools").what, "at least 200 tools: ping, pong")
    const found = Zain.only(report.findings, "list-incomplete")
    assert.strictEqual(found.status, "warning")
    assert.include(found.what, "It has at least 200 tools: tools/list did not end after 100 pages.")
    assert.deepInclude(report.servers[0]?.lists["tools"], { outcome: "served", count: 200, complete: false })
  })

  inHome("a second page without an answer is reported with the first page's tools", function* (home) {
    const settings = { capabilities: { tools: {} }, endless: { tools: [tool("ping")] }, pages: 1 }
    const [{ code, report }] = yield* limited(
      (limit) => probe(home, settings, "--timeout", `${limit} seconds`),
      (ended) => ended.report.servers[0]?.lists["tools"]?.count === 1,
    )
    assert.strictEqual(code, 0)
    assert.include(
      Zain.only(report.findings, "list-incomplete").what,
      "tools/list returned 1 page, and the next one times out",
    )
    assert.lengthOf(
      report.findings.filter(({ status }) => status !== "ok"),
      1,
    )
    assert.deepInclude(report.servers[0]?.lists["tools"], { outcome: "silent", count: 1, complete: false })
  })
})

describe("servers over HTTP", () => {
  inHome("405 at /sse is reported as an SSE server, with the exact command", function* (home) {
    const { origin } = yield* refusing(405)
    const { report } = yield* doctor(home, `${origin}/sse`)
    assert.strictEqual(Zain.only(report.findings, "handshake").fix, `zain doctor --server sse+${origin}/sse`)
  })

  inHome(
    "a server with a token is unauthorized without it, and works with it; the token is redacted",
    function* (home) {
      const { origin } = yield* guarded
      const url = `${origin}/mcp`
      const without = yield* doctor(home, url)
      assert.strictEqual(without.code, 1)
      const found = Zain.only(without.report.findings, "handshake")
      assert.include(found.what, "401")
      assert.include(found.fix, "--bearer-token-env")
      const withToken = yield* doctor(home, `${url}?key=in-the-query-1`, "--bearer-token-env", "TOKEN")
      assert.strictEqual(withToken.code, 0)
      assert.notMatch(withToken.output, /a-token-of-mine|in-the-query-1/)
    },
  )

  inHome("sse+URL connects over SSE", function* (home) {
    const { config } = yield* FakePeer.serve(fakeCodex, { transport: "sse" })
    const { code, report } = yield* doctor(home, `sse+${config.serverUrl}`)
    assert.strictEqual(code, 0)
    assert.strictEqual(report.servers[0]?.lists["tools"]?.count, 2)
  })
})
