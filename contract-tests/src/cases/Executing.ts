/** Cases about an `execute` that succeeds. */
import { casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"
import { recall } from "../Recall.ts"

export const executing = casesOf({
  "execute.answers": {
    title: "`execute` MUST return provider, session id and content, and `closeSession` MUST succeed",
    verifies: ["1.2", "1.3", "1.5", "1.6", "2.2", "3.2", "4.1", "4.2", "4.3", "4.4"],
    *run({ client, open, prompt, subject }) {
      const session = yield* open
      const answer = yield* client.execute(session, { content: prompt({ _tag: "Say", text: "hello" }).content })
      yield* Expect.equal(answer.provider, subject.provider, "provider")
      yield* Expect.equal(client.provider, subject.provider, "provider of the client")
      yield* Expect.equal(answer.sessionId, session, "sessionId")
      yield* Expect.equal(answer.content, "hello", "content")
      yield* Expect.equal(answer.isError, false, "isError")
      yield* Expect.equal(yield* client.closeSession(session), undefined, "What closeSession returns")
    },
  },
  "execute.any-text": {
    title: "`execute` MUST return text of any script and length unchanged",
    crossesWire: true,
    verifies: ["4.4"],
    *run({ client, open, prompt }) {
      const session = yield* open
      for (const text of ["日本語です 🙂 é", `"quoted" \\ {"json":1}`, "long ".repeat(4_000).trim()]) {
        const answer = yield* client.execute(session, { content: prompt({ _tag: "Say", text }).content })
        yield* Expect.equal(answer.content, text, "content")
      }
    },
  },
  "execute.well-formed": {
    title: "half a surrogate pair MUST be U+FFFD for the agent in a prompt, and for the caller in an answer",
    crossesWire: true,
    verifies: ["4.4", "port.well-formed"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      const { content, key } = prompt({ _tag: "Say", text: "an answer \uD83D" })
      const answer = yield* client.execute(session, { content: `${content} ${key} \uD83D` })
      yield* Expect.equal(answer.content, "an answer \uFFFD", "content")
      yield* Expect.equal(yield* peer.count(key), 1, "How often the prompt reached the agent")
      yield* Expect.equal(yield* peer.count(`${key} \uFFFD`), 1, "How often it was well-formed")
    },
  },
  "execute.continues": {
    title: "the first `execute` MUST start a conversation, and later ones MUST continue it",
    verifies: ["rule-6.continues", "2.2", "3.2"],
    *run({ client, open, prompt }) {
      const session = yield* open
      const prompts = [1, 2, 3].map((turn) => prompt({ _tag: "Say", text: `turn ${turn}` }))
      for (const { content } of prompts) yield* client.execute(session, { content })
      const known = yield* recall(session)
      yield* Expect.equal(
        known,
        prompts.map(({ key }) => key),
        "The prompts that the agent remembers",
      )
    },
  },
  "execute.once": {
    title: "a prompt MUST reach the agent exactly once",
    verifies: ["rule-6.once"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      const prompts = [1, 2, 3].map((turn) => prompt({ _tag: "Say", text: `turn ${turn}` }))
      for (const { content } of prompts) yield* client.execute(session, { content })
      for (const { key } of prompts)
        yield* Expect.equal(yield* peer.count(key), 1, "How often the prompt reached the agent")
    },
  },
})
