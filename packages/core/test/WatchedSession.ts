/** One session of an agent that is a function, with secrets in all that no tracer may hear. */
import { InMemoryMcpClient } from "@zain/core"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Effect from "effect/Effect"

/** A server whose URL and headers hold secrets. */
export const http = McpConnectionConfig.streamableHttp({
  url: "https://agents.example:8443/secret-path/mcp?key=secret-query",
  bearerToken: "secret-token",
  headers: { "x-key": "secret-header" },
})

/** Opens a session, asks once, and closes it. */
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

/** What an agent says that tells of its thread and its tokens. */
export const answer = { content: "secret-answer", threadId: "thread-1", usage: { inputTokens: 30, outputTokens: 5 } }
