/**
 * Reads which prompts an agent remembers.
 */
import * as McpError from "@zain/core/McpError"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { Bench } from "./ContractCase.ts"
import * as Expect from "./Expect.ts"

const Keys = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Schema.String)))

/** An agent may reject a prompt while it still works on a cancelled turn, or ends a session: try again. */
export const untilFree = {
  while: (error: unknown) =>
    McpError.isMcpError(error) && error.reason === "rejected-by-server" && error.delivery === "not-sent",
  schedule: Schedule.spaced("250 millis"),
  times: 40,
}

/**
 * Reads the prompts of a conversation from its agent.
 *
 * @returns the keys of the prompts before this one, oldest first
 */
export const recall = Effect.fnUntraced(function* (session: McpSessionId) {
  const { client, prompt } = yield* Bench
  const { content, key } = prompt({ _tag: "Recall" })
  const answer = yield* Effect.retry(client.execute(session, { content }), untilFree)
  const keys = yield* Effect.mapError(
    Keys(answer.content),
    () =>
      new Expect.ContractViolation({
        message: `The agent must answer with the keys of its prompts, and answered: ${answer.content}`,
      }),
  )
  yield* Expect.equal(keys.at(-1), key, "The last prompt that the agent remembers")
  return keys.slice(0, -1)
})

/**
 * Demands that a conversation continues, or that every further `execute` fails with `conversation-lost`.
 *
 * @param isKept the client's `supports`: `true` if the conversation must continue
 * @returns the result of `recall`; `undefined` if the conversation is lost
 */
export const recallOrLost = Effect.fnUntraced(function* (session: McpSessionId, isKept: boolean) {
  if (isKept) return yield* recall(session)
  for (const _again of [1, 2]) {
    yield* Expect.fails(recall(session), "SessionClosed", { reason: "conversation-lost", delivery: "not-sent" })
  }
  return undefined
})
