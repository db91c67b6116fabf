/** Results that are larger than a client reads. */

import { PassThrough } from "node:stream"
import { assert, describe } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import type { CallToolResult, ReadResourceResult } from "@modelcontextprotocol/sdk/types.js"
import { test } from "@zain/testkit/Test"
import * as StdioTransport from "@zain/tool-server/StdioTransport"
import * as ToolServer from "@zain/tool-server/ToolServer"
import { Effect } from "effect"
import * as InMemory from "../testing/InMemory.ts"

const limit = 2 ** 17
const mebibyte = 2 ** 20

/** A client of a server over pipes, whose only tool has this result. */
const client = Effect.fnUntraced(function* (
  result: CallToolResult,
  experimental: Record<string, object> = {},
  options: StdioTransport.StdioOptions = { maxResultBytes: limit },
) {
  const server = ToolServer.make({
    ...{ name: "large", title: "Large", version: "1", instructions: "" },
    tools: [{ name: "all", inputSchema: { type: "object" } }],
    client: () => Effect.succeed({ call: () => Effect.succeed(result), isBusy: () => false, leave: Effect.void }),
  })
  const [input, output] = [new PassThrough(), new PassThrough()]
  const sizes: Array<number> = []
  let length = 0
  output.on("data", (chunk: Buffer) => {
    const lines = chunk.toString("latin1").split("\n")
    for (const [at, line] of lines.entries()) {
      if (at > 0) {
        sizes.push(length)
        length = 0
      }
      length += line.length
    }
  })
  yield* server.session(StdioTransport.make(input, output, options))
  const sdk = new Client({ name: "test", version: "0" }, { capabilities: { experimental } })
  const call = yield* InMemory.connect(sdk, new StdioServerTransport(output, input))
  const tried = (uri: string) =>
    Effect.tryPromise({ try: () => sdk.readResource({ uri }), catch: (cause) => cause as Error })
  return { tried, read: (uri: string) => Effect.orDie(tried(uri)), call: call("all", {}), sizes }
})

/** The parts that a mark names, in order. */
const parts = Effect.fnUntraced(function* (text: string, read: (uri: string) => Effect.Effect<ReadResourceResult>) {
  const [, uri = "", last = "0"] =
    /Read (zain:\/\/result\/\d+)\?part=1 to \?part=(\d+) with resources\/read/.exec(text) ?? []
  const found = yield* Effect.forEach(
    Array.from({ length: Number(last) }, (_, at) => `${uri}?part=${at + 1}`),
    read,
  )
  return found.flatMap(({ contents }) => contents)
})

const textOf = ({ content: [first] }: CallToolResult) => (first?.type === "text" ? first.text : "")

describe("a result of more than --max-result", () => {
  test.live("is cut where its texts are long, and its parts together are the whole text", function* () {
    const whole = "ab\u{1F41B}\u0001".repeat(50_000)
    const { call, read, sizes } = yield* client({
      content: [{ type: "text", text: whole }],
      structuredContent: { whole, other: 1 },
    })
    const result = yield* call
    assert.isBelow(Math.max(...sizes), limit)
    assert.isTrue(whole.startsWith(textOf(result).split("\n[")[0] ?? "none"))
    assert.match(textOf(result), /\[\d+ of 250000 characters are left out\./)
    assert.deepInclude(result.structuredContent, { whole: textOf(result), other: 1 })
    const found = yield* parts(textOf(result), read)
    assert.strictEqual(found.map((one) => ("text" in one ? one.text : "")).join(""), whole)
    assert.isBelow(Math.max(...sizes), limit)
  })

  test.live("names the parts of a picture in its place", function* () {
    const bytes = Buffer.alloc(190_001, "picture")
    const image = { type: "image" as const, mimeType: "image/png", data: bytes.toString("base64") }
    const { call, read, sizes } = yield* client({ content: [image, { type: "text", text: "a chair" }] })
    const result = yield* call
    assert.deepStrictEqual(result.content[1], { type: "text", text: "a chair" })
    assert.match(textOf(result), /^\[image\/png of 190\d{3} bytes is left out\./)
    const found = yield* parts(textOf(result), read)
    const whole = Buffer.concat(found.map((one) => Buffer.from("blob" in one ? one.blob : "", "base64")))
    assert.isTrue(whole.equals(bytes))
    assert.isBelow(Math.max(...sizes), limit)
  })

  test.live("is an error that names its parts where no text of it is long", function* () {
    const structuredContent = { all: Array.from({ length: 12_000 }, (_, at) => `value number ${at}`) }
    const { call, read } = yield* client({ content: [], structuredContent })
    const result = yield* call
    assert.isTrue(result.isError)
    const found = yield* parts(textOf(result), read)
    const whole = found.map((one) => ("text" in one ? one.text : "")).join("")
    assert.deepStrictEqual(JSON.parse(whole), { content: [], structuredContent })
  })

  test.live("is whole for a client that declares a larger limit", function* () {
    const whole = "a".repeat(3 * limit)
    const { call } = yield* client(
      { content: [{ type: "text", text: whole }] },
      { "zain/results": { maxBytes: 4 * limit } },
    )
    assert.strictEqual(textOf(yield* call), whole)
  })

  test.live("ends no connection of the official client, whose buffer has 10 MiB, without --max-result", function* () {
    const whole = "a".repeat(12 * mebibyte)
    const { call } = yield* client({ content: [{ type: "text", text: whole }] }, {}, {})
    assert.match(textOf(yield* call), /characters are left out/)
    assert.match(textOf(yield* call), /characters are left out/)
  })

  test.live("is forgotten when later ones have taken its room", function* () {
    const { call, tried } = yield* client({ content: [{ type: "text", text: "a".repeat(22 * mebibyte) }] })
    const [, uri = ""] = /Read (\S+)\?/.exec(textOf(yield* call)) ?? []
    for (let more = 0; more < 2; more++) yield* call
    const { message } = yield* Effect.flip(tried(uri))
    assert.include(message, "is no longer kept. Call the tool again.")
  })
})
