/** Cases about an agent that runs and fails. */
import * as Effect from "effect/Effect"
import { Bench, type ContractCase } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"
import { recall } from "../Recall.ts"

export const turnFailures: ReadonlyArray<ContractCase> = [
  {
    id: "failure.is-error",
    title: "a turn that the agent failed is a response with isError; the conversation goes on, or is lost",
    crossesWire: true,
    verifies: ["port.is-error", "4.4", "rule-6.continues"],
    needs: ["turn-failure"],
    run: Effect.gen(function* () {
      const { client, open, prompt, subject } = yield* Bench
      const session = yield* open
      const first = prompt({ _tag: "Say", text: "hello" })
      yield* client.execute(session, { content: first.content })
      const failing = prompt({ _tag: "Fail", reason: "told to fail" })
      const answer = yield* client.execute(session, { content: failing.content })
      yield* Expect.equal(answer.isError, true, "isError")
      yield* Expect.equal(answer.provider, subject.provider, "provider")
      yield* Expect.equal(answer.sessionId, session, "sessionId")
      yield* Expect.that(answer.content.includes("told to fail"), `content must say why, and is: ${answer.content}`)
      if (client.supports.failureKeepsConversation) {
        const known = yield* recall(session)
        yield* Expect.that(known.includes(first.key), "The agent must remember what was said before the failure.")
      } else {
        for (const _again of [1, 2]) {
          yield* Expect.fails(recall(session), "SessionClosed", { reason: "conversation-lost", delivery: "not-sent" })
        }
      }
      yield* client.closeSession(session)
    }),
  },
  {
    id: "failure.first-turn",
    title: "a session whose first turn failed answers the next prompt",
    verifies: ["port.is-error"],
    needs: ["turn-failure"],
    run: Effect.gen(function* () {
      const { client, open, prompt } = yield* Bench
      const session = yield* open
      const failing = prompt({ _tag: "Fail", reason: "told to fail" })
      yield* Expect.equal((yield* client.execute(session, { content: failing.content })).isError, true, "isError")
      const answer = yield* client.execute(session, { content: prompt({ _tag: "Say", text: "again" }).content })
      yield* Expect.equal(answer.isError, false, "isError")
      yield* Expect.equal(answer.content, "again", "content")
    }),
  },
]
