/** A session with secrets in everything that telemetry must not contain. */
import { InMemoryMcpClient } from "@zain/core"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Effect from "effect/Effect"

/** A server with secrets in its URL and headers. */
export const http = McpConnectionConfig.streamableHttp({
  url: "https://agents.example:8443/secret-path/mcp?key=secret-query",
  bearerToken: "secret-token",
  headers: { "x-key": "secret-header" },
})

/** Opens a session, executes once, and closes it. */
export const whole = Effect.fnUntraced(function* (
  options: InMemoryMcpClient.Options,
  config = InMemoryMcpClient.config,
) {
  const client = yield* InMemoryMcpClient.make(options)
  const id = yield* client.openSession(config)
  yield* client.execute(id, { content: "secret-prompt" })
  yield* client.closeSession(id)
  return id
})

/** An answer with a thread and token counts. */
export const answer = { content: "secret-answer", threadId: "thread-1", usage: { inputTokens: 30, outputTokens: 5 } }
