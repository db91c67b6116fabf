/**
 * The same server through each of its doors, for the official SDK's client.
 */
import { PassThrough } from "node:stream"
import { assert, describe } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { Progress } from "@modelcontextprotocol/sdk/types.js"
import * as HttpServe from "@zain/tool-server/http/HttpServe"
import * as StdioTransport from "@zain/tool-server/StdioTransport"
import type { ToolServer } from "@zain/tool-server/ToolServer"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { test } from "../../../tool-server/test/Test.ts"
import { byHand, until } from "./Clients.ts"

const listening = (kind: "http" | "ws", make: (url: URL) => Transport) => (server: ToolServer) =>
  Effect.map(HttpServe.serve({ server, kind, host: "127.0.0.1", port: 0, tokens: [] }), ({ url }) => make(new URL(url)))

/** Each gives a client's transport. */
const doors = {
  stdio: (server: ToolServer) =>
    Effect.gen(function* () {
      const [there, here] = [new PassThrough(), new PassThrough()]
      yield* server.session(StdioTransport.make(there, here))
      // A pipe is the same from both ends.
      return StdioTransport.make(here, there) as Transport
    }),
  http: listening("http", (url) => new StreamableHTTPClientTransport(url) as Transport),
  ws: listening("ws", (url) => new WebSocketClientTransport(url)),
}

describe.each(["stdio", "http", "ws"] as const)("over %s, a client", (kind) => {
  test.live(
    "gets the judge its document byte for byte, megabytes of it, and hears of progress (LoopSmith 3, LoopSmith 4)",
    function* () {
      const { judge, server } = byHand()
      const transport = yield* doors[kind](server)
      const sdk = new Client({ name: "test", version: "0" })
      sdk.onerror = () => {}
      yield* Effect.acquireRelease(
        Effect.promise(() => sdk.connect(transport)),
        () => Effect.promise(() => sdk.close()),
      )
      const odd = "$& $' $$ {{clarity_weight}} 日本語 😀 \u2028\u0085\r\n\t\u0007\ufeff"
      const content = odd.repeat(Math.floor(1_000_000 / odd.length))
      assert.isAbove(Buffer.byteLength(content), 2 ** 20)
      const told: Array<Progress> = []
      const asked = { name: "evaluate_document", arguments: { content } }
      const calling = yield* Effect.forkChild(
        Effect.promise(() => sdk.callTool(asked, undefined, { onprogress: (progress) => told.push(progress) })),
      )
      yield* until(() => told.length === 1)
      assert.deepStrictEqual(told, [{ progress: 1, message: "attempt 1 of 1: the judge is reading" }])
      assert.isTrue(judge.asked[0]?.request.content === content)
      judge.asked[0]?.give(9)
      assert.deepNestedInclude(yield* Fiber.join(calling), { "structuredContent.score": 9 })
      const wrong = yield* Effect.promise(() => sdk.callTool({ ...asked, arguments: {} }).catch((cause) => cause.code))
      assert.strictEqual(wrong, -32602)
    },
  )
})
