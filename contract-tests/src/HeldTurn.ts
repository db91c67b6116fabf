/**
 * A turn that is known to be under way.
 */
import type { McpError } from "@zain/core/McpError"
import type { McpResponse } from "@zain/core/McpResponse"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Bench, type KeyedPrompt } from "./ContractCase.ts"
import * as Expect from "./Expect.ts"

/** `fiber` runs the `execute`; `key` is its prompt's. */
export interface HeldTurn {
  readonly fiber: Fiber.Fiber<McpResponse, McpError>
  readonly key: string
}

/** Calls `execute` in a fiber of its own, up to where it waits for something. */
export const start = Effect.fnUntraced(function* (session: McpSessionId, prompt: KeyedPrompt) {
  const { client } = yield* Bench
  return yield* Effect.forkChild(client.execute(session, { content: prompt.content }), { startImmediately: true })
})

/** Gives a session a prompt that is never answered, and returns once the agent has it. */
export const hold = Effect.fnUntraced(function* (session: McpSessionId) {
  const { peer, prompt } = yield* Bench
  const hang = prompt({ _tag: "Hang" })
  const fiber = yield* start(session, hang)
  const early = Effect.flatMap(Fiber.await(fiber), (exit) =>
    Expect.violation(`A prompt that is never answered has ended, before the agent got it, with ${exit._tag}.`),
  )
  yield* Effect.raceFirst(peer.received(hang.key), early)
  const turn: HeldTurn = { fiber, key: hang.key }
  return turn
})
