import { assert, describe } from "@effect/vitest"
import type { McpError } from "@zain/core"
import { Effect, Fiber } from "effect"
import { test } from "../../packages/core/test/Test.ts"
import { type Place, place } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as Wishes from "../src/Wishes.ts"

/** A session over its own server that continues a thread. */
const resuming = (at: Place, threadId: string) => OwnClient.going(OwnClient.local(at.agent, at))(threadId)

const say = (text: string) => Wishes.prompt({ _tag: "Say", text })

/** A session whose thread has had one turn. */
const begun = Effect.fnUntraced(function* (at: Place, config = OwnClient.local(at.agent, at)) {
  const client = yield* OwnClient.adapter(at.agent)
  const session = yield* client.openSession(config)
  const first = say("one")
  const { threadId = "" } = yield* client.execute(session, { content: first.text })
  return { client, session, threadId, first }
})

const isRefused = ({ _tag, delivery, reason }: McpError) =>
  assert.deepStrictEqual([_tag, reason, delivery], ["InvalidRequest", "rejected-by-server", "not-sent"])

describe("a thread of the real claude-code that a session holds (promise 32)", () => {
  test.live(
    "is refused to a second client before a prompt is sent, and accepted after the first has closed",
    function* () {
      const at = yield* place("claude-code")
      const { client, first, session, threadId } = yield* begun(at)
      const second = yield* OwnClient.adapter("claude-code")
      const asked = (yield* at.model.requests).length
      const error = yield* Effect.flip(second.openSession(resuming(at, threadId)))
      isRefused(error)
      assert.match(error.message, /is held by process \d+ since 20\d\d-.*Close its session there/)
      assert.strictEqual((yield* at.model.requests).length, asked)
      yield* client.closeSession(session)
      const later = yield* second.openSession(resuming(at, threadId))
      const recall = Wishes.prompt({ _tag: "Recall" })
      const { content } = yield* second.execute(later, { content: recall.text })
      assert.deepStrictEqual(JSON.parse(content), [first.key, recall.key])
    },
  )

  test.live.each(["http", "sse"] as const)(
    "is refused over %s while another server holds it, until the session there is closed",
    function* (front) {
      const at = yield* place("claude-code")
      const [here, there] = [yield* at.serve(front), yield* at.serve(front)]
      const config = OwnClient.config(at, { front, url: here.url })
      const { client, session, threadId } = yield* begun(at, config)
      const second = yield* OwnClient.adapter("claude-code")
      const open = second.openSession(OwnClient.going(OwnClient.config(at, { front, url: there.url }))(threadId))
      isRefused(yield* Effect.flip(open))
      yield* client.closeSession(session)
      const { isError } = yield* second.execute(yield* open, { content: say("two").text })
      assert.isFalse(isError)
    },
  )

  test.live("passes between the sessions of one client, whose turns queue, and keeps every turn", function* () {
    const at = yield* place("claude-code")
    const { client, first, session, threadId } = yield* begun(at)
    const other = yield* client.openSession(resuming(at, threadId))
    const [second, third] = [say("two"), say("three")]
    const both = [client.execute(session, { content: second.text }), client.execute(other, { content: third.text })]
    yield* Effect.all(both, { concurrency: "unbounded" })
    for (const one of [session, other]) {
      const recall = Wishes.prompt({ _tag: "Recall" })
      const { content } = yield* client.execute(one, { content: recall.text })
      assert.includeMembers(JSON.parse(content), [first.key, second.key, third.key, recall.key])
    }
  })

  test.live(
    "makes a session of the same client wait until the running turn ends, and at most until its deadline",
    function* () {
      const at = yield* place("claude-code")
      const { client, session, threadId } = yield* begun(at)
      const hang = Wishes.prompt({ _tag: "Hang" })
      const hanging = yield* Effect.forkChild(client.execute(session, { content: hang.text }))
      yield* at.model.awaitRequest(Wishes.has(hang))
      const other = yield* client.openSession(resuming(at, threadId))
      const waiting = yield* Effect.forkChild(client.execute(other, { content: say("never").text }), {
        startImmediately: true,
      })
      yield* Fiber.interrupt(waiting)
      const recall = Wishes.prompt({ _tag: "Recall" })
      const late = yield* Effect.forkChild(client.execute(other, { content: recall.text }), {
        startImmediately: true,
      })
      yield* Fiber.interrupt(hanging)
      const { content } = yield* Fiber.join(late)
      assert.include(JSON.parse(content), hang.key)
    },
  )
})
