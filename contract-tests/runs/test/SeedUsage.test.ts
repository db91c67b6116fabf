/** The usage that the seed shows, with the same code for both providers. */
import { assert, describe, it } from "@effect/vitest"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { fakeCodex } from "@zain/codex-client/fake"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import {
  type McpClient,
  McpPromiseClient,
  McpProvider,
  McpRequestParser,
  McpResult,
  type McpSessionId,
} from "@zain/core"
import { test } from "@zain/testkit/Test"
import { Effect, type Scope } from "effect"

type NewClient = Effect.Effect<McpClient, never, Scope.Scope>

const [codex, claude] = [FakePeer.inMemory(fakeCodex), FakePeer.inMemory(fakeClaudeCode)]
const [nativeCodex, nativeClaude] = [
  { profile: "native", connect: codex.connect } as const,
  { profile: "native", connect: claude.connect } as const,
]

const providers = [
  {
    provider: McpProvider.codex,
    newClient: CodexMcpClientAdapter.make(nativeCodex) satisfies NewClient,
    create: (config: FakePeer.InMemory["config"]) => CodexTransportFactory.create(config, nativeCodex),
    fake: codex,
  },
  {
    provider: McpProvider.claudeCode,
    newClient: ClaudeCodeMcpClientAdapter.make(nativeClaude) satisfies NewClient,
    create: (config: FakePeer.InMemory["config"]) => ClaudeCodeTransportFactory.create(config, nativeClaude),
    fake: claude,
  },
]

const tagOf = <A>(result: McpResult<A>) => (McpResult.isFailure(result) ? result.failure._tag : "Success")

describe.each(providers)("in the seed's usage with $provider,", ({ create, fake, newClient, provider }) => {
  const { serverUrl, transport } = fake.config

  it.effect("`openSession`, `execute` and `closeSession` return the seed's outcomes as values", () =>
    Effect.promise(async () => {
      await using client = await McpPromiseClient.make(newClient)
      const sessionId = McpResult.getOrThrow(await client.openSession({ serverUrl, transport }))
      const request = McpResult.getOrThrow(McpRequestParser.parse("A"))
      const response = McpResult.getOrThrow(await client.execute(sessionId, request))
      assert.deepInclude(response, { provider, sessionId })
      assert.isString(response.content)
      assert.strictEqual(tagOf(await client.execute(sessionId, "")), "InvalidRequest")
      assert.strictEqual(tagOf(await client.closeSession(sessionId)), "Success")
      assert.strictEqual(tagOf(await client.execute(sessionId, request)), "SessionClosed")
      const unknown = crypto.randomUUID() as string as McpSessionId
      assert.strictEqual(tagOf(await client.execute(unknown, request)), "SessionNotFound")
      assert.strictEqual(tagOf(await client.openSession(fake.unreachable)), "ConnectionUnavailable")
    }),
  )

  test("the transport factory creates a handle that ends with its Scope, or fails with ConnectionUnavailable", function* () {
    assert.deepStrictEqual(Object.keys(yield* Effect.scoped(create(fake.config))), [])
    assert.deepStrictEqual(yield* fake.peer.leftovers, [])
    const failure = yield* Effect.flip(Effect.scoped(create(fake.unreachable)))
    assert.strictEqual(failure._tag, "ConnectionUnavailable")
  })
})
