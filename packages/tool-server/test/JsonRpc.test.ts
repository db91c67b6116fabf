import { assert, describe } from "@effect/vitest"
import * as Messages from "@zain/testkit/Messages"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as Doors from "../testing/Doors.ts"
import * as TestServer from "../testing/TestServer.ts"

const kinds = ["ws", "stdio", "http", "sse"] as const
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
const holding = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`

const call = (params: object) => Messages.request(1, "tools/call", { name: "echo", ...params })
const prototypes = `"__proto__":{"isAdmin":true,"text":"no"},"constructor":{"prototype":{"isAdmin":true}}`
const hostile = call({ arguments: {} })
  .replace('"params":{', `$&${prototypes},`)
  .replace('"arguments":{', `$&${prototypes}`)
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, at]))

/** An initialized client. */
const opened = Effect.fnUntraced(function* (kind: (typeof kinds)[number]) {
  const door = yield* Doors.open(kind)
  door.say(Messages.initialize)
  yield* Doors.answer(door, "initialize")
  door.say(Messages.initialized)
  return door
})

/** What the server says to a text, with an answer of this id if there is one, until it has answered another request. */
const said = Effect.fnUntraced(function* (door: Doors.Door, text: string, id?: string | number | null) {
  const before = door.heard.length
  const answered = (id: string | number | null) =>
    TestServer.eventually(() => door.heard.slice(before).some((message) => message.id === id))
  door.say(text)
  if (id !== undefined) yield* answered(id)
  const last = `last ${before}`
  door.say(Messages.request(last, "ping"))
  yield* answered(last)
  return door.heard.slice(before).filter((message) => message.id !== last)
})

const refused: ReadonlyArray<readonly [what: string, text: string, code: number, id: string | number | null]> = [
  ["invalid JSON", "{", -32_700, null],
  ["a word", "hello", -32_700, null],
  ["half a request", '{"jsonrpc":"2.0","id":1,"method":"ping"', -32_700, null],
  ["a batch", `[${Messages.request(1, "ping")}]`, -32_600, null],
  ["an empty batch", "[]", -32_600, null],
  ["a number", "1", -32_600, null],
  ["a text", '"ping"', -32_600, null],
  ["null", "null", -32_600, null],
  ["nothing in it", "{}", -32_600, null],
  ["no version", '{"id":1,"method":"ping"}', -32_600, 1],
  ["another version", '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32_600, 1],
  ["no method", '{"jsonrpc":"2.0","id":"a"}', -32_600, "a"],
  ["a method that is not a string", '{"jsonrpc":"2.0","id":1,"method":7}', -32_600, 1],
  ["parameters that are a list", '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32_600, 1],
  ["an id that is null", Messages.request(null, "ping"), -32_600, null],
  ["half an id", Messages.request(1.5, "ping"), -32_600, null],
  ["an id that is an object", Messages.request({}, "ping"), -32_600, null],
  ["an invalid answer", '{"jsonrpc":"2.0","id":1,"result":1}', -32_600, null],
  ["a depth of 65", holding(`{"x":${nested(63)}}`), -32_600, null],
  ["a depth of a hundred thousand", nested(100_000), -32_600, null],
  ["a depth of a million that is never closed", `{"x":${"[".repeat(1_000_000)}`, -32_600, null],
  ["100,001 empty arrays", holding(`{"x":[${"[],".repeat(99_995)}[]]}`), -32_600, null],
  ["100,001 values", holding(`{"x":[${"1,".repeat(99_995)}1]}`), -32_600, null],
  ["a call without parameters", '{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32_602, 1],
  ["a call without a tool", Messages.request(1, "tools/call", { arguments: {} }), -32_602, 1],
  ["a call whose tool is a number", Messages.request(1, "tools/call", { name: 1 }), -32_602, 1],
  [
    "a call whose arguments are a string",
    Messages.request(1, "tools/call", { name: "echo", arguments: "x" }),
    -32_602,
    1,
  ],
  ["a call whose arguments are a list", Messages.request(1, "tools/call", { name: "echo", arguments: [] }), -32_602, 1],
  ["a call with an invalid token", call({ _meta: { progressToken: {} } }), -32_602, 1],
  ["a call with half a token", call({ _meta: { progressToken: 1.5 } }), -32_602, 1],
  ["a call with an invalid _meta", call({ _meta: [] }), -32_602, 1],
  ["a ping with an invalid token", Messages.request(1, "ping", { _meta: { progressToken: [] } }), -32_602, 1],
  ["1,001 arguments", call({ arguments: keys(1_001) }), -32_602, 1],
  ["1,001 parameters", Messages.request(1, "ping", keys(1_001)), -32_602, 1],
  ["1,001 members of _meta", call({ _meta: keys(1_001) }), -32_602, 1],
  ["an id of 1,025 bytes", Messages.request(`${"é".repeat(512)}x`, "ping"), -32_600, null],
  ["no version, and an id of 1,025 bytes", `{"id":"${"x".repeat(1_025)}","method":"ping"}`, -32_600, null],
  ["a token of 1,025 bytes", call({ _meta: { progressToken: `${"é".repeat(512)}x` } }), -32_602, 1],
  ["a prototype beside it", `{${prototypes},${hostile.slice(1)}`, -32_600, 1],
  ["an unknown member", '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', -32_600, null],
  ["an invalid cursor", Messages.request(1, "tools/list", { cursor: 1 }), -32_602, 1],
  ["an unknown method", Messages.request(1, "unknown/method"), -32_601, 1],
  ["server/discover", Messages.request(1, "server/discover"), -32_601, 1],
  ["a method named as a member of objects", Messages.request(1, "constructor"), -32_601, 1],
]

const ignored: ReadonlyArray<readonly [what: string, text: string]> = [
  ["a notification", Messages.notification("notifications/unknown")],
  ["a notification of its own", Messages.notification("notifications/cancelled", { requestId: 77 })],
  ["a notification named as a request", Messages.notification("tools/list")],
  ["a notification of 1,001 keys", Messages.notification("notifications/unknown", keys(1_001))],
  ["a notification with an invalid token", Messages.notification("notifications/x", { _meta: { progressToken: {} } })],
  ["an unexpected answer", '{"jsonrpc":"2.0","id":77,"result":{}}'],
  ["an unexpected error", '{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"x"}}'],
]

const accepted: ReadonlyArray<readonly [what: string, text: string]> = [
  ["a depth of 64", holding(`{"x":${nested(62)}}`)],
  ["100,000 values", holding(`{"x":[${"1,".repeat(99_994)}1]}`)],
  ["brackets and commas in a text", holding(`{"x":"${'[,\\"{'.repeat(50_000)}"}`)],
  ["a member named __proto__", hostile],
  ["1,000 parameters", Messages.request(1, "ping", keys(1_000))],
  ["1,000 arguments", call({ arguments: keys(1_000) })],
  ["a task parameter", call({ task: { ttl: 1 } })],
  ["an invalid task parameter", call({ task: 1 })],
  ["a related task", call({ _meta: { "io.modelcontextprotocol/related-task": { taskId: "x" } } })],
  ["an invalid related task", call({ _meta: { "io.modelcontextprotocol/related-task": 1 } })],
  ["a token of 1 KiB", call({ _meta: { progressToken: "é".repeat(512) } })],
  ["space around it", `  ${Messages.request(1, "ping")}  `],
]

describe.each(kinds)("JSON-RPC over %s (LoopSmith 3)", (kind) => {
  test.live("answers each invalid message once, and continues", function* () {
    const door = yield* opened(kind)
    for (const [what, text, code, id] of refused) {
      const answers = yield* said(door, text, id)
      const codes = answers.map((message) => [message.id, message.error?.code])
      assert.deepStrictEqual(codes, [[id, code]], what)
      assert.match(String(answers[0]?.error?.message), /^[`A-Z][^{]*[\w.]$/, what)
    }
  })

  test.live("ignores unknown notifications and unexpected answers, and continues", function* () {
    const door = yield* opened(kind)
    for (const [what, text] of ignored) assert.deepStrictEqual(yield* said(door, text), [], what)
  })

  test.live("accepts requests up to its limits, and ignores members that it does not know", function* () {
    const door = yield* opened(kind)
    for (const [what, text] of accepted) {
      const [answer = {}] = yield* said(door, text, 1)
      assert.isDefined(answer.result, what)
      assert.notStrictEqual(Messages.textOf(answer), "no", what)
      assert.isUndefined(({} as { readonly isAdmin?: boolean }).isAdmin, what)
    }
  })

  test.live("accepts a request whose id has 1 KiB", function* () {
    const door = yield* opened(kind)
    const id = "é".repeat(512)
    door.say(Messages.request(id, "ping"))
    assert.isDefined((yield* Doors.answer(door, id)).result)
  })

  test.live.each([
    ["a byte that is never UTF-8", Buffer.from([0xff])],
    ["half a character", Buffer.from([0xe2, 0x9c])],
    ["half a pair of surrogates", Buffer.from([0xed, 0xa0, 0x80])],
  ])("rejects a text with %s instead of replacing it (promise 27)", function* ([_, bytes]) {
    const door = yield* opened(kind)
    const [before, after] = Messages.call(1, "echo", { text: "|" }).split("|") as [string, string]
    door.say(Buffer.concat([Buffer.from(before), bytes as Buffer, Buffer.from(after)]))
    // A WebSocket is closed: RFC 6455, section 8.1. See WebSocketMessages.
    if (kind === "ws") return yield* TestServer.eventually(() => door.isOver())
    assert.strictEqual((yield* Doors.answer(door, null)).error?.code, -32_700)
    door.say(Messages.call(1, "echo", { text: "é✓" }))
    assert.strictEqual(Messages.textOf(yield* Doors.answer(door, 1)), "é✓")
  })

  test.live("answers unknown methods and rejects tools before initialize, and then initializes", function* () {
    const door = yield* Doors.open(kind)
    door.say(Messages.request(1, "server/discover"))
    assert.strictEqual((yield* Doors.answer(door, 1)).error?.code, -32_601)
    if (kind !== "http") {
      door.say(Messages.request(2, "ping"))
      door.say(Messages.request(3, "tools/list"))
      assert.isDefined((yield* Doors.answer(door, 2)).result)
      assert.strictEqual((yield* Doors.answer(door, 3)).error?.code, -32_600)
    } else {
      // Without a session, cancellations are ignored.
      door.say(Messages.request(2, "ping"))
      assert.match(String((yield* Doors.answer(door, null)).error?.message), /Mcp-Session-Id/)
    }
    door.say(Messages.request(5, "initialize", { protocolVersion: 1 }))
    assert.strictEqual((yield* Doors.answer(door, 5)).error?.code, -32_602)
    door.say(Messages.initialize)
    assert.isDefined((yield* Doors.answer(door, "initialize")).result)
    door.say(Messages.request(4, "tools/list"))
    assert.isDefined((yield* Doors.answer(door, 4)).result)
  })

  test.live("accepts initialize once", function* () {
    // An HTTP error response needs no id.
    const id = kind === "http" ? null : 1
    const answers = yield* said(yield* opened(kind), Messages.initialize.replace('"id":"initialize"', '"id":1'), id)
    assert.deepStrictEqual(
      answers.map((message) => [message.id, message.error?.code]),
      [[id, -32_600]],
    )
  })

  test.live("rejects a second request with an id that is under way, and the first one continues", function* () {
    const door = yield* opened(kind)
    door.say(Messages.call(1, "stay"))
    door.say(Messages.request(1, "ping"))
    assert.strictEqual((yield* Doors.answer(door, null)).error?.code, -32_600)
    yield* said(door, Messages.notification("notifications/cancelled", { requestId: 1 }))
    door.say(Messages.call(1, "echo", { text: "again" }))
    yield* TestServer.eventually(() => door.heard.some((message) => Messages.textOf(message) === "again"))
  })

  test.live("sends the data of an error unchanged", function* () {
    const door = yield* opened(kind)
    door.say(Messages.call(1, "fail"))
    const { error } = yield* Doors.answer(door, 1)
    assert.deepStrictEqual(error, { code: -32_603, message: "It failed.", data: { attempts: 3 } })
  })

  test.live("skips a byte order mark before a message", function* () {
    const door = yield* opened(kind)
    const before = door.heard.length
    door.say(`\uFEFF${Messages.call(1, "echo", { text: "marked" })}`)
    yield* TestServer.eventually(() => door.heard.length > before)
    assert.strictEqual(Messages.textOf(door.heard[before] ?? {}), "marked")
  })

  test.live("replaces half a surrogate pair by U+FFFD, in what it receives and in what it sends", function* () {
    const door = yield* opened(kind)
    door.say(Messages.call(1, "echo", { text: "bug 🐛".slice(0, 5) }))
    assert.strictEqual(Messages.textOf(yield* Doors.answer(door, 1)), "bug \uFFFD")
    door.say(Messages.call(2, "halve", { text: "bug 🐛" }))
    assert.strictEqual(Messages.textOf(yield* Doors.answer(door, 2)), "bug \uFFFD")
  })
})
