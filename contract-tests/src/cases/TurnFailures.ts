/** Cases about turns that the agent fails. */
import * as McpResponse from "@zain/core/McpResponse"
import * as Effect from "effect/Effect"
import { casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"
import { recallOrLost } from "../Recall.ts"

/** In seconds. */
const hour = 3_600

export const turnFailures = casesOf({
  "failure.is-error": {
    title:
      "a turn that the agent failed MUST be a response with `isError`, and the conversation MUST continue or fail with `conversation-lost`",
    crossesWire: true,
    verifies: ["port.is-error", "4.4", "rule-6.continues"],
    needs: ["turn-failure"],
    *run({ client, open, prompt, subject }) {
      const session = yield* open
      const first = prompt({ _tag: "Say", text: "hello" })
      const { threadId } = yield* client.execute(session, { content: first.content })
      const failing = prompt({ _tag: "Fail", reason: "failure demanded" })
      const answer = yield* client.execute(session, { content: failing.content })
      yield* Expect.equal(answer.isError, true, "isError")
      yield* Expect.equal(answer.provider, subject.provider, "provider")
      yield* Expect.equal(answer.sessionId, session, "sessionId")
      yield* Expect.equal(answer.threadId, threadId, "threadId")
      yield* Expect.that(
        answer.content.includes("failure demanded"),
        `content must hold the reason, and is: ${answer.content}`,
      )
      const known = yield* recallOrLost(session, client.supports.failureKeepsConversation)
      const isKnown = known?.includes(first.key) !== false
      yield* Expect.that(isKnown, "The agent must remember the prompt before the failure.")
      yield* client.closeSession(session)
    },
  },
  "failure.limit": {
    title:
      "a turn that a limit of the account has ended MUST have the cause `RateLimited` with `retryAfter` and `window`, if `supports` has it, and `orFail` MUST make it `rate-limited`, delivery `unknown`",
    verifies: ["turn.limit"],
    needs: ["turn-failure"],
    *run({ client, open, prompt }) {
      const session = yield* open
      const limited = prompt({ _tag: "Limit", seconds: hour })
      const answer = yield* client.execute(session, { content: limited.content })
      yield* Expect.equal(answer.isError, true, "isError")
      if (client.supports.rateLimits !== true) return
      const { cause } = answer
      if (cause?._tag !== "RateLimited") {
        return yield* Expect.violation(`The cause must be \`RateLimited\`, and is ${cause?._tag}: ${answer.content}`)
      }
      const { retryAfter = 0, window = "" } = cause
      yield* Expect.that(window !== "", "`window` must name the limit.")
      // Agents report whole seconds.
      const isWithin = retryAfter > 0 && retryAfter <= (hour + 1) * 1_000
      yield* Expect.that(isWithin, `\`retryAfter\` must be at most an hour in milliseconds, and is ${retryAfter}.`)
      const { delivery, diagnostics, reason } = yield* Effect.flip(McpResponse.orFail(answer))
      yield* Expect.equal(
        { reason, delivery, ...diagnostics },
        { reason: "rate-limited", delivery: "unknown", retryAfter },
        "The error of `orFail`",
      )
    },
  },
  "failure.first-turn": {
    title: "a session whose first turn failed MUST answer the next prompt",
    verifies: ["port.is-error"],
    needs: ["turn-failure"],
    *run({ client, open, prompt }) {
      const session = yield* open
      const failing = prompt({ _tag: "Fail", reason: "failure demanded" })
      yield* Expect.equal((yield* client.execute(session, { content: failing.content })).isError, true, "isError")
      const answer = yield* client.execute(session, { content: prompt({ _tag: "Say", text: "again" }).content })
      yield* Expect.equal(answer.isError, false, "isError")
      yield* Expect.equal(answer.content, "again", "content")
    },
  },
})
