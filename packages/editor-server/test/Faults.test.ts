/**
 * The faults that harm no call, as their bytes are, and how long a fault lasts. What the others come to: Failures.test.ts and
 * Refusals.test.ts.
 */
import { assert, describe } from "@effect/vitest"
import type { CommonFault } from "@zain/editor-link/fake/EditorFault"
import type { FakeEditor, FakeOptions } from "@zain/editor-link/fake/FakeEditor"
import * as FakeUnity from "@zain/editor-unity/fake/FakeUnity"
import * as FakeUnityLoop from "@zain/editor-unity-loop/fake/FakeUnityLoop"
import * as RawSocket from "@zain/testkit/RawSocket"
import { test } from "@zain/testkit/Test"
import { Effect, type Scope } from "effect"
import { headed, int32, prefixed } from "../../editor-link/testing/Frames.ts"

/** A message as it stands in a test: its length in bytes, and its text, where every time is `T`. */
type Message = readonly [size: number, text: string]

interface Protocol {
  readonly name: string
  readonly start: (options?: FakeOptions<CommonFault>) => Effect.Effect<FakeEditor<CommonFault>, Error, Scope.Scope>
  /** What stands before a text of this length, each byte as one character. */
  readonly head: (size: number) => string
  readonly framed: (text: string) => Buffer | string
  readonly request: (id: string) => string
  readonly answer: (id: string) => Message
  readonly aside: Message
  readonly stranger: Message
  readonly noise: string
  /** The answers of other faults. */
  readonly own: ReadonlyArray<readonly [fault: string, ...Message]>
}

const state = '"editorState":{"isPlaying":false,"isPaused":false,"version":"5.5.0","timestamp":"T"}}'
const success = (id: string, result: string) => `{"id":"${id}","status":"success","result":${result},${state}`

const unity = {
  name: "unity",
  start: FakeUnity.start,
  head: (size) => int32(size).toString("latin1"),
  framed: prefixed,
  request: (id) => `{"id":"${id}","type":"get_command_stats","params":{}}`,
  answer: (id) => [160, success(id, '{"objects":2}')],
  aside: [76, '{"status":"success","message":"pong","timestamp":"T"}'],
  stranger: [176, success("0", '{"message":"of another call"}')],
  noise: "[unity-mcp-server] a line of a log\n[Unity MCP Server] another\n[Unity] and one more\n",
  own: [
    ["older-envelope", 70, '{"id":"1","success":true,"status":"success","data":{"message":"done"}}'],
    ["with-warnings", 203, `${success("1", '{"message":"done"}').slice(0, -1)},"warnings":["The scene is not saved"]}`],
  ],
} as const satisfies Protocol

const rpc = (id: string, result: string) => `{"jsonrpc":"2.0","id":"${id}","result":${result}}`
const changed = '"params":{"timestamp":"T","message":"The tools have changed"}'

