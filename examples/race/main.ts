/**
 * Two agents get the same prompt, and the first good answer wins. The other turn is interrupted, also on its server, and both
 * sessions are closed before `Effect.race` succeeds.
 *
 *   node --conditions=zain-source examples/race/main.ts
 */
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { type McpClientAdapter, type McpConnectionConfig, McpResponse } from "@zain/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const content = "What does this directory hold? Answer in one sentence."

const ask = Effect.fn(function* (
  make: Effect.Effect<McpClientAdapter, never, Scope.Scope>,
  config: McpConnectionConfig,
) {
  const client = yield* make
  const session = yield* client.openSession(config)
  // A turn that failed is a success with `isError: true`; `orFail` makes it a failure.
  return yield* Effect.flatMap(client.execute(session, { content }), McpResponse.orFail)
}, Effect.scoped)

const winner = Effect.race(
  ask(CodexMcpClientAdapter.make(), CodexTransportFactory.local()),
  ask(ClaudeCodeMcpClientAdapter.make(), ClaudeCodeTransportFactory.local()),
)
const answer = await Effect.runPromise(winner)
console.log(`${answer.provider} was first: ${answer.content}`)
