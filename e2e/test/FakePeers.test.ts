import { assert, describe } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { fakeCodex } from "@zain/codex-client/fake"
import { ContractScript, FakePeer } from "@zain/contract-tests"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as OfficialClient from "../src/OfficialClient.ts"

const places = [
  { name: "Streamable HTTP", front: "http", options: { transport: "streamable-http" } },
  { name: "Streamable HTTP, in JSON", front: "http", options: { transport: "streamable-http", replies: "json" } },
  { name: "SSE", front: "sse", options: { transport: "sse" } },
] as const

describe("the official client is served by a fake Codex", () => {
  test.live.each(places)("over $name", function* ({ front, options }) {
    const { config, peer } = yield* FakePeer.serve(fakeCodex, options)
    const content = ContractScript.prompt({ _tag: "Say", text: "hello" })
    const call = Effect.fnUntraced(function* (client: Client) {
      const [tool] = (yield* Effect.promise(() => client.listTools())).tools
      const params = { name: tool?.name ?? "", arguments: { prompt: content } }
      const answer = yield* Effect.promise(() => client.callTool(params))
      const { transport } = client
      if (transport instanceof StreamableHTTPClientTransport) yield* Effect.promise(() => transport.terminateSession())
      return JSON.stringify(answer.content)
    })
    const connecting = OfficialClient.open({ front, url: config.serverUrl })
    assert.include(yield* Effect.scoped(Effect.flatMap(connecting, call)), "hello")
    assert.deepStrictEqual(yield* peer.leftovers, [])
  })
})
