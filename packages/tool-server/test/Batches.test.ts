import { assert, describe } from "@effect/vitest"
import * as Messages from "@zain/testkit/Messages"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as Doors from "../testing/Doors.ts"
import { type Kind, kinds } from "../testing/http/Openings.ts"
import * as TestServer from "../testing/TestServer.ts"

const initialize = (version: string) => Messages.initialize.replace("2025-11-25", version)
const ping = (id: string | number) => Messages.request(id, "ping")
const echo = (id: string | number) => Messages.call(id, "echo", { text: `text ${id}` })
const cancel = (requestId: string | number) => Messages.notification("notifications/cancelled", { requestId })
const batchOf = (...messages: ReadonlyArray<string>) => `[${messages.join(",")}]`

type Batch = ReadonlyArray<Messages.Message>

const batchesIn = ({ heard }: Doors.Door) =>
  heard.filter((message) => Array.isArray(message)) as unknown as Array<Batch>

/** The answers to a batch. */
const answers = Effect.fnUntraced(function* (door: Doors.Door, batch: string) {
  const before = batchesIn(door).length
  door.say(batch)
  yield* TestServer.eventually(() => batchesIn(door).length > before)
  return batchesIn(door)[before] as Batch
})

const outlineOf = ({ error, id, result }: Messages.Message) => [
  id,
  error?.code ?? Messages.textOf({ result } as never) ?? "done",
]

const opened = Effect.fnUntraced(function* (kind: "stdio" | Kind, version = "2025-03-26", batches = true) {
  const door = yield* Doors.open(kind, { batches })
  door.say(initialize(version))
  yield* Doors.answer(door, "initialize")
  door.say(Messages.initialized)
  return door
})

describe.each(["stdio", ...kinds] as const)("a batch over %s (promise 27)", (kind) => {
  test.live("is answered once, in the order of its requests, with an error for each invalid entry", function* () {
    const door = yield* opened(kind)
    const given = batchOf(
      echo(1),
      Messages.notification("notifications/unknown"),
      "1",
      ping("a"),
      "{}",
      Messages.request(0, "unknown/method"),
      Messages.request(4, "tools/call", { name: 1 }),
      initialize("2025-03-26"),
      ping("a"),
      "[]",
      echo(""),
    )
    assert.deepStrictEqual((yield* answers(door, given)).map(outlineOf), [
      [1, "text 1"],
      [null, -32_600],
      ["a", "done"],
      [null, -32_600],
      [0, -32_601],
      [4, -32_602],
      ["initialize", -32_600],
      [null, -32_600],
      [null, -32_600],
      ["", "text "],
    ])
    yield* Doors.ask(door, ping("last"), "last")
    assert.strictEqual(batchesIn(door).length, 1)
  })

  test.live(
    "waits for its slowest request, which a cancellation ends, and does not delay other messages",
    function* () {
      const door = yield* opened(kind)
      door.say(batchOf(Messages.call(1, "stay"), ping(2)))
      yield* Doors.ask(door, ping("between"), "between")
      assert.deepStrictEqual(batchesIn(door), [])
      door.say(cancel(1))
      yield* TestServer.eventually(() => batchesIn(door).length > 0)
      assert.deepStrictEqual(batchesIn(door)[0]?.map(outlineOf), [
        [1, -32_800],
        [2, "done"],
      ])
    },
  )

  test.live("of notifications only receives no answer", function* () {
    const door = yield* opened(kind)
    door.say(batchOf(Messages.notification("notifications/unknown"), Messages.notification("notifications/x")))
    yield* Doors.ask(door, ping("last"), "last")
    assert.deepStrictEqual(
      door.heard.map(({ id }) => id),
      ["initialize", "last"],
    )
  })

  test.live.each([
    ["a session of MCP 2025-06-18", "2025-06-18", true],
    ["a server without batches", "2025-03-26", false],
  ])("is refused in %s", function* ([_, version, batches]) {
    const door = yield* opened(kind, version, batches)
    door.say(batchOf(ping(1)))
    const { error } = yield* Doors.answer(door, null)
    assert.strictEqual(error?.message, "Batches are not part of MCP. Send each message by itself.")
  })
})

describe("a batch (promise 27)", () => {
  test.live("may cancel a request of its own", function* () {
    const door = yield* opened("stdio")
    assert.deepStrictEqual((yield* answers(door, batchOf(Messages.call(0, "stay"), cancel(0)))).map(outlineOf), [
      [0, -32_800],
    ])
    assert.deepStrictEqual((yield* answers(door, batchOf(echo(0)))).map(outlineOf), [[0, "text 0"]])
  })

  test.live("must have 1 to 100 messages", function* () {
    const door = yield* opened("stdio")
    const pings = (count: number) => batchOf(...Array.from({ length: count }, (_, at) => ping(at)))
    assert.strictEqual((yield* answers(door, pings(100))).length, 100)
    for (const wrong of ["[]", pings(101)]) {
      const refusals = () => door.heard.filter(({ error, id }) => id === null && error?.code === -32_600)
      const before = refusals().length
      door.say(wrong)
      yield* TestServer.eventually(() => refusals().length > before || batchesIn(door).length > 1)
      assert.strictEqual(refusals().length, before + 1)
    }
    assert.strictEqual(batchesIn(door).length, 1)
  })

  test.live("receives at most 64 MiB of answers, and an error for each request beyond them", function* () {
    const door = yield* opened("stdio")
    const flood = (id: number) => Messages.call(id, "flood", { bytes: 40 * 2 ** 20 })
    const [first, second, third] = yield* answers(door, batchOf(flood(1), flood(2), ping(3)))
    assert.strictEqual(Messages.textOf(first)?.length, 40 * 2 ** 20)
    assert.deepStrictEqual([second?.id, second?.error?.code, third?.id], [2, -32_603, 3])
  })
})
