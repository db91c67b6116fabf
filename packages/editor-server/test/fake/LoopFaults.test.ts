import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as FakeUnityLoop from "../../src/fake/FakeUnityLoop.ts"
import * as RawSocket from "./RawSocket.ts"

const ping1 = 'Content-Length: 42\r\n\r\n{"jsonrpc":"2.0","id":"1","method":"ping"}'
const ping2 = 'Content-Length: 42\r\n\r\n{"jsonrpc":"2.0","id":"2","method":"ping"}'
const body = (id: string) => `{"jsonrpc":"2.0","id":"${id}","result":{"Message":"Hello","Ver":"2.2.0"}}`
const pong1 = `Content-Length: 69\r\n\r\n${body("1")}`
const pong2 = `Content-Length: 69\r\n\r\n${body("2")}`
const unreadable =
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error","data":{"type":"internal_error","message":"The request could not be read."}}}'

/** A fake that meets this fault once, and a connection that has sent a ping. */
const begin = Effect.fnUntraced(function* (fault: FakeUnityLoop.LoopFault) {
  const editor = yield* FakeUnityLoop.start()
  const socket = yield* RawSocket.open(editor.port)
  editor.control.fault(fault)
  socket.write(ping1)
  return { editor, socket }
})

/** What stands before the answer to a second ping. */
const before2 = Effect.fnUntraced(function* (socket: RawSocket.RawSocket) {
  socket.write(ping2)
  return (yield* socket.until(pong2)).split(pong2)[0]
})

const changed =
  /Content-Length: 14\d\r\n\r\n\{"jsonrpc":"2.0","method":"notifications\/tools\/list_changed","params":\{.*?\}\}/g

