import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { test } from "../../packages/core/test/Test.ts"
import { place } from "../src/AgentServers.ts"
import * as OfficialClient from "../src/OfficialClient.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as OwnProcesses from "../src/OwnProcesses.ts"
import * as Wishes from "../src/Wishes.ts"

describe("the thread of the real Codex", () => {
  test.live(
    "stores a prompt before the model is called, so that a prompt that it does not hold can be sent again",
    function* () {
      const at = yield* place("codex")
      const { reply, start } = yield* OfficialClient.connect(at)
      const first = Wishes.prompt({ _tag: "Say", text: "one" })
      const { threadId } = yield* start(first.text)
      const own = at.alive().filter(({ command }) => command.includes(" app-server"))
      assert.isNotEmpty(own)
      const [hang, recall] = [Wishes.prompt({ _tag: "Hang" }), Wishes.prompt({ _tag: "Recall" })]
      const hanging = yield* Effect.forkChild(reply(threadId, hang.text), { startImmediately: true })
      yield* at.model.awaitRequest(Wishes.has(hang))
      own.forEach(OwnProcesses.kill)
      assert.isTrue((yield* Fiber.join(hanging)).isError)
      const { content } = yield* reply(threadId, recall.text)
      assert.strictEqual(content, JSON.stringify([first.key, hang.key, recall.key]))
    },
  )

  test.live.each(["http", "sse"] as const)(
    "continues by `local()` after its session over %s is closed, while the server serves another client",
    function* (front) {
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
    },
  )
})
