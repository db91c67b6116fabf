/** Zain's client and server over Streamable HTTP, with the stream that the client opens in a turn. */
import { assert, describe } from "@effect/vitest"
import * as McpApproval from "@zain/core/McpApproval"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as AgentServerProfile from "@zain/sdk-client/AgentServerProfile"
import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
import { test } from "@zain/testkit/Test"
import type { HttpLimits } from "@zain/tool-server/http/HttpLimits"
import * as HttpServe from "@zain/tool-server/http/HttpServe"
import { Duration, Effect, Schema } from "effect"
import * as AgentServer from "../../src/AgentServer.ts"
import * as InMemoryAgent from "../../testing/InMemoryAgent.ts"

const profile = AgentServerProfile.make({
  provider: "memory",
  options: Schema.Struct({ threadId: Schema.optionalKey(Schema.String) }),
  environment: [],
  server: "zain-memory-mcp",
  tool: "memory",
  toArguments: () => ({}),
  native: { server: "memory/native", args: ["none"] },
})

const client = Effect.gen(function* () {
  const asked: Array<string> = []
  const adapter = yield* SdkMcpClient.make(profile, {
    approvals: (_, { sessionId }) => {
      asked.push(sessionId)
      return Effect.succeed(McpApproval.approve)
    },
  })
  return { adapter, asked }
})

const front = Effect.fnUntraced(function* (limits: Partial<HttpLimits> = {}) {
  const agent = InMemoryAgent.make()
  const server = AgentServer.make(agent, { version: "0" })
  const { url } = yield* HttpServe.serve({ server, kind: "http", host: "127.0.0.1", port: 0, tokens: [], limits })
  return { url, seen: agent.seen }
})

describe("Zain's client over Streamable HTTP", () => {
  test.live("stays connected between two turns, after the stream of the first has ended", function* () {
    const { seen, url } = yield* front({ absence: Duration.millis(100) })
    const { adapter } = yield* client
    const session = yield* adapter.openSession(McpConnectionConfig.streamableHttp({ url }))
    for (let turn = 0; turn < 2; turn++) {
      yield* adapter.execute(session, { content: "say x" })
      // The stream lasts 1 s longer than the turn, and the client counts as absent 100 ms later.
      yield* Effect.sleep("1500 millis")
      assert.deepStrictEqual([seen.attachments, seen.attached], [1, 1])
    }
  })
})
