/** What `McpServerProbe` reports of faulty tools, announced changes, and the framing of messages. */
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { test } from "@zain/testkit/Test"
import * as McpServerProbe from "../src/McpServerProbe.ts"
import { introduce, probe, refused } from "./ProbedServer.ts"

const listed = (...pages: ReadonlyArray<ReadonlyArray<unknown>>) =>
  probe(introduce({ tools: {} }), (method, { cursor = "0" }) => {
    if (method !== "tools/list") return refused
    const next = Number(cursor) + 1
    return { result: { tools: pages[next - 1], ...(next < pages.length ? { nextCursor: String(next) } : {}) } }
  })
const faultsOf = function* (...pages: ReadonlyArray<ReadonlyArray<unknown>>) {
  const { report } = yield* listed(...pages)
  return report.toolFaults.map(({ at, tool, what }) => `${tool}: ${at} ${what}`)
}
const inputSchema = { type: "object" }
const tool = (name: string, more: object = {}) => ({ name, inputSchema: { ...inputSchema, ...more } })

describe("a tool's name", () => {
  test("is not a fault if every known client accepts it, also with 64 characters", function* () {
    const names = ["ping", "A-Z_0-9", "x".repeat(64)]
    assert.deepStrictEqual(yield* faultsOf(names.map((name) => tool(name))), [])
  })

  test("is a fault if it is missing, empty, too long, has other characters, or is repeated", function* () {
    const page = [
      tool("ping"),
      { inputSchema },
      tool(""),
      tool("x".repeat(65)),
      tool("two words"),
      7,
      tool("scene.create"),
    ]
    assert.deepStrictEqual(yield* faultsOf(page, [tool("pong"), tool("ping")]), [
      "number 2: name is not a string",
      "number 3: name is empty",
      `${"x".repeat(65)}: name has more than 64 characters`,
      "two words: name has characters other than A-Z, a-z, 0-9, `_` and `-`",
      "number 6: name is not a string",
      "scene.create: name has characters other than A-Z, a-z, 0-9, `_` and `-`",
      "ping: name is the name of another tool too",
      "number 6: inputSchema is missing",
    ])
  })
})

describe("a tool's schema", () => {
  test("is not a fault if it is valid in JSON Schema 2020-12 or draft-07", function* () {
    const properties = {
      text: { type: ["string", "null"], minLength: 1, pattern: "([", format: "no-such-format", default: { type: 7 } },
      list: { type: "array", items: { $ref: "#/$defs/one" }, prefixItems: [true, {}], uniqueItems: true },
      choice: { anyOf: [{ const: 1 }, { enum: ["type", { type: 7 }] }], not: false, examples: [{ type: 7 }] },
      properties: { type: "number", exclusiveMinimum: 0, multipleOf: 0.5 },
    }
    const more = { properties, required: ["text"], $defs: { one: true }, additionalProperties: false, unheardOf: 7 }
    const $schema = "http://json-schema.org/draft-07/schema#"
    const older = { $schema, properties: { pair: { type: "array", items: [{ type: "string" }, true] } } }
    const output = { ...tool("output"), outputSchema: inputSchema }
    assert.deepStrictEqual(yield* faultsOf([tool("new", more), tool("old", older), output]), [])
  })

  test.each([
    [undefined, "inputSchema is missing"],
    [null, "inputSchema is not an object"],
    [true, "inputSchema is not an object"],
    [{}, 'inputSchema/type is not "object"'],
    [{ type: ["object"] }, 'inputSchema/type is not "object"'],
    [{ ...inputSchema, properties: [] }, "inputSchema/properties is not an object of schemas"],
    [
      { ...inputSchema, properties: { size: { type: "strng" } } },
      "inputSchema/properties/size/type is not one of JSON Schema's types, or a list of different ones",
    ],
    [
      { ...inputSchema, properties: { "a/b": "string" } },
      "inputSchema/properties/a~1b is not a schema, which is an object, true or false",
    ],
    [
      { ...inputSchema, properties: { a: true } },
      "inputSchema/properties/a is true or false, which is valid JSON Schema but rejected by the official SDK's client",
    ],
    [
      { ...inputSchema, properties: { a: { required: true } } },
      "inputSchema/properties/a/required is not a list of different strings",
    ],
    [{ ...inputSchema, required: ["a", "a"] }, "inputSchema/required is not a list of different strings"],
    [{ ...inputSchema, anyOf: [] }, "inputSchema/anyOf is not a list of schemas that is not empty"],
    [
      { ...inputSchema, oneOf: [{}, { items: [{}] }] },
      "inputSchema/oneOf/1/items is not a schema: since 2020-12 a list is `prefixItems`",
    ],
    [{ ...inputSchema, minProperties: -1 }, "inputSchema/minProperties is not a whole number that is not negative"],
    [
      { ...inputSchema, $defs: { a: { exclusiveMinimum: true } } },
      "inputSchema/$defs/a/exclusiveMinimum is not a number",
    ],
  ] as const)("is a fault with its path: %j", function* ([schema, fault]) {
    assert.deepStrictEqual(yield* faultsOf([{ name: "ping", inputSchema: schema }]), [`ping: ${fault}`])
    if (schema === undefined) return
    const page = [{ name: "ping", inputSchema, outputSchema: schema }]
    assert.deepStrictEqual(yield* faultsOf(page), [`ping: ${fault.replace("inputSchema", "outputSchema")}`])
  })
})

