/** What `McpServerProbe` reports of good and bad servers, and that it leaves no process behind. */
import { assert, describe } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { isAlive } from "@zain/testkit/Alive"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as McpServerProbe from "../src/McpServerProbe.ts"
import { environment } from "../testing/Server.ts"
import { type Answer, introduce, probe, refused } from "./ProbedServer.ts"

const names = (report: McpServerProbe.ServerReport) => report.steps.map(({ name }) => name)

describe("McpServerProbe reports", () => {
  test("the server's introduction unchanged, its lists page by page, and the duration of each step", function* () {
    const capabilities = { tools: { listChanged: true }, resources: {}, prompts: {}, unheardOf: { deep: [1] } }
    const introduction = introduce(capabilities, { instructions: "Be kind." })
    const { methods, report } = yield* probe(introduction, (method, { cursor }) => {
      if (method === "resources/list") return { result: { resources: [{ uri: "file:///a", name: "a" }] } }
      if (method === "prompts/list") return { result: { prompts: [] } }
      if (cursor !== undefined) return { result: { tools: [{ name: "three" }] } }
      return { result: { tools: [{ name: "one" }, { name: "two" }], nextCursor: "next" } }
    })
    assert.deepStrictEqual(report.server, { name: "raw", title: "A server", version: "1.2" })
    assert.strictEqual(report.protocolVersion, "2025-11-25")
    assert.deepStrictEqual(report.capabilities, capabilities)
    assert.strictEqual(report.instructions, "Be kind.")
    const served = { _tag: "Served", isComplete: true } as const
    assert.deepStrictEqual(report.lists, {
      tools: { ...served, count: 3, names: ["one", "two", "three"], pages: 2 },
      resources: { ...served, count: 1, names: ["file:///a"], pages: 1 },
      prompts: { ...served, count: 0, names: [], pages: 1 },
    })
    assert.isUndefined(report.failure)
    assert.deepStrictEqual(names(report), ["open", "initialize", "tools/list", "resources/list", "prompts/list"])
    assert.isTrue(report.steps.every(({ isOk, millis }) => isOk && millis >= 0))
    assert.deepStrictEqual(report.diagnostics, { stderrTail: "words" })
    assert.deepStrictEqual(methods().slice(0, 3), ["initialize", "notifications/initialized", "tools/list"])
  })

  test("tools that are not declared, and requests no other undeclared list", function* () {
    const { methods, report } = yield* probe(introduce({}), () => ({ result: { tools: [{ name: "hidden" }] } }))
    assert.deepStrictEqual(report.capabilities, {})
    assert.deepInclude(report.lists.tools, { _tag: "Served", count: 1 })
    assert.deepStrictEqual(methods(), ["initialize", "notifications/initialized", "tools/list"])
  })

  test("declared lists that are refused, and resource templates when resources are refused", function* () {
    const { report } = yield* probe(introduce({ tools: {}, resources: {}, prompts: {} }))
    const answer = { _tag: "Refused", code: -32601, message: "Method not found" } as const
    const lists = { tools: answer, resources: answer, resourceTemplates: answer, prompts: answer }
    assert.deepStrictEqual(report.lists, lists)
    assert.isUndefined(report.failure)
  })

  test("a list that is never answered after one step's timeout", function* () {
    const { report } = yield* probe(introduce({ tools: {}, prompts: {} }), (method) =>
      method === "tools/list" ? { result: { tools: [] } } : "silence",
    )
    assert.deepStrictEqual(report.lists.prompts, { _tag: "Silent" })
    assert.deepStrictEqual(report.steps.at(-1), { name: "prompts/list", millis: 10_000, isOk: false })
    assert.isUndefined(report.failure)
  })
})

