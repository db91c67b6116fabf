/** A session of the adapter over the tests' own wire. */
import { CodexMcpClientAdapter } from "@zain/codex-client"
import type { CodexNativeOptions } from "@zain/codex-client/CodexOptions"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpError } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as OwnWire from "./OwnWire.ts"

/** Without the argument `mcp-server`, so that no version is read. */
export const config = (providerOptions: object = {}): McpConnectionConfig.McpConnectionConfig =>
  McpConnectionConfig.stdio({ command: "codex-of-the-test", providerOptions: { ...providerOptions } })

/** An adapter over a wire of its own. */
export const client = (options?: CodexNativeOptions) =>
  Effect.gen(function* () {
    const wire = yield* OwnWire.make
    const { connect } = wire
    const adapter = yield* CodexMcpClientAdapter.make({
      profile: "native",
      connect,
      ...(options === undefined ? {} : { options }),
    })
    return { wire, adapter }
  })

/**
 * - `start`: asks, and hands over the call that it became
 * - `turn`: a whole turn that is answered with this result
 */
export const session = (options?: CodexNativeOptions, providerOptions?: object) =>
  Effect.gen(function* () {
    const { adapter, wire } = yield* client(options)
    const id = yield* adapter.openSession(config(providerOptions))
    const ask = (content: string) => adapter.execute(id, { content })
    const start = (content: string) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(ask(content), { startImmediately: true })
        return { fiber, call: yield* wire.next }
      })
    const turn = (content: string, result: unknown = OwnWire.answered("done")) =>
      Effect.gen(function* () {
        const { call, fiber } = yield* start(content)
        call.answer(result)
        return { call, answer: yield* Fiber.join(fiber) }
      })
    return { adapter, wire, id, ask, start, turn }
  })

/** An error in one line. */
export const inWords = ({ _tag, delivery, reason }: McpError) => `${_tag} ${reason} ${delivery}`
