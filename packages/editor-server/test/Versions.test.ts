/**
 * What a client of any revision of MCP gets at the beginning, from either profile.
 */
import { assert, describe } from "@effect/vitest"
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js"
import { unity } from "@zain/editor-unity/UnityProfile"
import { unityLoop } from "@zain/editor-unity-loop/UnityLoopProfile"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { InitializeResultSchema } from "mcp-sdk-0-6/types.js"
import * as Editors from "../../editor-link/testing/Editors.ts"
import * as InMemory from "../../tool-server/testing/InMemory.ts"

interface Answer {
  readonly id?: unknown
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number }
}

describe.each([unity, unityLoop])("$name", (profile) => {
  const begin = Effect.fnUntraced(function* (protocolVersion: string) {
    const server = yield* Editors.server(profile, [{ host: "127.0.0.1", port: 1 }], { reconnects: false })
    const { transport } = yield* InMemory.join(server)
    const heard: Array<Answer> = []
    transport.onmessage = (message) => void heard.push(message as Answer)
    yield* Effect.promise(() => transport.start())
    const ask = Effect.fnUntraced(function* (id: number, method: string, params: Record<string, unknown>) {
      yield* Effect.promise(() => transport.send({ jsonrpc: "2.0", id, method, params }))
      yield* InMemory.until(() => heard.some((message) => message.id === id))
      return heard.find((message) => message.id === id)
    })
    const discovered = yield* ask(1, "server/discover", {})
    const clientInfo = { name: "by hand", version: "0" }
    const initialized = yield* ask(2, "initialize", { protocolVersion, capabilities: {}, clientInfo })
    return { discovered, result: initialized?.result, ask }
  })

  test.live.each(SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version >= "2024-11-05"))(
    "server/discover before initialize is -32601, and then %s is agreed on (editors 000.3)",
    function* (version) {
      const { discovered, result } = yield* begin(version)
      assert.strictEqual(discovered?.error?.code, -32_601)
      assert.strictEqual(result?.["protocolVersion"], version)
    },
  )

  test.live(
    "initialize is valid by the SDK 0.6.1, has no feature that is absent, and its methods are -32601 (editors 004.1, 004.2, 004.26)",
    function* () {
      const { ask, result } = yield* begin("2024-11-05")
      assert.deepStrictEqual(InitializeResultSchema.parse(result).capabilities, { tools: { listChanged: true } })
      assert.deepStrictEqual(result?.["capabilities"], { tools: { listChanged: true } })
      for (const method of ["resources/list", "prompts/list", "logging/setLevel", "completion/complete"]) {
        assert.strictEqual((yield* ask(3, method, {}))?.error?.code, -32_601, method)
      }
    },
  )
})
