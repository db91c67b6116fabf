import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { test } from "../../packages/core/test/Test.ts"
import { type Place, place } from "../src/AgentServers.ts"
import * as OfficialClient from "../src/OfficialClient.ts"
import * as OwnProcesses from "../src/OwnProcesses.ts"
import * as Wishes from "../src/Wishes.ts"

/** A thread that has had one turn, and the agent's own processes, without its server's. */
const begin = Effect.fnUntraced(function* (at: Place) {
  const { reply, start } = yield* OfficialClient.connect(at)
  const first = Wishes.prompt({ _tag: "Say", text: "one" })
  const { threadId = "" } = yield* start(first.text)
  const own = at.alive().filter(({ command }) => command.includes(" app-server"))
  assert.isNotEmpty(own)
  return { own, said: [first.key], reply: (prompt: string) => reply(threadId, prompt) }
})

describe("the thread of the real Codex", () => {
  test.live(
    "holds a prompt before its model is asked: a prompt that it does not hold may be given again",
    function* () {
      const at = yield* place("codex")
      const { own, reply, said } = yield* begin(at)
      const [hang, recall] = [Wishes.prompt({ _tag: "Hang" }), Wishes.prompt({ _tag: "Recall" })]
      const hanging = yield* Effect.forkChild(reply(hang.text), { startImmediately: true })
      yield* at.model.awaitRequest(Wishes.has(hang))
      own.forEach(OwnProcesses.kill)
      assert.isTrue((yield* Fiber.join(hanging)).isError)
      const { content } = yield* reply(recall.text)
      assert.strictEqual(content, JSON.stringify([...said, hang.key, recall.key]))
    },
  )
})
