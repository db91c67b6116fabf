import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { agents, place } from "../src/AgentServers.ts"
import * as OfficialClient from "../src/OfficialClient.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as Wishes from "../src/Wishes.ts"

describe.each(agents)("a thread of the real %s", (agent) => {
  it.live("goes on after its server has ended and another has begun, over stdio and over HTTP", () =>
    Effect.gen(function* () {
      const at = yield* place(agent)
      const said = [{ _tag: "Say", text: "one" } as const, { _tag: "Recall" } as const, { _tag: "Recall" } as const]
      const [first, second, third] = said.map((wish) => Wishes.prompt(wish))

      const started = yield* Effect.scoped(
        Effect.flatMap(OfficialClient.connect(at, { front: "stdio" }), ({ start }) =>
          Effect.promise(() => start(first?.text ?? "")),
        ),
      )
      const threadId = started.threadId ?? ""
      assert.deepInclude(started, { content: "one", isError: false })
      assert.deepStrictEqual(at.alive(), [], "The server and its agent have ended.")

      const resumed = yield* Effect.scoped(
        Effect.gen(function* () {
          const { url } = yield* at.serve("http")
          const { reply } = yield* OfficialClient.connect(at, { front: "http", url })
          return yield* Effect.promise(() => reply(threadId, second?.text ?? ""))
        }),
      )
      assert.deepInclude(resumed, { content: JSON.stringify([first?.key, second?.key]), isError: false, threadId })
      assert.deepStrictEqual(at.alive(), [])

      const { reply } = yield* OfficialClient.connect(at, { front: "stdio" })
      const again = yield* Effect.promise(() => reply(threadId, third?.text ?? ""))
      assert.strictEqual(again.content, JSON.stringify([first?.key, second?.key, third?.key]))
    }),
  )

  it.live("goes on after its server was killed in the middle of a turn", () =>
    Effect.gen(function* () {
      const at = yield* place(agent)
      const say = Wishes.prompt({ _tag: "Say", text: "one" })
      const hang = Wishes.prompt({ _tag: "Hang" })
      const recall = Wishes.prompt({ _tag: "Recall" })
      const { process: server, url } = yield* at.serve("http")
      const { reply, start } = yield* OfficialClient.connect(at, { front: "http", url })
      const { threadId = "" } = yield* Effect.promise(() => start(say.text))
      // The SDK's client is not told that its call is lost.
      void reply(threadId, hang.text).catch(() => {})
      const asked = yield* at.model.awaitRequest((request) => Wishes.keysOf(request).includes(hang.key))
      server.kill("SIGKILL")
      // The agent's end: nothing of the thread is written any more.
      yield* at.model.awaitGone(asked)

      const next = yield* OfficialClient.connect(at, { front: "stdio" })
      const answer = yield* Effect.promise(() => next.reply(threadId, recall.text))
      assert.isFalse(answer.isError, answer.content)
      assert.includeMembers(JSON.parse(answer.content), [say.key, recall.key])
    }),
  )

  it.live("that there never was is an error that says so", () =>
    Effect.gen(function* () {
      const at = yield* place(agent)
      const { reply } = yield* OfficialClient.connect(at, { front: "stdio" })
      const answer = yield* Effect.promise(() => reply("01a1fcbe-def5-71b2-a37f-9c5760de9da0", "Hello?"))
      assert.isTrue(answer.isError)
      assert.match(answer.content, /There is no thread "01a1fcbe/)
    }),
  )
})

describe.each(["http", "sse"] as const)("a thread of the real codex whose session over %s is closed", (front) => {
  it.live("goes on by `local()` while its server serves another client", () =>
    Effect.gen(function* () {
      const at = yield* place("codex")
      const { url } = yield* at.serve(front)
      const client = yield* OwnClient.adapter("codex")
      const open = client.openSession(OwnClient.config(at, { front, url }))
      const [staying, leaving] = [yield* open, yield* open]
      const [say, recall] = [Wishes.prompt({ _tag: "Say", text: "one" }), Wishes.prompt({ _tag: "Recall" })]
      yield* client.execute(staying, { content: Wishes.prompt({ _tag: "Say", text: "still here" }).text })
      const { threadId } = yield* client.execute(leaving, { content: say.text })
      yield* client.closeSession(leaving)
      const local = { ...OwnClient.local("codex", at), providerOptions: { threadId } }
      const { content, isError } = yield* client.execute(yield* client.openSession(local), { content: recall.text })
      assert.deepStrictEqual({ content, isError }, { content: JSON.stringify([say.key, recall.key]), isError: false })
    }),
  )
})
