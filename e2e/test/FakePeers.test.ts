import { assert, describe } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import { fakeCodex } from "@zain/codex-client/fake"
import { ContractScript, FakePeer } from "@zain/contract-tests"
import * as Effect from "effect/Effect"
import { test } from "../../packages/core/test/Test.ts"

interface Place {
  readonly name: string
  readonly options: FakePeer.ServeOptions
  readonly connect: (url: URL) => { readonly transport: unknown; readonly end: () => Promise<void> }
}

const http: Place["connect"] = (url) => {
  const transport = new StreamableHTTPClientTransport(url)
  return { transport, end: () => transport.terminateSession() }
}
const sse: Place["connect"] = (url) => ({ transport: new SSEClientTransport(url), end: async () => {} })

const places: ReadonlyArray<Place> = [
  { name: "Streamable HTTP", options: { transport: "streamable-http" }, connect: http },
  { name: "Streamable HTTP, in JSON", options: { transport: "streamable-http", replies: "json" }, connect: http },
  { name: "SSE", options: { transport: "sse" }, connect: sse },
]

describe.each([fakeCodex, fakeClaudeCode])("the official client is served by a fake $name", (dialect) => {
  test.live.each(places)("over $name", function* ({ connect, options }) {
    const { config, peer } = yield* FakePeer.serve(dialect, options)
    const content = ContractScript.prompt({ _tag: "Say", text: "hello" })
    const answer = yield* Effect.promise(async () => {
      const client = new Client({ name: "official", version: "1" })
      const { end, transport } = connect(new URL(config.serverUrl))
      // The SDK's own types do not fit each other when optional is not undefined.
      await client.connect(transport as Transport)
      const [tool] = (await client.listTools()).tools
      const args = { prompt: content, ...(dialect === fakeCodex ? {} : { description: "say" }) }
      const result = await client.callTool({ name: tool?.name ?? "", arguments: args })
      await end()
      await client.close()
      return JSON.stringify(result.content)
    })
    assert.include(answer, "hello")
    assert.deepStrictEqual(yield* peer.leftovers, [])
  })
})
