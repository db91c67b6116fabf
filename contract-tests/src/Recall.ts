/**
 * What an agent still knows of its conversation.
 */
import * as McpError from "@zain/core/McpError"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { Bench } from "./ContractCase.ts"
import * as Expect from "./Expect.ts"

const Keys = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Schema.String)))

/** An agent that is still at a turn that was given up takes no prompt, and says so: it is asked again. */
const untilFree = {
  while: (error: unknown) =>
    McpError.isMcpError(error) && error.reason === "rejected-by-server" && error.delivery === "not-sent",
  schedule: Schedule.spaced("250 millis"),
  times: 40,
}

/**
 * Asks an agent for the prompts of its conversation.
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
      new Expect.ContractViolation({ message: `A recall must be answered by the agent, and was: ${answer.content}` }),
  )
  yield* Expect.equal(keys.at(-1), key, "The last prompt that the agent knows")
  return keys.slice(0, -1)
})

/**
 * Demands that a conversation goes on, or that its session reports it lost, now and later.
 *
 * @param isKept which of both the client's `supports` says
 * @returns as `recall`; nothing where the conversation is lost
 */
export const recallOrLost = Effect.fnUntraced(function* (session: McpSessionId, isKept: boolean) {
  if (isKept) return yield* recall(session)
  for (const _again of [1, 2]) {
    yield* Expect.fails(recall(session), "SessionClosed", { reason: "conversation-lost", delivery: "not-sent" })
  }
  return undefined
})
