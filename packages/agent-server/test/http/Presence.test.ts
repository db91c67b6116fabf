import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { test } from "../../../tool-server/test/Test.ts"
import * as Front from "./Front.ts"
import * as RawClient from "./RawClient.ts"

const soon = Front.millis({ absence: 100 })

/** A new client that was answered: what had happened to the server before, it has seen by then. */
const hasSeen = (url: string) => Effect.tap(RawClient.make(url), (client) => client.send({ path: "/" }))

describe("a client that is killed in the middle of a turn", () => {
  test.live(
    "has its turn interrupted and lets go of the agent within 5 s; another client is undisturbed",
    function* () {
      const { clock, seen, url } = yield* Front.still()
      const [killed, other] = [yield* Front.session(url), yield* Front.session(url)]
      yield* killed.begin(Front.call("say mine\nstay"))
      const turn = yield* other.begin(Front.call("say theirs\nstay"))
      yield* RawClient.eventually(() => seen.working === 2)
      killed.raw.vanish()
      yield* hasSeen(url)
      yield* clock.adjust("5 seconds")
      yield* RawClient.eventually(() => seen.attached === 1)
      assert.deepStrictEqual(seen.interrupted, ["say mine\nstay"])
      assert.isFalse(turn.isOver())
      assert.strictEqual(Front.contentOf(yield* other.post(Front.call("say x", 2))), "x")
    },
  )

  test.live("may come back to its session: the next call attaches again and goes on with the thread", function* () {
    const { seen, url } = yield* Front.start({ limits: soon })
    const client = yield* Front.session(url)
    const first = Front.answerOf(yield* client.post(Front.call("say x")))
    client.raw.vanish()
    yield* RawClient.eventually(() => seen.attached === 0)
    const again = yield* RawClient.make(url)
    const body = Front.call("earlier", 2, {}, first?.result?.structuredContent?.threadId)
    assert.strictEqual(Front.contentOf(yield* again.send({ headers: client.headers, body })), "say x")
    assert.deepStrictEqual([seen.attachments, seen.attached], [2, 1])
  })

  test.live("keeps its turn when it is back in time", function* () {
    const { clock, seen, url } = yield* Front.still()
    const client = yield* Front.session(url)
    const turn = yield* client.begin(Front.call("stay"))
    const [first] = Front.eventIds(yield* turn.until("id: "))
    yield* RawClient.eventually(() => seen.working === 1)
    client.raw.vanish()
    const again = yield* hasSeen(url)
    yield* again.open({ headers: { ...client.headers, "last-event-id": String(first) } })
    yield* clock.adjust("1 minute")
    yield* hasSeen(url)
    assert.deepStrictEqual([seen.working, seen.interrupted.length], [1, 0])
  })

  test.live("is told so when it comes back to where it was", function* () {
    const { seen, url } = yield* Front.start({ limits: soon })
    const client = yield* Front.session(url)
    const turn = yield* client.begin(Front.call("stay"))
    const [first] = Front.eventIds(yield* turn.until("id: "))
    yield* RawClient.eventually(() => seen.working === 1)
    client.raw.vanish()
    yield* RawClient.eventually(() => seen.interrupted.length === 1)
    const again = yield* RawClient.make(url)
    const stream = yield* again.open({ headers: { ...client.headers, "last-event-id": String(first) } })
    const answer = Front.answerOf({ text: yield* stream.until("interrupted") })
    assert.isTrue(answer?.result?.isError)
  })
})

describe("a client that is there", () => {
  test.live("keeps its turn when the turn's own connection breaks", function* () {
    const { clock, seen, url } = yield* Front.still()
    const client = yield* Front.session(url)
    const turn = yield* client.begin(Front.call("stay"))
    yield* client.listen()
    yield* RawClient.eventually(() => seen.working === 1)
    turn.destroy()
    yield* turn.ended
    yield* hasSeen(url)
    yield* clock.adjust("1 minute")
    yield* hasSeen(url)
    assert.deepStrictEqual([seen.working, seen.interrupted.length], [1, 0])
  })

  test.live("keeps its hold on the agent between calls, by the connection that it keeps", function* () {
    const { clock, seen, url } = yield* Front.still()
    const client = yield* Front.session(url)
    const reply = yield* client.post(Front.call("say x"))
    // What tells clients to keep their connections.
    assert.match(String(reply.headers["keep-alive"]), /timeout=65/)
    yield* hasSeen(url)
    yield* clock.adjust("1 minute")
    yield* hasSeen(url)
    assert.strictEqual(seen.attached, 1)
  })
})