describe("a hostile list of tools", () => {
  test("is reported with fifty short faults of each kind, and no part of a secret", function* () {
    // Each name has a secret at the place where it is shortened.
    const long = `${"x".repeat(55)} ${"token-of-mine ".repeat(10_000)}`
    const { report } = yield* listed(Array.from({ length: 1_000 }, () => tool(long, { properties: { [long]: 7 } })))
    assert.lengthOf(report.toolFaults, 100)
    assert.isBelow(JSON.stringify(report.toolFaults).length, 80_000)
    assert.notInclude(JSON.stringify(report.toolFaults), "toke")
  })

  test("with a schema of any depth and width is examined within bounds", function* () {
    let deep: object = { type: "strng" }
    for (let at = 0; at < 100_000; at++) deep = { not: deep }
    const anyOf = Array.from({ length: 200_000 }, () => ({}))
    const names = JSON.parse('{"__proto__": {"type": "strng"}, "constructor": {"type": "string"}}')
    const found = yield* faultsOf([
      tool("own", { properties: names }),
      tool("deep", { not: deep }),
      tool("wide", { anyOf }),
      { name: "last", inputSchema: { properties: { unseen: 7 } } },
      tool("unseen", { properties: { unseen: 7 } }),
    ])
    assert.lengthOf(found, 2)
    assert.match(found[0] ?? "", /^own: inputSchema\/properties\/__proto__\/type is not/)
    assert.strictEqual(found[1], 'last: inputSchema/type is not "object"')
  })
})

describe("announced changes", () => {
  test("are reported once per list, declared or not", function* () {
    const methods = ["tools", "prompts", "tools", "unheard-of"].map((name) => `notifications/${name}/list_changed`)
    const before = [...methods, "notifications/message"].map((method) => ({ method }))
    const { report } = yield* probe(introduce({}), undefined, { before })
    assert.deepStrictEqual(report.changes, ["tools", "prompts"])
    assert.deepStrictEqual((yield* probe(introduce({}))).report.changes, [])
  })
})

describe("a server that answers in Content-Length frames", () => {
  const framed = fileURLToPath(new URL("../testing/fixtures/framed.mjs", import.meta.url))
  const node = (...args: ReadonlyArray<string>) =>
    McpConnectionConfig.stdio({ command: process.execPath, args, connectTimeout: "4 minutes", closeGrace: "1 second" })

  test.live.each([
    ["nothing", [], /^Content-Length: \d+$/],
    ["a banner", ["Ready."], /^Ready\.$/],
  ] as const)("is reported long before the timeout, when it writes %s before its frames", function* ([, args, line]) {
    const report = yield* McpServerProbe.probe(node(framed, ...args))
    assert.isTrue(report.isFramed)
    assert.strictEqual(report.failure?.step, "initialize")
    assert.strictEqual(report.failure?.error.reason, "not-an-mcp-server")
    assert.include(report.failure?.error.message, "it sends `Content-Length` headers")
    assert.match(report.foreign ?? "", line)
    assert.isBelow(report.steps.at(-1)?.millis ?? 0, 200_000)
  })

  test.live("is not assumed if the server writes such a header among messages as lines", function* () {
    const script = `
      console.log("Content-Length: 5\\nConnection: close\\n\\nContent-Type: text/plain\\n")
      process.stdin.on("data", (data) => {
        for (const line of String(data).split("\\n").filter(Boolean)) {
          const { id, params } = JSON.parse(line)
          const serverInfo = { name: "lines", version: "1" }
          const result = { protocolVersion: params?.protocolVersion, capabilities: {}, serverInfo, tools: [] }
          if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\nContent-Length: 5\\n")
        }
      })
    `
    const report = yield* McpServerProbe.probe(node("-e", script))
    assert.isFalse(report.isFramed)
    assert.isUndefined(report.failure)
    assert.strictEqual(report.lists.tools?._tag, "Served")
  })
})
