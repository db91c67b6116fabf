/** Cases about valid and invalid prompts. */
import * as McpSessionId from "@zain/core/McpSessionId"
import { casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"

const empty = { reason: "empty-content", delivery: "not-sent" } as const

export const inputBoundaries = casesOf({
  "input.empty": {
    title: "`execute` MUST fail with `InvalidRequest` for an empty prompt, and the session MUST stay usable",
    verifies: ["5.1", "1.5", "port.errors"],
    *run({ client, open, prompt }) {
      const session = yield* open
      yield* Expect.fails(client.execute(session, { content: "" }), "InvalidRequest", empty)
      const answer = yield* client.execute(session, { content: prompt({ _tag: "Say", text: "still here" }).content })
      yield* Expect.equal(answer.content, "still here", "content")
    },
  },
  "input.empty-judged-first": {
    title: "`execute` MUST fail with `InvalidRequest` for an empty prompt in closed and unknown sessions too",
    verifies: ["rule-1.request-first"],
    *run({ client, open }) {
      const session = yield* open
      yield* client.closeSession(session)
      yield* Expect.fails(client.execute(session, { content: "" }), "InvalidRequest", empty)
      yield* Expect.fails(client.execute(yield* McpSessionId.make, { content: "" }), "InvalidRequest", empty)
    },
  },
  "input.one-character": {
    title: "`execute` MUST accept a prompt of one character: a space, a letter, an emoji, a kana",
    verifies: ["5.2", "5.3"],
    *run({ client, open }) {
      const session = yield* open
      for (const content of [" ", "a", "🙂", "あ"]) {
        const answer = yield* client.execute(session, { content })
        yield* Expect.that(!answer.isError && answer.content.length > 0, `${JSON.stringify(content)} must be answered.`)
      }
    },
  },
  "input.refused-is-not-sent": {
    title: "a request with an empty prompt, or for a closed or unknown session, MUST NOT reach the agent",
    verifies: ["rule-1.nothing-sent", "port.delivery"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const [session, closed] = [yield* open, yield* open]
      yield* client.closeSession(closed)
      const before = yield* peer.count("")
      const refused = prompt({ _tag: "Say", text: "refused" })
      yield* Expect.fails(client.execute(session, { content: "" }), "InvalidRequest")
      yield* Expect.fails(client.execute(closed, { content: refused.content }), "SessionClosed", {
        delivery: "not-sent",
      })
      yield* Expect.fails(client.execute(yield* McpSessionId.make, { content: refused.content }), "SessionNotFound")
      yield* client.execute(session, { content: prompt({ _tag: "Say", text: "sent" }).content })
      yield* Expect.equal(yield* peer.count(refused.key), 0, "How often the refused prompt reached the agent")
      yield* Expect.equal((yield* peer.count("")) - before, 1, "The number of prompts that reached the agent")
    },
  },
})
