/** A wire to a Codex that the tests play. */
import * as Effect from "effect/Effect"
import * as AgentWire from "../../sdk-client/testing/AgentWire.ts"

/** A tool call of the client. `event`: sends a `codex/event` of this call and of one of its turns. */
export interface HeldCall extends AgentWire.HeldCall {
  readonly event: (msg: unknown, turn?: string) => void
}

const withEvents = (call: AgentWire.HeldCall): HeldCall => ({
  ...call,
  event: (msg, turn = "turn") =>
    call.notify("codex/event", { _meta: { requestId: call.id, threadId: "thread-1" }, id: turn, msg }),
})

/** A wire to a server with this name. */
export const named = (name: string) =>
  Effect.map(AgentWire.make(name), (wire) => ({ ...wire, next: Effect.map(wire.next, withEvents) }))

/** A wire to Codex's own MCP server. */
export const make = named("codex-mcp-server")

/** A result of Codex. */
export const answered = (content: string, threadId = "thread-1") => ({
  structuredContent: { threadId, content },
  content: [{ type: "text", text: content }],
})
