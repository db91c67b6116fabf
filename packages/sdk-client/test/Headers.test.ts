/** Headers and URLs that a server sends, and which of them the client uses. */
import { createServer } from "node:net"
import { assert, describe } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as HttpServer from "../testing/HttpServer.ts"
import { client } from "../testing/Server.ts"

/** A server that answers initialize with this session id as raw bytes, and records its input. Node's server would reject it. */
const raw = Effect.fnUntraced(function* (id: string) {
  let heard = ""
  const server = createServer((socket) => {
    socket.on("data", (piece) => {
      heard += piece
      const request = /"id":(\d+)/.exec(String(piece))?.[1]
      const body = JSON.stringify({ jsonrpc: "2.0", id: Number(request), result: HttpServer.initialized })
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n`
      if (request !== undefined) socket.write(`${head}mcp-session-id: ${id}\r\n\r\n${body}`, "latin1")
      else socket.write("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n")
    })
  })
  const { port } = yield* HttpServer.listen(server)
  return { url: `http://127.0.0.1:${port}/`, heard: () => heard }
})

describe("a session's id (promise 22)", () => {
  test.live.each([
    { what: "a tab", id: "a\tb" },
    { what: "1,025 characters", id: "x".repeat(1_025) },
    { what: "another header after it", id: "a\rx-injected: yes" },
  ])("with $what fails openSession, and is never sent back", function* ({ id }) {
    const { heard, url } = yield* raw(id)
    const adapter = yield* client
    const error = yield* Effect.flip(adapter.openSession(McpConnectionConfig.streamableHttp({ url })))
    assert.strictEqual(`${error._tag} ${error.delivery}`, "ConnectionUnavailable not-sent")
    assert.include(heard(), "initialize")
    assert.notInclude(heard(), "mcp-session-id")
  })
})

describe("URLs that a server sends (promise 20)", () => {
  test.live("are never requested: schemas and links in an answer", function* () {
    const other = yield* HttpServer.start()
    const link = `${other.url}/elsewhere`
    const content = [
      { type: "text", text: "well" },
      { type: "resource_link", uri: link, name: "a link" },
      { type: "resource", resource: { uri: link, text: "" } },
    ]
    const { ask } = yield* HttpServer.session((asked, response) => {
      if (asked.body.method !== "tools/call") return undefined
      const result = { content, structuredContent: { $ref: link, $schema: link }, _meta: { schema: { $ref: link } } }
      response.writeHead(200, { "content-type": "application/json" }).end(HttpServer.message(asked, { result }))
      return true
    })
    assert.strictEqual((yield* ask("echo")).content, "well")
    assert.deepStrictEqual(other.asked, [])
  })
})