describe("McpServerProbe with requests and texts of the server (promises 15, 19, 23, 24)", () => {
  test("answers a ping and refuses every other request", function* () {
    const methods = ["ping", "sampling/createMessage", "elicitation/create", "roots/list"]
    const { heard } = yield* probe(introduce({}), undefined, { before: methods.map((method, id) => ({ id, method })) })
    const answers = heard.filter(({ method }) => method === undefined)
    assert.deepStrictEqual(
      answers.map(({ error, result }) => (error as { code: number } | undefined)?.code ?? result),
      [{}, -32601, -32601, -32601],
    )
  })

  test("redacts secrets wherever the server repeats them", function* () {
    const text = "token-of-mine and in-the-query"
    const more = { instructions: text, serverInfo: { name: text, version: text } }
    const { report } = yield* probe(introduce({ tools: {}, prompts: {}, [text]: { a: [text] } }, more), (method) =>
      method === "tools/list" ? { result: { tools: [{ name: text }] } } : { error: { code: 1, message: text } },
    )
    assert.notMatch(JSON.stringify(report), /token-of-mine|in-the-query/)
    assert.strictEqual(report.instructions, "<redacted> and <redacted>")
  })

  test("fails after a malformed handshake, and still reports its readable members", function* () {
    const { report } = yield* probe({ result: { protocolVersion: "2025-11-25", capabilities: 7 } })
    assert.strictEqual(report.protocolVersion, "2025-11-25")
    assert.strictEqual(report.failure?.step, "initialize")
    assert.strictEqual(report.failure?.error.reason, "protocol-violation")
    assert.deepStrictEqual(report.lists, {})
  })

  test.each([
    [
      "an unknown version of MCP",
      { protocolVersion: "1999-01-01", capabilities: {} },
      /version is not supported: 1999/,
    ],
    ["capabilities that are null", { protocolVersion: "2025-11-25", capabilities: null }, /malformed at capabilities/],
  ] as const)("reports a protocol-violation, not not-an-mcp-server, for %s", function* ([, more, message]) {
    const { report } = yield* probe(introduce({}, more))
    assert.strictEqual(report.failure?.error.reason, "protocol-violation")
    assert.match(report.failure?.error.message ?? "", message)
    assert.notInclude(report.failure?.error.message, "not an MCP server")
  })

  test("does not redact MCP's own names or the report's, even if they equal a secret", function* () {
    const secrets = ["tools", "name", "Served", "initialize", "_tag", "listChanged", "names"]
    const introduction = introduce({ tools: { listChanged: true } }, { instructions: "My name is Zain." })
    const { report } = yield* probe(introduction, () => ({ result: { tools: [{ name: "one" }] } }), { secrets })
    assert.deepStrictEqual(report.capabilities, { tools: { listChanged: true } })
    assert.deepStrictEqual(names(report), ["open", "initialize", "tools/list"])
    assert.deepInclude(report.lists.tools, { _tag: "Served", count: 1, names: ["one"] })
    assert.strictEqual(report.instructions, "My <redacted> is Zain.")
  })

  test("reports a protocol-violation for repeated cursors, a list that is not an array, and a cursor that is not a string", function* () {
    for (const result of [{ tools: [], nextCursor: "again" }, { tools: "many" }, { tools: [], nextCursor: 7 }, null]) {
      const { report } = yield* probe(introduce({ tools: {} }), () => ({ result }))
      const { tools } = report.lists
      assert.strictEqual(tools?._tag === "Failed" && tools.error.reason, "protocol-violation")
      assert.isUndefined(report.failure)
    }
  })

  test("stops after 100 pages, and keeps 1,000 names", function* () {
    let page = 0
    const tools = Array.from({ length: 50 }, (_, at) => ({ name: `tool-${at}` }))
    const { report } = yield* probe(introduce({ tools: {} }), () => ({
      result: { tools, nextCursor: `page-${++page}` },
    }))
    const { tools: found } = report.lists
    assert.deepInclude(found, { _tag: "Served", count: 5_000, pages: 100, isComplete: false })
    assert.lengthOf(found?._tag === "Served" ? found.names : [], 1_000)
  })

  test("keeps the pages received before a list timed out, failed or lost its server", function* () {
    const first = { result: { tools: [{ name: "one" }], nextCursor: "next" } }
    const partial = { _tag: "Served", count: 1, names: ["one"], pages: 1, isComplete: false } as const
    const after = (second: Answer | "silence" | "end") =>
      Effect.map(
        probe(introduce({ tools: {} }), (_, { cursor }) => (cursor === undefined ? first : second)),
        ({ report }) => report,
      )
    assert.deepStrictEqual((yield* after("silence")).lists.tools, { _tag: "Silent", partial })
    const refusing = yield* after(refused)
    assert.deepStrictEqual(refusing.lists.tools?._tag === "Refused" && refusing.lists.tools.partial, partial)
    const circle = yield* after(first)
    assert.strictEqual(circle.lists.tools?._tag === "Failed" && circle.lists.tools.partial?.count, 2)
    const ended = yield* after("end")
    assert.deepStrictEqual(ended.lists.tools?._tag === "Failed" && ended.lists.tools.partial, partial)
    assert.strictEqual(ended.failure?.step, "tools/list")
  })

  test("bounds the keys, texts and numbers of values of a server", function* () {
    const long = "x".repeat(1_000_000)
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key-${at}`, {}]))
    const more = { instructions: long, serverInfo: { name: long, version: long } }
    const introduction = introduce({ tools: {}, [long]: { many, long } }, more)
    const { report } = yield* probe(introduction, () => ({ error: { code: 1, message: long } }))
    assert.isBelow(JSON.stringify(report).length, 120_000)
    assert.property(report.capabilities, "tools")
  })

  test("requests lists whose capabilities come after more than 200 others", function* () {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`key-${at}`, {}]))
    const { methods, report } = yield* probe(introduce({ ...many, prompts: { listChanged: true }, resources: {} }))
    assert.includeMembers(methods(), ["resources/list", "prompts/list"])
    assert.deepStrictEqual(report.capabilities?.["prompts"], { listChanged: true })
    assert.lengthOf(Object.keys(report.capabilities ?? {}), 200)
  })

  test("accepts capabilities of any depth", function* () {
    let deep: unknown = "bottom"
    for (let at = 0; at < 50_000; at++) deep = [deep]
    const { report } = yield* probe(introduce({ tools: {}, deep }), () => ({ result: { tools: [] } }))
    assert.include(JSON.stringify(report.capabilities), "…")
  })

  test("reports the step at which the server exited", function* () {
    const { methods, report } = yield* probe(introduce({ tools: {}, prompts: {} }), () => "end")
    assert.strictEqual(report.failure?.step, "tools/list")
    assert.strictEqual(report.failure?.error.reason, "server-exited")
    assert.strictEqual(report.failure?.error.delivery, "not-sent")
    assert.notInclude(methods(), "prompts/list")
  })
})

describe("a probed process", () => {
  const script = `
    process.stdin.on("data", (data) => {
      for (const line of String(data).split("\\n").filter(Boolean)) {
        const { id, method, params } = JSON.parse(line)
        const serverInfo = { name: "process", version: String(process.pid) }
        const result = method === "initialize"
          ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo }
          : { tools: [{ name: String(process.env.ALLOWED) + process.env.FORBIDDEN }] }
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }))
      }
    })
    if (process.argv[1] === "stays") { process.stdin.on("end", () => setInterval(() => {}, 1000)); process.on("SIGTERM", () => {}) }
  `
  const stdio = (...args: ReadonlyArray<string>) =>
    McpConnectionConfig.stdio({ command: process.execPath, args: ["-e", script, ...args], closeGrace: "200 millis" })

  test.live.each(["leaves", "stays"])(
    "has exited when the report is returned, also one that %s (promise 11)",
    function* (how) {
      const report = yield* McpServerProbe.probe(stdio(how))
      assert.strictEqual(report.server?.name, "process")
      assert.isFalse(isAlive(Number(report.server?.version)))
    },
  )

  test.live("receives the default variables and the named ones", function* () {
    yield* environment({ ALLOWED: "yes", FORBIDDEN: "no" })
    const { lists } = yield* McpServerProbe.probe(stdio(), { environment: ["ALLOWED"] })
    assert.deepInclude(lists.tools, { names: ["yesundefined"] })
  })

  test.live("that is missing or misconfigured is reported as a failure with its step", function* () {
    const missing = yield* McpServerProbe.probe(McpConnectionConfig.stdio({ command: "no-such-mcp-server" }))
    assert.strictEqual(`${missing.failure?.step} ${missing.failure?.error.reason}`, "open spawn-failed")
    const wrong = yield* McpServerProbe.probe({ transport: "stdio", serverUrl: "nothing" })
    assert.strictEqual(`${wrong.failure?.step} ${wrong.failure?.error.reason}`, "configure invalid-config")
  })
})
