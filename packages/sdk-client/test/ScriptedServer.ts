/** A session with the server of `fixtures`, which writes the lines in its calls' arguments. */
import type * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Effect from "effect/Effect"
import type { Message } from "../testing/AgentWire.ts"
import * as Server from "../testing/Server.ts"

/** A message as a line of the wire. */
export const line = (message: object): string => JSON.stringify({ jsonrpc: "2.0", ...message })

/** A line that answers a request; `<id>` is replaced by the id of the call under way. */
export const answer = (id: unknown, text: string): string => line({ id, result: { content: [{ type: "text", text }] } })

/**
 * - `say`: makes the server write these lines during a call, and answer "done" unless `keep` is set
 * - `ask`: calls a tool
 * - `heard`: every message that the server has received
 */
export const session = Effect.fnUntraced(function* (options: Omit<McpConnectionConfig.StdioOptions, "command"> = {}) {
  const { adapter, id } = yield* Server.session(options.args, options)
  const ask = (content: string) => Effect.map(adapter.execute(id, { content }), (response) => response.content)
  const say = (lines: ReadonlyArray<string>, keep = false) => ask(`say ${JSON.stringify({ lines, keep })}`)
  const heard = Effect.map(ask("heard"), (text) => JSON.parse(text) as ReadonlyArray<Message>)
  return { adapter, id, ask, say, heard }
})