describe("the faults of the fake of uLoopMCP", () => {
  const answers: ReadonlyArray<readonly [FakeUnityLoop.LoopFault, string]> = [
    ["silence", ""],
    ["late-answer", pong1],
    ["no-json", `Content-Length: 74\r\n\r\n${body("1").slice(0, -1)}, oops`],
    ["duplicate-answer", pong1 + pong1],
    ["noise", `a line of a log that belongs to no frame\n${pong1}`],
    ["bad-header", `Content-Length: many\r\n\r\n${body("1")}`],
    ["negative-length", `Content-Length: -1\r\n\r\n${body("1")}`],
    ["huge-length", `Content-Length: 2147483647\r\n\r\n${body("1")}`],
    ["long-length", `Content-Length: 1048645\r\n\r\n${body("1")}`],
    ["zero-length", `Content-Length: 0\r\n\r\n${body("1")}`],
    ["error-id-null", `Content-Length: 154\r\n\r\n${unreadable}`],
    ["split-bytes", pong1],
    [
      "unknown-id",
      `Content-Length: 91\r\n\r\n{"jsonrpc":"2.0","id":"ts_0_0_0_0000","result":{"Message":"of another call","Ver":"2.2.0"}}${pong1}`,
    ],
    ["null-result", 'Content-Length: 40\r\n\r\n{"jsonrpc":"2.0","id":"1","result":null}'],
    [
      "internal-error",
      'Content-Length: 169\r\n\r\n{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":"Internal error","data":{"type":"internal_error","message":"NullReferenceException: the fake editor failed"}}}',
    ],
    [
      "request-timeout",
      'Content-Length: 140\r\n\r\n{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":"Request timeout","data":{"type":"internal_error","message":"It took too long"}}}',
    ],
    [
      "cause-in-message",
      'Content-Length: 146\r\n\r\n{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":"The value of MaxDepth is not a number","data":{"type":"internal_error","message":""}}}',
    ],
    [
      "security-blocked",
      'Content-Length: 226\r\n\r\n{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":"Tool blocked by security settings","data":{"type":"security_blocked","message":"ping is blocked","command":"ping","reason":"The security settings do not allow it."}}}',
    ],
  ]
  test.live.each(answers)("%s meets one call, and the next is answered", function* ([fault, bytes]) {
    const { socket } = yield* begin(fault)
    assert.strictEqual(yield* before2(socket), bytes)
    assert.strictEqual(yield* before2(socket), bytes)
  })

  test.live("split-bytes sends every byte by itself", function* () {
    const { socket } = yield* begin("split-bytes")
    yield* socket.until(pong1)
    assert.isAbove(socket.chunks(), 20)
  })

  test.live("deep-json is a result 1,000 levels deep", function* () {
    const { socket } = yield* begin("deep-json")
    const deep = `${"[".repeat(1000)}1${"]".repeat(1000)}`
    assert.strictEqual(
      yield* before2(socket),
      `Content-Length: 2037\r\n\r\n{"jsonrpc":"2.0","id":"1","result":${deep}}`,
    )
  })

  test.live("big-answer has a text of 8 MiB", function* () {
    const { socket } = yield* begin("big-answer")
    const head = 'Content-Length: 8388655\r\n\r\n{"jsonrpc":"2.0","id":"1","result":{"text":"'
    yield* socket.untilBytes(head.length + 8_388_608 + '"}}'.length)
    const text = socket.text()
    assert.strictEqual(text.slice(0, head.length + 1), `${head}x`)
    assert.strictEqual(text.slice(-4), 'x"}}')
  })

  test.live("twenty-list-changed comes before the answer", function* () {
    const { socket } = yield* begin("twenty-list-changed")
    const text = yield* socket.until(pong1)
    assert.strictEqual(text.match(changed)?.length, 20)
    assert.strictEqual(text.replace(changed, ""), pong1)
  })

  test.live("joined-frames are three frames, the answer in the middle", function* () {
    const { socket } = yield* begin("joined-frames")
    const [first, between, last] = ((yield* before2(socket)) ?? "").split(changed)
    assert.deepStrictEqual([first, between, last], ["", pong1, ""])
  })

  test.live("hold answers after release", function* () {
    const { editor, socket } = yield* begin("hold")
    yield* RawSocket.eventually(() => editor.seen.length === 2)
    const other = yield* RawSocket.open(editor.port)
    other.write(ping2)
    yield* other.until(pong2)
    assert.strictEqual(socket.text(), "")
    editor.control.release()
    yield* socket.until(pong1)
  })

  test.live("close-mid-frame ends the connection after half of the frame, and no other", function* () {
    const editor = yield* FakeUnityLoop.start({ faults: ["close-mid-frame"] })
    const [socket, other] = [yield* RawSocket.open(editor.port), yield* RawSocket.open(editor.port)]
    socket.write(ping1)
    yield* socket.ended
    assert.strictEqual(socket.text(), pong1.slice(0, 45))
    editor.control.calm()
    other.write(ping2)
    yield* other.until(pong2)
  })

  test.live("reload-in-call closes everything without an answer, and listens again", function* () {
    const { editor, socket } = yield* begin("reload-in-call")
    yield* socket.ended
    assert.match(socket.text(), /^Content-Length: 93\r\n\r\n\{.*"params":\{"reason":"DomainReload"\}\}$/)
    const again = yield* RawSocket.open(editor.port)
    again.write(ping2)
    yield* again.until(pong2)
  })

  test.live("quit closes everything without an answer, and refuses connections", function* () {
    const { editor, socket } = yield* begin("quit")
    yield* socket.ended
    assert.include(socket.text(), '"reason":"EditorQuit"')
    assert.include(String(yield* Effect.flip(RawSocket.open(editor.port))), "ECONNREFUSED")
  })

  test.live("other-protocol answers the first bytes with HTTP, and closes", function* () {
    const { socket } = yield* begin("other-protocol")
    yield* socket.ended
    assert.strictEqual(socket.text(), "HTTP/1.1 400 Bad Request\r\n\r\n")
  })

  test.live("wrong-project names another project", function* () {
    const editor = yield* FakeUnityLoop.start({ project: "/work/Game", faults: ["wrong-project"] })
    const socket = yield* RawSocket.open(editor.port)
    socket.write('Content-Length: 61\r\n\r\n{"jsonrpc":"2.0","id":"1","method":"get-version","params":{}}')
    yield* socket.until('"DataPath":"/projects/AnotherGame/Assets"')
  })

  test.live(
    "faults spare the greeting unless they are set for it too, and last as often as they are set",
    function* () {
      const editor = yield* FakeUnityLoop.start()
      const socket = yield* RawSocket.open(editor.port)
      const details = 'Content-Length: 54\r\n\r\n{"jsonrpc":"2.0","id":"0","method":"get-tool-details"}'
      editor.control.fault("null-result", { times: 2 })
      socket.write(details + ping1 + details + ping1 + ping2)
      const answered = yield* socket.until(pong2)
      assert.strictEqual(answered.match(/"id":"0","result":\{"Tools"/g)?.length, 2)
      assert.strictEqual(answered.match(/"id":"1","result":null/g)?.length, 2)
      editor.control.fault("null-result", { times: Number.POSITIVE_INFINITY, greeting: true })
      socket.write(details)
      yield* socket.until('"id":"0","result":null')
      editor.control.calm("null-result")
      socket.write(ping1)
      yield* socket.until(pong1)
    },
  )

  test.live("every fault has a test here", function* () {
    yield* Effect.void
    const tested = answers.map(([name]) => name)
    const byThemselves = ["hold", "quit", "reload-in-call", "big-answer", "close-mid-frame", "other-protocol"].concat([
      "wrong-project",
      "deep-json",
      "twenty-list-changed",
      "joined-frames",
    ])
    assert.deepStrictEqual([...tested, ...byThemselves].sort(), [...FakeUnityLoop.loopFaults].sort())
  })
})
