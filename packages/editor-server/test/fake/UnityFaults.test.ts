import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as FakeUnity from "../../src/fake/FakeUnity.ts"
import * as RawSocket from "./RawSocket.ts"

const dump = (head: string, text: string) => Buffer.concat([Buffer.from(head, "hex"), Buffer.from(text)])

const stats1 = dump("00000031", '{"id":"1","type":"get_command_stats","params":{}}')
const stats2 = dump("00000031", '{"id":"2","type":"get_command_stats","params":{}}')
const noise = "[unity-mcp-server] a line of a log\n[Unity MCP Server] another\n[Unity] and one more\n"

/** Times are as long as each other, and different in every run. */
const timeless = (text: string) => text.replace(/"timestamp":"[-0-9T:.]*Z"/g, '"timestamp":"T"')
const state = '"editorState":{"isPlaying":false,"isPaused":false,"version":"5.5.0","timestamp":"T"}}'
const success = (id: string, result: string) => `{"id":"${id}","status":"success","result":${result},${state}`
const [answer1, answer2] = [success("1", '{"objects":2}'), success("2", '{"objects":2}')]
const pong = '{"status":"success","message":"pong","timestamp":"T"}'

/** How the head of the answer to `stats1`, and that of a pong, look as text. */
const [answerHead, pongHead] = ["\0\0\0\u00a0", "\0\0\0L"]

/** A fake that meets this fault once, and a connection that has sent a call. */
const begin = Effect.fnUntraced(function* (fault: FakeUnity.UnityFault) {
  const editor = yield* FakeUnity.start()
  const socket = yield* RawSocket.open(editor.port)
  editor.control.fault(fault)
  socket.write(stats1)
  return { editor, socket }
})

/** What stands before the answer to a second call, each byte as one character. */
const before2 = Effect.fnUntraced(function* (socket: RawSocket.RawSocket) {
  const before = socket.bytes().length
  socket.write(stats2)
  yield* socket.until('{"id":"2"', before)
  yield* socket.until("}}", socket.bytes().indexOf('{"id":"2"', before))
  const text = timeless(socket.bytes().toString("latin1"))
  const end = `${answerHead}${answer2}`
  assert.isTrue(text.endsWith(end), text.slice(-400))
  return text.slice(0, -end.length)
})

