/** A client over Streamable HTTP that resumes a broken stream (MCP 2025-11-25, resumability). */
import { assert, describe } from "@effect/vitest"
import * as Messages from "@zain/testkit/Messages"
import { test } from "@zain/testkit/Test"
import type { HttpLimits } from "@zain/tool-server/http/HttpLimits"
import * as Effect from "effect/Effect"
import * as TestServer from "../../testing/TestServer.ts"
import * as HttpSession from "./HttpSession.ts"
import { echo, textOf } from "./HttpSession.ts"

const start = (limits: Partial<HttpLimits> = {}) => TestServer.start({ kind: "http", limits })
const chatter = Messages.call(2, "pour", { pieces: 200, bytes: 10 })

/** The first event of a call that is answered immediately. */
const firstOf = (client: HttpSession.HttpSession, body: string) =>
  Effect.map(client.post(body), ({ text }) => HttpSession.eventIds(text)[0])

const isQuestion = ({ method }: Messages.Message) => method === "elicitation/create"

/** Resumes the stream of an event. */
const after = Effect.fnUntraced(function* (client: HttpSession.HttpSession, last: string | undefined) {
  const stream = yield* client.listen(last)
  return { status: stream.status, text: yield* stream.ended }
})

describe("a client whose connection broke (MCP 2025-11-25, resumability)", () => {
  test.live.each([
    ["", 1, undefined, ["elicitation/create", "after", "accept"]],
    [", also after many events of other calls", 2, chatter, ["after", "accept"]],
  ] as const)(
    "resumes a call with an elicitation after the last received event%s",
    function* ([_, last, others, left]) {
      const { seen, url } = yield* start({ maxStoredEvents: 10 })
      const client = yield* HttpSession.open(url)
      const call = yield* client.begin(Messages.call(1, "ask"))
      const text = yield* call.until("elicitation/create")
      // The first event has an id only.
      const ids = HttpSession.eventIds(text)
      call.response.destroy()
      yield* call.ended
      if (others !== undefined) yield* client.post(others)
      const again = yield* client.listen(ids[last])
      assert.strictEqual(again.status, 200)
      if (others === undefined) yield* again.until("elicitation/create")
      const [question] = HttpSession.messages(text).filter(isQuestion)
      assert.strictEqual((yield* client.post(Messages.accepted(question?.id))).status, 202)
      const rest = yield* again.ended
      const said = HttpSession.messages(rest)
      assert.deepStrictEqual(said.filter(isQuestion), others === undefined ? [question] : [])
      assert.deepStrictEqual(
        said.map((message) =>
          isQuestion(message) ? message.method : (message.params?.message ?? Messages.textOf(message)),
        ),
        [...left],
      )
      assert.strictEqual(seen.interrupted, 0)
      const allIds = [...ids.slice(0, last + 1), ...HttpSession.eventIds(rest)]
      assert.lengthOf(new Set(allIds), allIds.length)
    },
  )

  test.live("is not run ahead of: its call is held until it resumes (promise 27)", function* () {
    const { seen, url } = yield* start()
    const client = yield* HttpSession.open(url)
    const call = yield* client.begin(Messages.call(1, "pour", { pieces: 480, bytes: 65_536 }))
    const [first] = HttpSession.eventIds(yield* call.until("notifications/progress"))
    call.response.destroy()
    const before = seen.held
    yield* TestServer.eventually(() => seen.held > before)
    assert.isBelow(seen.poured, 480)
    const again = yield* client.listen(first)
    yield* again.until("notifications/progress")
    again.response.destroy()
    const twice = seen.held
    yield* TestServer.eventually(() => seen.held > twice)
    assert.isBelow(seen.poured, 480)
    const { text } = yield* after(client, first)
    assert.strictEqual(Messages.textOf(HttpSession.messages(text).at(-1)), "done")
    assert.deepStrictEqual([seen.poured, seen.interrupted], [480, 0])
  })

  test.live("cannot resume from an unknown event, or from one of another session", function* () {
    const { url } = yield* start()
    const [client, other] = [yield* HttpSession.open(url), yield* HttpSession.open(url)]
    for (const last of [yield* firstOf(other, echo("secret")), "1-x", "nonsense", "9".repeat(5000)]) {
      const { status, text } = yield* after(client, last)
      assert.strictEqual(status, 400, last)
      assert.notInclude(text, "secret")
    }
  })

  test.live("loses the oldest events of a flood, and still receives the answer (promise 14)", function* () {
    const client = yield* HttpSession.open((yield* start({ maxStoredEvents: 10 })).url)
    const whole = yield* client.post(chatter)
    assert.lengthOf(HttpSession.messages(whole.text), 201)
    const { text } = yield* after(client, HttpSession.eventIds(whole.text)[0])
    assert.strictEqual(textOf({ text }), "done")
    assert.isAtMost(HttpSession.messages(text).length, 10)
  })

  test.live("receives an answer that is larger than the limit of stored events", function* () {
    const client = yield* HttpSession.open((yield* start({ maxStoredBytes: 1_000 })).url)
    const content = "x".repeat(5_000)
    assert.strictEqual(textOf(yield* after(client, yield* firstOf(client, echo(content)))), content)
  })

  test.live("receives its answer after any number of events of other calls of the session", function* () {
    const client = yield* HttpSession.open((yield* start({ maxStoredEvents: 10 })).url)
    const first = yield* firstOf(client, echo("one"))
    yield* client.post(chatter)
    assert.strictEqual(textOf(yield* after(client, first)), "one")
  })

  test.live(
    "receives it after any number of events of other sessions, unless its session stores the most (promise 14)",
    function* () {
      const { url } = yield* start({ maxStoredTotalBytes: 20_000 })
      const clients = yield* Effect.forEach([5_000, 9_000, 8_000], (size) =>
        Effect.gen(function* () {
          const client = yield* HttpSession.open(url)
          return { client, first: yield* firstOf(client, echo("x".repeat(size))) }
        }),
      )
      const replies = yield* Effect.forEach(clients, ({ client, first }) => after(client, first))
      assert.deepStrictEqual(
        replies.map(({ status }) => status),
        [200, 400, 200],
      )
    },
  )

  test.live("stores nothing after the end of its session", function* () {
    const { url } = yield* start({ maxStoredTotalBytes: 10_000 })
    const client = yield* HttpSession.open(url)
    const first = yield* firstOf(client, echo("x".repeat(6_000)))
    for (const id of [2, 3, 4]) {
      const other = yield* HttpSession.open(url)
      yield* other.post(echo("y".repeat(3_000), id))
      yield* other.end
    }
    assert.strictEqual((yield* after(client, first)).status, 200)
  })

  test.live("loses the oldest answers beyond the limit, and receives an error (promise 14)", function* () {
    const client = yield* HttpSession.open((yield* start({ maxStoredBytes: 1_000, maxStoredAnswerBytes: 7_500 })).url)
    const firsts = yield* Effect.forEach([1, 2], (id) => firstOf(client, echo(String(id).repeat(5_000), id)))
    assert.strictEqual((yield* after(client, firsts[0])).status, 400)
    assert.strictEqual(textOf(yield* after(client, firsts[1])), "2".repeat(5_000))
  })
})
