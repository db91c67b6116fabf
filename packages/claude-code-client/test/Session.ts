/** A session of the adapter over the tests' wire. */
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import type { ClaudeCodeNativeOptions } from "@zain/claude-code-client/ClaudeCodeOptions"
import type { McpError } from "@zain/core/McpError"
import { Effect, Fiber } from "effect"
import * as AgentWire from "../../sdk-client/testing/AgentWire.ts"
import * as OwnWire from "./OwnWire.ts"

/** An adapter over the tests' wire. */
export const client = Effect.fnUntraced(function* (options: ClaudeCodeNativeOptions = {}, refuse?: McpError) {
  const wire = yield* OwnWire.make(refuse)
  const { connect } = wire
  return { wire, adapter: yield* ClaudeCodeMcpClientAdapter.make({ profile: "native", connect, options }) }
})

/**
 * A session, and the result of `AgentWire.open`; `turn` returns only the answer.
 *
 * - `first`: runs a first turn; the agent is `agent-1`
 * - `later`: runs a later turn, whose reply comes through the hook
 */
export const session = Effect.fnUntraced(function* (options?: ClaudeCodeNativeOptions) {
  const { adapter, wire } = yield* client(options)
  const opened = yield* AgentWire.open(adapter, ClaudeCodeTransportFactory.native(), wire.next)
  const { id, start } = opened
  const turn = (content: string, result: unknown) => Effect.map(opened.turn(content, result), ({ answer }) => answer)
  const first = turn("first", OwnWire.report("agent-1", ["hello"]))
  const later = Effect.fnUntraced(function* (content: string, reply: string) {
    const { call, fiber } = yield* start(content)
    wire.stopped("agent-1", reply)
    call.answer(OwnWire.resumed)
    return { call, answer: yield* Fiber.join(fiber) }
  })
  return { ...opened, adapter, wire, turn, first, later, close: adapter.closeSession(id) }
})

/** A session after its first turn, with a running later one. */
export const resuming = Effect.gen(function* () {
  const opened = yield* session()
  yield* opened.first
  return { ...opened, ...(yield* opened.start("again")) }
})

export const { invalidConfig, inWords } = AgentWire
