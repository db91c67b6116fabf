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
  readonly faults: ReadonlyArray<string>
  /** What stands before a text of this length, each byte as one character; `undefined`: what is no length. */
  readonly head: (size: number | undefined) => string
  readonly framed: (text: string) => Buffer | string
  readonly request: (id: string) => string
  readonly answer: (id: string) => Message
  /** The answer to request 1 that has this result. */
  readonly success: (result: string) => string
  readonly aside: Message
  readonly stranger: Message
  readonly unreadable: Message
  readonly noise: string
  readonly farewells: { readonly reload: string; readonly quit: string }
  readonly bigSize: number
  /** What is asked where the project is, and how the answer names it. */
  readonly project: readonly [request: string, part: string]
  /** The answers of faults, and the results of those that answer with one. */
  readonly own: ReadonlyArray<readonly [fault: string, ...Message]>
  readonly results: ReadonlyArray<readonly [fault: string, size: number, result: string]>
}

const deep = `${"[".repeat(1000)}1${"]".repeat(1000)}`
const state = '"editorState":{"isPlaying":false,"isPaused":false,"version":"5.5.0","timestamp":"T"}}'
const success = (id: string, result: string) => `{"id":"${id}","status":"success","result":${result},${state}`
const command = (id: string, type: string) => `{"id":"${id}","type":"${type}","params":{}}`

const unity = {
  name: "unity",
  start: FakeUnity.start,
  faults: FakeUnity.unityFaults.filter((name) => name !== "reload-in-play"),
  head: (size) => (size === undefined ? "" : int32(size).toString("latin1")),
  framed: prefixed,
  request: (id) => command(id, "get_command_stats"),
  answer: (id) => [160, success(id, '{"objects":2}')],
  success: (result) => success("1", result),
  aside: [76, '{"status":"success","message":"pong","timestamp":"T"}'],
  stranger: [176, success("0", '{"message":"of another call"}')],
  unreadable: [
    99,
    '{"id":"JSON parsing error: Unexpected character","status":"error","error":"JSON_ERROR","code":null}',
  ],
  noise: "[unity-mcp-server] a line of a log\n[Unity MCP Server] another\n[Unity] and one more\n",
  farewells: { reload: "", quit: "" },
  bigSize: 8_388_766,
  project: [command("1", "get_editor_info"), '"projectRoot":"/projects/AnotherGame"'],
  own: [
    ["parse-error", 82, '{"id":"Invalid command format","status":"error","error":"PARSE_ERROR","code":null}'],
    ["older-envelope", 70, '{"id":"1","success":true,"status":"success","data":{"message":"done"}}'],
    ["with-warnings", 203, `${success("1", '{"message":"done"}').slice(0, -1)},"warnings":["The scene is not saved"]}`],
    [
      "status-error",
      132,
      '{"id":"1","status":"error","error":"Confirm the change first","code":"CONFIRMATION_REQUIRED","details":{"confirm":"confirmChanges"}}',
    ],
    ["null-error", 64, '{"id":"1","status":"error","error":null,"code":"INTERNAL_ERROR"}'],
    ["unknown-command", 78, '{"id":"1","status":"error","error":"Unknown command","code":"UNKNOWN_COMMAND"}'],
    [
      "play-mode-blocked",
      90,
      '{"id":"1","status":"error","error":"Not possible in play mode","code":"PLAY_MODE_BLOCKED"}',
    ],
  ],
  results: [
    ["deep-json", 2_148, deep],
    [
      "result-error",
      238,
      '{"error":"GameObject not found: /Nothing","code":"NOT_FOUND","details":{"path":"/Nothing"}}',
    ],
    [
      "result-error-object",
      255,
      '{"error":{"message":"Group not found","solution":"Create the group first","context":{"groupName":"Levels"}}}',
    ],
    [
      "result-success-false",
      240,
      '{"success":false,"results":[{"success":true},{"success":false,"error":"Key not found: F99"}]}',
    ],
    [
      "result-success-false-message",
      250,
      '{"success":false,"message":"Addressables is not installed","solution":"Install com.unity.addressables"}',
    ],
    ["result-status-error", 220, '{"status":"error","message":"The runner stopped","code":"RUNNER_TIMEOUT"}'],
    ["result-data-success-false", 210, '{"data":{"success":false,"errors":["Build failed: no scenes"]}}'],
  ],
} as const satisfies Protocol