const unityLoop = {
  name: "uLoopMCP",
  start: FakeUnityLoop.start,
  head: (size) => `Content-Length: ${size}\r\n\r\n`,
  framed: headed,
  request: (id) => `{"jsonrpc":"2.0","id":"${id}","method":"ping"}`,
  answer: (id) => [69, rpc(id, '{"Message":"Hello","Ver":"2.2.0"}')],
  aside: [146, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed",${changed}}`],
  stranger: [91, rpc("ts_0_0_0_0000", '{"Message":"of another call","Ver":"2.2.0"}')],
  noise: "a line of a log that belongs to no frame\n",
  own: [["null-result", 40, rpc("1", "null")]],
} as const satisfies Protocol

/** Times are as long as each other, and different in every run. */
const timeless = (text: string) => text.replace(/"timestamp":"[-0-9T:.]*Z"/g, '"timestamp":"T"')

/** A fake that meets this fault once, and a connection that has sent a call. */
const begin = Effect.fnUntraced(function* ({ framed, request, start }: Protocol, fault: string) {
  const editor = yield* start()
  const socket = yield* RawSocket.open(editor.port)
  ;(editor.control.fault as (name: string) => void)(fault)
  socket.write(framed(request("1")))
  return { editor, socket }
})

describe.each<Protocol>([unity, unityLoop])("the faults of the fake of $name", (protocol) => {
  const whole = ([size, text]: Message) => protocol.head(size) + text
  const [answer1, answer2] = [whole(protocol.answer("1")), whole(protocol.answer("2"))]
  const aside = whole(protocol.aside)
  const answers: ReadonlyArray<readonly [fault: string, bytes: string]> = [
    ["silence", ""],
    ["late-answer", answer1],
    ["duplicate-answer", answer1 + answer1],
    ["noise", protocol.noise + answer1],
    ["joined-frames", aside + answer1 + aside],
    ["split-bytes", answer1],
    ["twenty-list-changed", aside.repeat(20) + answer1],
    ["unknown-id", whole(protocol.stranger) + answer1],
    ...protocol.own.map(([fault, ...message]) => [fault, whole(message)] as const),
  ]

  /** All that has come when a second call has been answered, each byte as one character. */
  const second = Effect.fnUntraced(function* (socket: RawSocket.RawSocket) {
    const before = socket.bytes().length
    socket.write(protocol.framed(protocol.request("2")))
    yield* socket.until('"id":"2"', before)
    yield* socket.until("}}", socket.bytes().indexOf('"id":"2"', before))
    return timeless(socket.bytes().toString("latin1"))
  })

  test.live.each(answers)("%s meets one call, and the next is answered", function* ([fault, bytes]) {
    const { socket } = yield* begin(protocol, fault)
    assert.strictEqual(yield* second(socket), bytes + answer2)
    if (fault === "split-bytes") assert.isAbove(socket.chunks(), 20)
    assert.strictEqual(yield* second(socket), bytes + answer2 + answer2)
  })
})

describe("the faults of one protocol", () => {
  test.live("unity: hold keeps back the commands of every connection until release", function* () {
    const { editor, socket } = yield* begin(unity, "hold")
    const other = yield* RawSocket.open(editor.port)
    other.write(prefixed(unity.request("2")))
    yield* RawSocket.eventually(() => editor.seen.length === 4)
    // An answer needs less time than these.
    for (let count = 0; count < 10; count++) {
      const before = other.bytes().length
      other.write(prefixed("ping"))
      yield* other.until("pong", before)
    }
    assert.strictEqual(socket.bytes().length, 0)
    assert.notInclude(other.text(), '"id":"2"')
    editor.control.release()
    yield* socket.until('{"id":"1"')
    yield* other.until('{"id":"2"')
  })

  test.live(
    "unity: what waits when the editor reloads is neither carried out nor answered, and meets no fault",
    function* () {
      const { editor, socket } = yield* begin(unity, "hold")
      socket.write(prefixed('{"id":"2","type":"create_gameobject","params":{"name":"Lost"}}'))
      yield* RawSocket.eventually(() => editor.seen.length === 3 && editor.control.held() === 1)
      ;(editor.control.fault as (name: string) => void)("null-error")
      yield* editor.control.reload
      yield* editor.control.reopen
      const again = yield* RawSocket.open(editor.port)
      again.write(prefixed(unity.request("1")))
      yield* again.until('{"id":"1","status":"error","error":null')
      again.write(prefixed(unity.request("2")))
      yield* again.until('{"id":"2","status":"success","result":{"objects":2}')
      assert.strictEqual(socket.bytes().length, 0)
    },
  )

  test.live(
    "uLoopMCP: faults spare the greeting unless they are set for it too, and last as often as they are set",
    function* () {
      const editor = yield* FakeUnityLoop.start()
      const socket = yield* RawSocket.open(editor.port)
      const details = headed('{"jsonrpc":"2.0","id":"0","method":"get-tool-details"}')
      const [ping1, ping2] = [headed(unityLoop.request("1")), headed(unityLoop.request("2"))]
      const pong = (id: string) => unityLoop.answer(id)[1]
      editor.control.fault("null-result", { times: 2 })
      socket.write(details + ping1 + details + ping1 + ping2)
      const answered = yield* socket.until(pong("2"))
      assert.strictEqual(answered.match(/"id":"0","result":\{"Tools"/g)?.length, 2)
      assert.strictEqual(answered.match(/"id":"1","result":null/g)?.length, 2)
      editor.control.fault("null-result", { times: Number.POSITIVE_INFINITY, greeting: true })
      socket.write(details)
      yield* socket.until('"id":"0","result":null')
      editor.control.calm("null-result")
      socket.write(ping1)
      yield* socket.until(pong("1"))
    },
  )
})
