import { assert } from "@effect/vitest"
import { type CallToolResult, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as Editors from "../../editor-link/testing/Editors.ts"
import * as FrontClients from "../../editor-link/testing/FrontClients.ts"
import { eventually } from "../../tool-server/testing/TestServer.ts"
import * as FakeUnityLoop from "../src/fake/FakeUnityLoop.ts"
import { unityLoop } from "../src/UnityLoopProfile.ts"

test.live.each(["http", "sse", "ws"] as const)(
  "over %s the official client lists, calls and lists again after a change, as over stdio (editors 000.27)",
  function* (kind) {
    const unity = yield* FakeUnityLoop.start()
    const server = yield* Editors.server(unityLoop, [{ host: "127.0.0.1", port: unity.port }])
    let changes = 0
    const sdk = yield* FrontClients.sdk(server, kind, (client) =>
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
        changes++
      }),
    )
    const names = Effect.promise(async () => (await sdk.listTools()).tools.map(({ name }) => name))
    assert.include(yield* names, "get-hierarchy")
    const params = { name: "create-game-object", arguments: { Name: "椅子 😀" } }
    const result = yield* Effect.promise(async () => (await sdk.callTool(params)) as CallToolResult)
    assert.include(Editors.textOf(result), "椅子 😀")
    yield* unity.control.quit
    yield* eventually(() => changes === 1)
    assert.deepStrictEqual(yield* names, [])
    assert.lengthOf(
      unity.seen.filter(({ _tag }) => _tag === "Opened"),
      1,
    )
  },
)