const rpc = (id: string, outcome: string) => `{"jsonrpc":"2.0","id":${id},${outcome}}`
const error = (message: string, data: string) =>
  rpc('"1"', `"error":{"code":-32603,"message":"${message}","data":{"type":${data}}}`)
const notification = (method: string, params: string) =>
  `{"jsonrpc":"2.0","method":"notifications/${method}","params":{${params}}}`

const unityLoop = {
  name: "uLoopMCP",
  start: FakeUnityLoop.start,
  faults: FakeUnityLoop.loopFaults,
  head: (size = Number.NaN) => `Content-Length: ${Number.isNaN(size) ? "many" : size}\r\n\r\n`,
  framed: headed,
  request: (id) => `{"jsonrpc":"2.0","id":"${id}","method":"ping"}`,
  answer: (id) => [69, rpc(`"${id}"`, '"result":{"Message":"Hello","Ver":"2.2.0"}')],
  success: (result) => rpc('"1"', `"result":${result}`),
  aside: [146, notification("tools/list_changed", '"timestamp":"T","message":"The tools have changed"')],
  stranger: [91, rpc('"ts_0_0_0_0000"', '"result":{"Message":"of another call","Ver":"2.2.0"}')],
  unreadable: [
    154,
    error("Internal error", '"internal_error","message":"The request could not be read."').replace('"1"', "null"),
  ],
  noise: "a line of a log that belongs to no frame\n",
  farewells: {
    reload: `Content-Length: 93\r\n\r\n${notification("server/shutdown", '"reason":"DomainReload"')}`,
    quit: `Content-Length: 91\r\n\r\n${notification("server/shutdown", '"reason":"EditorQuit"')}`,
  },
  bigSize: 8_388_655,
  project: [
    '{"jsonrpc":"2.0","id":"1","method":"get-version","params":{}}',
    '"DataPath":"/projects/AnotherGame/Assets"',
  ],
  own: [
    [
      "internal-error",
      169,
      error("Internal error", '"internal_error","message":"NullReferenceException: the fake editor failed"'),
    ],
    ["request-timeout", 140, error("Request timeout", '"internal_error","message":"It took too long"')],
    ["cause-in-message", 146, error("The value of MaxDepth is not a number", '"internal_error","message":""')],
    [
      "security-blocked",
      226,
      error(
        "Tool blocked by security settings",
        '"security_blocked","message":"ping is blocked","command":"ping","reason":"The security settings do not allow it."',
      ),
    ],
  ],
  results: [
    ["deep-json", 2_037, deep],
    ["null-result", 40, "null"],
  ],
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
  const { answer, bigSize, faults, framed, head, request, start } = protocol
  const whole = ([size, text]: Message) => head(size) + text
  const [size, text] = answer("1")
  const [answer1, answer2] = [whole(answer("1")), whole(answer("2"))]
  const aside = whole(protocol.aside)
  const answers: ReadonlyArray<readonly [fault: string, bytes: string]> = [
    ["silence", ""],
    ["late-answer", answer1],
    ["duplicate-answer", answer1 + answer1],
    ["noise", protocol.noise + answer1],
    ["joined-frames", aside + answer1 + aside],
    ["split-bytes", answer1],
    ["bad-header", head(undefined) + text],
    ["negative-length", head(-1) + text],
    ["huge-length", head(2_147_483_647) + text],
    ["long-length", head(size + 1_048_576) + text],
    ["zero-length", head(0) + text],
    ["no-json", `${head(size + 5)}${text.slice(0, -1)}, oops`],
    ["twenty-list-changed", aside.repeat(20) + answer1],
    ["unknown-id", whole(protocol.stranger) + answer1],
    ["error-id-null", whole(protocol.unreadable)],
    ...protocol.own.map(([fault, ...message]) => [fault, whole(message)] as const),
    ...protocol.results.map(([fault, size, result]) => [fault, head(size) + protocol.success(result)] as const),
  ]

  /** All that has come when a second call has been answered, each byte as one character. */
  const second = Effect.fnUntraced(function* (socket: RawSocket.RawSocket) {
    const before = socket.bytes().length
    socket.write(framed(request("2")))
    yield* socket.until('"id":"2"', before)
    yield* socket.until("}}", socket.bytes().indexOf('"id":"2"', before))
    return timeless(socket.bytes().toString("latin1"))
  })

  test.live.each(answers)("%s meets one call, and the next is answered", function* ([fault, bytes]) {
    const { socket } = yield* begin(protocol, fault)
    assert.strictEqual(yield* second(socket), bytes + answer2)
    assert.strictEqual(yield* second(socket), bytes + answer2 + answer2)
  })

  test.live("split-bytes sends every byte by itself", function* () {
    const { socket } = yield* begin(protocol, "split-bytes")
    yield* socket.until("}}")
    assert.isAbove(socket.chunks(), 20)
  })

  test.live("big-answer has a text of 8 MiB", function* () {
    const { socket } = yield* begin(protocol, "big-answer")
    const [beginning = "", end = ""] = whole([bigSize, protocol.success('{"text":"…"}')]).split("…")
    yield* socket.untilBytes(head(size).length + bigSize)
    const found = socket.bytes()
    assert.strictEqual(found.toString("latin1", 0, beginning.length + 1), `${beginning}x`)
    assert.isTrue(timeless(found.toString("latin1", found.length - 200)).endsWith(`x${end}`))
  })

  test.live("close-mid-frame ends the connection after half of the frame, and no other", function* () {
    const editor = yield* start({ faults: ["close-mid-frame"] })
    const [socket, other] = [yield* RawSocket.open(editor.port), yield* RawSocket.open(editor.port)]
    socket.write(framed(request("1")))
    yield* socket.ended
    assert.strictEqual(socket.bytes().toString("latin1"), answer1.slice(0, (head(size).length + size) >> 1))
    editor.control.calm()
    assert.strictEqual(yield* second(other), answer2)
  })

  test.live("reload-in-call closes everything without an answer, and listens again", function* () {
    const { editor, socket } = yield* begin(protocol, "reload-in-call")
    yield* socket.ended
    assert.strictEqual(socket.text(), protocol.farewells.reload)
    yield* second(yield* RawSocket.open(editor.port))
  })

  test.live("quit closes everything without an answer, and refuses connections", function* () {
    const { editor, socket } = yield* begin(protocol, "quit")
    yield* socket.ended
    assert.strictEqual(socket.text(), protocol.farewells.quit)
    assert.include(String(yield* Effect.flip(RawSocket.open(editor.port))), "ECONNREFUSED")
  })

  test.live("other-protocol answers the first bytes with HTTP, and closes", function* () {
    const { socket } = yield* begin(protocol, "other-protocol")
    yield* socket.ended
    assert.strictEqual(socket.text(), "HTTP/1.1 400 Bad Request\r\n\r\n")
  })

  test.live("wrong-project names another project", function* () {
    const editor = yield* start({ project: "/work/Game", faults: ["wrong-project"] })
    const socket = yield* RawSocket.open(editor.port)
    const [asks, part] = protocol.project
    socket.write(framed(asks))
    yield* socket.until(part)
  })

  test.live("every fault has a test here, in those of hold, or in the play mode of FakeUnity.test.ts", function* () {
    yield* Effect.void
    const byThemselves = ["hold", "quit", "reload-in-call", "big-answer", "close-mid-frame", "other-protocol"]
    const tested = answers.map(([name]) => name).concat(byThemselves, "wrong-project")
    assert.deepStrictEqual(tested.sort(), [...faults].sort())
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
