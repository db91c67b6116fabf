/** A session of the adapter over the tests' own wire. */
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import type { ClaudeCodeNativeOptions } from "@zain/claude-code-client/ClaudeCodeOptions"
import type { McpError } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as OwnWire from "./OwnWire.ts"

/** An adapter over a wire of its own. */
export const client = (options?: ClaudeCodeNativeOptions, refuse?: McpError) =>
  Effect.gen(function* () {
    const wire = yield* OwnWire.make(refuse)
    const { connect } = wire
    const adapter = yield* ClaudeCodeMcpClientAdapter.make({
      profile: "native",
      connect,
      ...(options === undefined ? {} : { options }),
    })
    return { wire, adapter }
  })

/**
 * - `start`: asks, and hands over the call that it became
 * - `first`: a whole first turn; the agent is `agent-1`
 * - `later`: a whole later turn, whose reply comes by the hook
 */
export const session = (options?: ClaudeCodeNativeOptions) =>
  Effect.gen(function* () {
    const { adapter, wire } = yield* client(options)
    const id = yield* adapter.openSession(ClaudeCodeTransportFactory.native())
    const ask = (content: string) => adapter.execute(id, { content })
    const start = (content: string) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(ask(content), { startImmediately: true })
        return { fiber, call: yield* wire.next }
      })
    const turn = (content: string, result: unknown) =>
      Effect.gen(function* () {
        const { call, fiber } = yield* start(content)
        call.answer(result)
        return yield* Fiber.join(fiber)
      })
    const first = turn("first", OwnWire.report("agent-1", ["hello"]))
    const later = (content: string, reply: string) =>
      Effect.gen(function* () {
        const { call, fiber } = yield* start(content)
        wire.stopped("agent-1", reply)
        call.answer(OwnWire.resumed)
        return { call, answer: yield* Fiber.join(fiber) }
      })
    return { adapter, wire, id, ask, start, turn, first, later, close: adapter.closeSession(id) }
  })

/** An error in one line. */
export const inWords = ({ _tag, delivery, reason }: McpError) => `${_tag} ${reason} ${delivery}`