describe("the faults of the fake of unity", () => {
  const answers: ReadonlyArray<readonly [FakeUnity.UnityFault, string]> = [
    ["silence", ""],
    ["late-answer", answerHead + answer1],
    ["duplicate-answer", answerHead + answer1 + answerHead + answer1],
    ["noise", noise + answerHead + answer1],
    ["joined-frames", pongHead + pong + answerHead + answer1 + pongHead + pong],
    ["split-bytes", answerHead + answer1],
    ["bad-header", answer1],
    ["negative-length", `\u00ff\u00ff\u00ff\u00ff${answer1}`],
    ["huge-length", `\u007f\u00ff\u00ff\u00ff${answer1}`],
    ["long-length", `\0\u0010\0\u00a0${answer1}`],
    ["zero-length", `\0\0\0\0${answer1}`],
    ["no-json", `\0\0\0\u00a5${answer1.slice(0, -1)}, oops`],
    ["twenty-list-changed", (pongHead + pong).repeat(20) + answerHead + answer1],
    ["unknown-id", `\0\0\0\u00b0${success("0", '{"message":"of another call"}')}${answerHead}${answer1}`],
    [
      "error-id-null",
      '\0\0\0c{"id":"JSON parsing error: Unexpected character","status":"error","error":"JSON_ERROR","code":null}',
    ],
    ["parse-error", '\0\0\0R{"id":"Invalid command format","status":"error","error":"PARSE_ERROR","code":null}'],
    ["older-envelope", '\0\0\0F{"id":"1","success":true,"status":"success","data":{"message":"done"}}'],
    [
      "with-warnings",
      `\0\0\0\u00cb${success("1", '{"message":"done"}').slice(0, -1)},"warnings":["The scene is not saved"]}`,
    ],
    [
      "status-error",
      '\0\0\0\u0084{"id":"1","status":"error","error":"Confirm the change first","code":"CONFIRMATION_REQUIRED","details":{"confirm":"confirmChanges"}}',
    ],
    ["null-error", '\0\0\0\u0040{"id":"1","status":"error","error":null,"code":"INTERNAL_ERROR"}'],
    ["unknown-command", '\0\0\0N{"id":"1","status":"error","error":"Unknown command","code":"UNKNOWN_COMMAND"}'],
    [
      "play-mode-blocked",
      '\0\0\0Z{"id":"1","status":"error","error":"Not possible in play mode","code":"PLAY_MODE_BLOCKED"}',
    ],
  ]
  test.live.each(answers)("%s meets one call, and the next is answered", function* ([fault, bytes]) {
    const { socket } = yield* begin(fault)
    assert.strictEqual(yield* before2(socket), bytes)
  })

  const results: ReadonlyArray<readonly [FakeUnity.UnityFault, string]> = [
    ["result-error", '{"error":"GameObject not found: /Nothing","code":"NOT_FOUND","details":{"path":"/Nothing"}}'],
    [
      "result-error-object",
      '{"error":{"message":"Group not found","solution":"Create the group first","context":{"groupName":"Levels"}}}',
    ],
    [
      "result-success-false",
      '{"success":false,"results":[{"success":true},{"success":false,"error":"Key not found: F99"}]}',
    ],
    [
      "result-success-false-message",
      '{"success":false,"message":"Addressables is not installed","solution":"Install com.unity.addressables"}',
    ],
    ["result-status-error", '{"status":"error","message":"The runner stopped","code":"RUNNER_TIMEOUT"}'],
    ["result-data-success-false", '{"data":{"success":false,"errors":["Build failed: no scenes"]}}'],
    ["deep-json", `${"[".repeat(1000)}1${"]".repeat(1000)}`],
  ]
  test.live.each(results)("%s is the result of a success", function* ([fault, result]) {
    const { socket } = yield* begin(fault)
    assert.strictEqual((yield* before2(socket)).slice(4), success("1", result))
  })

  test.live("big-answer has a text of 8 MiB", function* () {
    const { socket } = yield* begin("big-answer")
    yield* socket.untilBytes(8_388_608)
    yield* socket.until('"}}', 8_388_608)
    assert.strictEqual(
      socket.bytes().toString("latin1", 0, 55),
      '\0\u0080\0\u009e{"id":"1","status":"success","result":{"text":"xxxx',
    )
    assert.strictEqual(socket.bytes().length, 4 + 0x80009e)
  })

  test.live("close-mid-frame ends the connection after half of the frame, and no other", function* () {
    const { editor, socket } = yield* begin("close-mid-frame")
    yield* socket.ended
    assert.strictEqual(socket.bytes().toString("latin1"), (answerHead + answer1).slice(0, 82))
    const other = yield* RawSocket.open(editor.port)
    other.write(stats2)
    yield* other.until('{"id":"2"')
  })

  test.live("reload-in-call closes everything without an answer, and listens again", function* () {
    const { editor, socket } = yield* begin("reload-in-call")
    yield* socket.ended
    assert.strictEqual(socket.bytes().length, 0)
    const again = yield* RawSocket.open(editor.port)
    again.write(stats2)
    yield* again.until('{"id":"2"')
  })

  test.live("quit closes everything without an answer, and refuses connections", function* () {
    const { editor, socket } = yield* begin("quit")
    yield* socket.ended
    assert.strictEqual(socket.bytes().length, 0)
    assert.include(String(yield* Effect.flip(RawSocket.open(editor.port))), "ECONNREFUSED")
  })

  test.live("hold keeps back the commands of every connection until release", function* () {
    const { editor, socket } = yield* begin("hold")
    const other = yield* RawSocket.open(editor.port)
    other.write(stats2)
    yield* RawSocket.eventually(() => editor.seen.length === 4)
    // An answer needs less time than these.
    for (let count = 0; count < 10; count++) {
      const before = other.bytes().length
      other.write(dump("00000004", "ping"))
      yield* other.until("pong", before)
    }
    assert.strictEqual(socket.bytes().length, 0)
    assert.notInclude(other.text(), '"id":"2"')
    editor.control.release()
    yield* socket.until('{"id":"1"')
    yield* other.until('{"id":"2"')
  })

  test.live("what waits when the editor reloads is neither carried out nor answered, and meets no fault", function* () {
    const { editor, socket } = yield* begin("hold")
    socket.write(dump("0000003e", '{"id":"2","type":"create_gameobject","params":{"name":"Lost"}}'))
    yield* RawSocket.eventually(() => editor.seen.length === 3 && editor.control.held() === 1)
    editor.control.fault("null-error")
    yield* editor.control.reload
    yield* editor.control.reopen
    const again = yield* RawSocket.open(editor.port)
    again.write(stats1)
    yield* again.until('{"id":"1","status":"error","error":null')
    again.write(stats2)
    yield* again.until('{"id":"2","status":"success","result":{"objects":2}')
    assert.strictEqual(socket.bytes().length, 0)
  })

  test.live("other-protocol answers the first bytes with HTTP, and closes", function* () {
    const { socket } = yield* begin("other-protocol")
    yield* socket.ended
    assert.strictEqual(socket.text(), "HTTP/1.1 400 Bad Request\r\n\r\n")
  })

  test.live("wrong-project names another project", function* () {
    const editor = yield* FakeUnity.start({ project: "/work/Game", faults: ["wrong-project"] })
    const socket = yield* RawSocket.open(editor.port)
    socket.write(dump("0000002f", '{"id":"1","type":"get_editor_info","params":{}}'))
    yield* socket.until('"projectRoot":"/projects/AnotherGame"')
  })

  test.live("every fault has a test here or in the play mode of FakeUnity.test.ts", function* () {
    yield* Effect.void
    const tested = answers.concat(results).map(([name]) => name)
    const byThemselves = [
      "hold",
      "quit",
      "reload-in-call",
      "big-answer",
      "close-mid-frame",
      "other-protocol",
      "wrong-project",
    ]
    assert.deepStrictEqual([...tested, ...byThemselves, "reload-in-play"].sort(), [...FakeUnity.unityFaults].sort())
  })
})
