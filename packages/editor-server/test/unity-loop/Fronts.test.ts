import { assert } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { type CallToolResult, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import * as HttpServe from "@zain/tool-server/http/HttpServe"
import { Effect } from "effect"
import { test } from "../../../core/test/Test.ts"
import { eventually } from "../../../tool-server/test/TestServer.ts"
import * as FakeUnityLoop from "../../src/fake/FakeUnityLoop.ts"
import { unityLoop } from "../../src/unity-loop/UnityLoopProfile.ts"
import * as Editors from "../Editors.ts"

const transports = {
  http: (url: URL) => new StreamableHTTPClientTransport(url) as Transport,
  sse: (url: URL) => new SSEClientTransport(url) as Transport,
  ws: (url: URL) => new WebSocketClientTransport(url) as Transport,
}

test.live.each(["http", "sse", "ws"] as const)(
  "over %s the official client lists, calls and lists again after a change, as over stdio (editors 000.27)",
  function* (kind) {
    const unity = yield* FakeUnityLoop.start()
    const server = yield* Editors.server(unityLoop, [{ host: "127.0.0.1", port: unity.port }])
    const { url } = yield* HttpServe.serve({ server, kind, host: "127.0.0.1", port: 0, tokens: [] })
    const sdk = new Client({ name: "by sdk", version: "1" })
    let changes = 0
    sdk.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes++
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => sdk.connect(transports[kind](new URL(url)))),
      () => Effect.promise(() => sdk.close()),
    )
    yield* eventually(() => changes === 1)
    const names = Effect.promise(async () => (await sdk.listTools()).tools.map(({ name }) => name))
    assert.include(yield* names, "get-hierarchy")
    const params = { name: "create-game-object", arguments: { Name: "椅子 😀" } }
    const result = yield* Effect.promise(async () => (await sdk.callTool(params)) as CallToolResult)
    assert.include(Editors.textOf(result), "椅子 😀")
    yield* unity.control.quit
    yield* eventually(() => changes === 2)
    assert.deepStrictEqual(yield* names, [])
    assert.lengthOf(
      unity.seen.filter(({ _tag }) => _tag === "Opened"),
      1,
    )
  },
)
