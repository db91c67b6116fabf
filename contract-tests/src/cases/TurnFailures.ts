/** Cases about turns that the agent fails. */
import { casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"
import { recallOrLost } from "../Recall.ts"

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
