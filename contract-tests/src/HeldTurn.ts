/**
 * A turn that has started and does not end.
 */
import type { McpError } from "@zain/core/McpError"
import type { McpRequest } from "@zain/core/McpRequest"
import type { McpResponse } from "@zain/core/McpResponse"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Bench, type KeyedPrompt } from "./ContractCase.ts"
import * as Expect from "./Expect.ts"

/** `fiber`: runs the `execute`. `key`: the key of its prompt. */
export interface HeldTurn {
  readonly fiber: Fiber.Fiber<McpResponse, McpError>
  readonly key: string
}

type Beside = Omit<McpRequest, "content">

/** Runs `execute` in a fiber, up to its first wait. */
export const start = Effect.fnUntraced(function* (session: McpSessionId, { content }: KeyedPrompt, beside?: Beside) {
  const { client } = yield* Bench
  return yield* Effect.forkChild(client.execute(session, { content, ...beside }), { startImmediately: true })
})

/** Sends a prompt that is never answered, and returns when it has reached the agent. */
export const hold = Effect.fnUntraced(function* (session: McpSessionId, beside?: Beside) {
  const { peer, prompt } = yield* Bench
  const hang = prompt({ _tag: "Hang" })
  const fiber = yield* start(session, hang, beside)
  const early = Effect.flatMap(Fiber.await(fiber), (exit) =>
    Expect.violation(`The prompt ended with ${exit._tag} before it reached the agent.`),
  )
  yield* Effect.raceFirst(peer.received(hang.key), early)
  const turn: HeldTurn = { fiber, key: hang.key }
  return turn
})
