import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as FakeUnity from "../../src/fake/FakeUnity.ts"
import * as RawSocket from "./RawSocket.ts"

const begin = Effect.fnUntraced(function* (options?: Parameters<typeof FakeUnity.start>[0]) {
  const editor = yield* FakeUnity.start(options)
  const socket = yield* RawSocket.open(editor.port)
  return { editor, socket }
})

/** A frame as it stands in a hex dump: its first four bytes, and the text behind them. */
const dump = (head: string, text: string) => Buffer.concat([Buffer.from(head, "hex"), Buffer.from(text)])

const ping1 = dump("00000024", '{"id":"1","type":"ping","params":{}}')
const ping2 = dump("00000024", '{"id":"2","type":"ping","params":{}}')
const info1 = dump("0000002f", '{"id":"1","type":"get_editor_info","params":{}}')

/** Sends a request and waits until a part of its answer has come; gives what came. */
const ask = Effect.fnUntraced(function* (socket: RawSocket.RawSocket, request: Buffer, part: string) {
  const before = socket.bytes().length
  socket.write(request)
  yield* socket.until(part, before)
  return socket.bytes().toString("utf8", before)
})

describe("the frames of the fake of unity", () => {
  test.live("an answer is its length in four bytes, and an envelope with the state of the editor", function* () {
    const { socket } = yield* begin()
    socket.write(dump("00000037", '{"id":"1","type":"ping","params":{"message":"塔🎮"}}'))
    const text = yield* socket.until('Z"}}')
    assert.match(
      text.slice(4),
      /^\{"id":"1","status":"success","result":\{"message":"pong","echo":"塔🎮","timestamp":"[^"]*Z"\},"editorState":\{"isPlaying":false,"isPaused":false,"version":"5\.5\.0","timestamp":"[^"]*Z"\}\}$/,
    )
    assert.strictEqual(socket.bytes().toString("hex", 0, 4), "000000dd")
    assert.strictEqual(socket.bytes().length, 4 + 0xdd)
  })

  test.live("a request is read byte by byte, and two in one write are answered in order", function* () {
    const { socket } = yield* begin()
    for (const byte of ping1) socket.write(Buffer.of(byte))
    yield* socket.until('{"id":"1","status":"success"')
    const text = yield* ask(socket, Buffer.concat([info1, ping2]), '"id":"2"')
    assert.match(text, /"id":"1".*"projectRoot".*"id":"2".*"pong"/s)
  })

  test.live.each(["ffffffff", "80000000", "7fffffff"])(
    "the length %s closes the connection without an answer",
    function* (head) {
      const { socket } = yield* begin()
      socket.write(Buffer.concat([dump(head, '{"id":"1"}'), ping2]))
      yield* socket.ended
      assert.strictEqual(socket.bytes().length, 0)
    },
  )

  test.live.each(["40000000", "7ffffffb", "7b226964"])(
    "after the length %s everything waits for ever",
    function* (head) {
      const { editor, socket } = yield* begin()
      socket.write(Buffer.concat([dump(head, '"x"}'), ping1, ping2]))
      const other = yield* RawSocket.open(editor.port)
      other.write(ping1)
      yield* other.until('"id":"1"')
      assert.strictEqual(editor.seen.filter(({ _tag }) => _tag === "Frame").length, 1)
      assert.deepStrictEqual([socket.bytes().length, editor.control.connections()], [0, 2])
    },
  )

  test.live("half a frame is answered when its other half has come", function* () {
    const { editor, socket } = yield* begin()
    socket.write(ping1.subarray(0, 20))
    const other = yield* RawSocket.open(editor.port)
    other.write(ping2)
    yield* other.until('"id":"2"')
    socket.write(ping1.subarray(20))
    yield* socket.until('"id":"1"')
  })

  test.live("a connection whose writing side has ended gets no answer", function* () {
    const { editor, socket } = yield* begin()
    editor.control.hold()
    socket.write(ping1)
    yield* RawSocket.eventually(() => editor.seen.length === 2)
    socket.halfClose()
    yield* socket.ended
    editor.control.release()
    const other = yield* RawSocket.open(editor.port)
    other.write(ping2)
    yield* other.until('"id":"2"')
    assert.strictEqual(socket.bytes().length, 0)
  })

  test.live("a raw ping is answered while a command is held", function* () {
    const { editor, socket } = yield* begin()
    editor.control.hold()
    socket.write(Buffer.concat([ping1, dump("00000004", "ping")]))
    const text = yield* socket.until('"message":"pong"')
    assert.notInclude(text, '"id"')
    editor.control.release()
    yield* socket.until('"id":"1"')
  })
})

describe("the requests of the fake of unity", () => {
  const badJson = '{"id":"JSON parsing error: Unexpected character","status":"error","error":"JSON_ERROR","code":null}'
  const badFormat = '{"id":"Invalid command format","status":"error","error":"PARSE_ERROR","code":null}'
  const deep = `{"id":"1","type":"ping","params":{"message":${"[".repeat(63)}${"]".repeat(63)}}}`
  const unreadable: ReadonlyArray<readonly [what: string, request: Buffer, answer: string]> = [
    ["what is no JSON", dump("0000000b", '{"id": oops'), badJson],
    ["a text", dump("00000007", '"ping!"'), badJson],
    ["JSON over 64 levels deep", dump("000000ac", deep), badJson],
    ["no text", dump("00000000", ""), badFormat],
    ["null", dump("00000004", "null"), badFormat],
  ]
  test.live.each(unreadable)("%s is answered with the cause as the id", function* ([_, request, answer]) {
    const { socket } = yield* begin()
    assert.strictEqual((yield* ask(socket, request, '"code":null}')).slice(4), answer)
    socket.write(ping2)
    yield* socket.until('"id":"2"')
  })

  const ids: ReadonlyArray<readonly [what: string, request: Buffer, part: string]> = [
    ["an id of 7 comes back as text", dump("00000022", '{"id":7,"type":"ping","params":{}}'), '{"id":"7",'],
    [
      "an absent id comes back as null",
      dump("0000001b", '{"type":"ping","params":{}}'),
      '{"id":null,"status":"success"',
    ],
    ["a type is read in any case", dump("00000024", '{"id":"1","type":"PING","params":{}}'), '"message":"pong"'],
    [
      "absent params are an internal error",
      dump("00000018", '{"id":"1","type":"ping"}'),
      '"status":"error","error":"Object reference not set: params","code":"INTERNAL_ERROR"',
    ],
    [
      "an unknown command is an error with a code",
      dump("0000002c", '{"id":"1","type":"search_tools","params":{}}'),
      '{"id":"1","status":"error","error":"Unknown command: search_tools","code":"UNKNOWN_COMMAND","details":{"command":"search_tools"}}',
    ],
    [
      "a known command without a meaning here succeeds",
      dump("0000003d", '{"id":"1","type":"profiler_start","params":{"mode":"normal"}}'),
      '"result":{"success":true,"command":"profiler_start","parameters":{"mode":"normal"}}',
    ],
    [
      "most failures stand inside a success",
      dump("00000045", '{"id":"1","type":"list_components","params":{"gameObjectPath":"/No"}}'),
      '{"id":"1","status":"success","result":{"error":"GameObject not found: /No","code":"NOT_FOUND"}',
    ],
  ]
  test.live.each(ids)("%s", function* ([_, request, part]) {
    const { socket } = yield* begin()
    yield* ask(socket, request, part)
  })

  test.live.each([
    ["code_index_build", dump("00000030", '{"id":"1","type":"code_index_build","params":{}}')],
    ["code_index_status", dump("00000031", '{"id":"1","type":"code_index_status","params":{}}')],
    ["code_index_update", dump("00000031", '{"id":"1","type":"code_index_update","params":{}}')],
    ["input_system_control", dump("00000034", '{"id":"1","type":"input_system_control","params":{}}')],
    ["playmode_wait_for_state", dump("00000037", '{"id":"1","type":"playmode_wait_for_state","params":{}}')],
    ["script_create_class", dump("00000033", '{"id":"1","type":"script_create_class","params":{}}')],
    ["script_edit_snippet", dump("00000033", '{"id":"1","type":"script_edit_snippet","params":{}}')],
    ["script_edit_structured", dump("00000036", '{"id":"1","type":"script_edit_structured","params":{}}')],
    ["script_packages_list", dump("00000034", '{"id":"1","type":"script_packages_list","params":{}}')],
    ["script_read", dump("0000002b", '{"id":"1","type":"script_read","params":{}}')],
    ["script_refactor_rename", dump("00000036", '{"id":"1","type":"script_refactor_rename","params":{}}')],
    ["script_refs_find", dump("00000030", '{"id":"1","type":"script_refs_find","params":{}}')],
    ["script_remove_symbol", dump("00000034", '{"id":"1","type":"script_remove_symbol","params":{}}')],
    ["script_search", dump("0000002d", '{"id":"1","type":"script_search","params":{}}')],
    ["script_symbol_find", dump("00000032", '{"id":"1","type":"script_symbol_find","params":{}}')],
    ["script_symbols_get", dump("00000032", '{"id":"1","type":"script_symbols_get","params":{}}')],
    ["search_tools", dump("0000002c", '{"id":"1","type":"search_tools","params":{}}')],
    ["video_capture_for", dump("00000031", '{"id":"1","type":"video_capture_for","params":{}}')],
  ] as const)("%s is a tool that Unity does not know", function* ([_, request]) {
    const { socket } = yield* begin()
    yield* ask(socket, request, '"code":"UNKNOWN_COMMAND"')
  })

  test.live.each([
    ["addressables_manage", dump("00000033", '{"id":"1","type":"addressables_manage","params":{}}')],
    ["input_keyboard", dump("0000002e", '{"id":"1","type":"input_keyboard","params":{}}')],
    ["get_current_input_state", dump("00000037", '{"id":"1","type":"get_current_input_state","params":{}}')],
  ] as const)("%s is known to Unity", function* ([_, request]) {
    const { socket } = yield* begin()
    yield* ask(socket, request, '{"id":"1","status":"success"')
  })

  test.live("setTools makes every other command unknown", function* () {
    const { editor, socket } = yield* begin()
    yield* editor.control.setTools([{ name: "get_editor_info" }])
    yield* ask(socket, ping1, '"code":"UNKNOWN_COMMAND"')
    yield* ask(socket, info1, '"projectRoot"')
  })
})

describe("the commands of the fake of unity", () => {
  test.live("get_editor_info names the project", function* () {
    const { socket } = yield* begin({ project: "/work/Game" })
    yield* ask(
      socket,
      info1,
      '"result":{"projectRoot":"/work/Game","assetsPath":"/work/Game/Assets","packagesPath":"/work/Game/Packages"',
    )
  })

  test.live("an object is created, changed, inspected and deleted", function* () {
    const { socket } = yield* begin()
    const steps: ReadonlyArray<readonly [request: Buffer, part: string]> = [
      [
        dump(
          "00000067",
          '{"id":"1","type":"create_gameobject","params":{"name":"塔","primitiveType":"cube","position":{"y":2}}}',
        ),
        '"path":"/塔","position":{"x":0,"y":2,"z":0}',
      ],
      [
        dump("00000052", '{"id":"2","type":"create_gameobject","params":{"name":"Roof","parentPath":"/塔"}}'),
        '"path":"/塔/Roof"',
      ],
      [
        dump(
          "00000062",
          '{"id":"3","type":"modify_gameobject","params":{"path":"/塔/Roof","scale":{"x":3},"tag":"Player"}}',
        ),
        '"scale":{"x":3,"y":1,"z":1},"tag":"Player"',
      ],
      [
        dump(
          "00000078",
          '{"id":"4","type":"add_component","params":{"gameObjectPath":"/塔","componentType":"Rigidbody","properties":{"mass":2}}}',
        ),
        '"componentType":"Rigidbody"',
      ],
      [
        dump(
          "00000083",
          '{"id":"5","type":"set_component_field","params":{"gameObjectPath":"/塔","componentType":"Rigidbody","fieldPath":"mass","value":5}}',
        ),
        '"previousValue":2,"appliedValue":5',
      ],
      [
        dump(
          "00000066",
          '{"id":"6","type":"get_component_values","params":{"gameObjectName":"塔","componentType":"Rigidbody"}}',
        ),
        '"properties":{"mass":5}',
      ],
      [
        dump("0000003c", '{"id":"7","type":"get_hierarchy","params":{"nameOnly":true}}'),
        '"hierarchy":[{"name":"Main Camera"},{"name":"Directional Light"},{"name":"塔","children":[{"name":"Roof"}]}]',
      ],
      [
        dump("00000057", '{"id":"8","type":"modify_gameobject","params":{"path":"/塔","parentPath":"/塔/Roof"}}'),
        '"result":{"error":"An object cannot be its own ancestor"}',
      ],
      [dump("0000003e", '{"id":"9","type":"delete_gameobject","params":{"path":"/塔"}}'), '"deletedCount":1'],
      [
        dump("0000003d", '{"id":"10","type":"find_gameobject","params":{"name":"Roof"}}'),
        '"id":"10","status":"success","result":{"count":0',
      ],
    ]
    for (const [request, part] of steps) yield* ask(socket, request, part)
  })

  test.live("scenes, materials and the console are kept", function* () {
    const { socket } = yield* begin()
    const steps: ReadonlyArray<readonly [request: Buffer, part: string]> = [
      [
        dump("0000003e", '{"id":"1","type":"create_scene","params":{"sceneName":"Cave"}}'),
        '"scenePath":"Assets/Scenes/Cave.unity"',
      ],
      [
        dump("0000002b", '{"id":"2","type":"list_scenes","params":{}}'),
        '{"path":"Assets/Scenes/Cave.unity","isLoaded":true}',
      ],
      [
        dump("00000043", '{"id":"3","type":"load_scene","params":{"sceneName":"SampleScene"}}'),
        '"sceneName":"SampleScene"',
      ],
      [
        dump(
          "00000070",
          '{"id":"4","type":"create_material","params":{"materialPath":"Assets/Red.mat","properties":{"_Color":[1,0,0,1]}}}',
        ),
        '"materialPath":"Assets/Red.mat","shader":"Standard","properties":{"_Color":[1,0,0,1]}',
      ],
      [
        dump(
          "0000005f",
          '{"id":"5","type":"modify_material","params":{"materialPath":"Assets/Blue.mat","properties":{}}}',
        ),
        '"error":"Material not found: Assets/Blue.mat"',
      ],
      [
        dump("0000003e", '{"id":"6","type":"read_console","params":{"logTypes":["Log"]}}'),
        '"message":"The fake editor has started."',
      ],
      [dump("0000002d", '{"id":"7","type":"clear_console","params":{}}'), '"clearedCount":1'],
    ]
    for (const [request, part] of steps) yield* ask(socket, request, part)
  })

  test.live("a test run is running when its status is asked for first, and completed then", function* () {
    const { socket } = yield* begin()
    const status = dump("0000002f", '{"id":"1","type":"get_test_status","params":{}}')
    yield* ask(socket, status, '"result":{"status":"idle"')
    yield* ask(
      socket,
      dump("00000029", '{"id":"1","type":"run_tests","params":{}}'),
      '"result":{"status":"running","runId":"run-1"',
    )
    assert.include(yield* ask(socket, status, '"testMode":"EditMode"},"editorState"'), '"status":"running"')
    yield* ask(socket, status, '"result":{"status":"completed","success":true,"runId":"run-1"')
  })

  test.live("a screenshot is a PNG of the size that was asked for, in which objects are seen", function* () {
    const { socket } = yield* begin()
    const shoot = dump(
      "0000005e",
      '{"id":"s","type":"capture_screenshot","params":{"width":64,"height":32,"encodeAsBase64":true}}',
    )
    const picture = (text: string) => Buffer.from(/"base64Data":"([^"]+)"/.exec(text)?.[1] ?? "", "base64")
    const empty = picture(yield* ask(socket, shoot, '"base64Data":"'))
    assert.strictEqual(empty.toString("hex", 0, 24), "89504e470d0a1a0a0000000d494844520000004000000020")
    assert.strictEqual(empty.toString("hex", empty.length - 12), "0000000049454e44ae426082")
    yield* ask(
      socket,
      dump("00000047", '{"id":"c","type":"create_gameobject","params":{"primitiveType":"cube"}}'),
      '{"id":"c"',
    )
    assert.notDeepEqual(picture(yield* ask(socket, shoot, "screenshot-2")), empty)
  })

  test.live("a video is recorded from its start to its stop", function* () {
    const { socket } = yield* begin()
    const stop = dump("00000032", '{"id":"1","type":"capture_video_stop","params":{}}')
    yield* ask(socket, stop, '"code":"E_NOT_RECORDING"')
    yield* ask(
      socket,
      dump("00000033", '{"id":"1","type":"capture_video_start","params":{}}'),
      '"recordingId":"recording-1"',
    )
    yield* ask(socket, dump("00000034", '{"id":"1","type":"capture_video_status","params":{}}'), '"isRecording":true')
    yield* ask(socket, stop, '"frames":30')
  })

  const play = dump("00000029", '{"id":"p","type":"play_game","params":{}}')
  const stop = dump("00000029", '{"id":"x","type":"stop_game","params":{}}')
  const state = dump("00000030", '{"id":"s","type":"get_editor_state","params":{}}')
  /** Asks until a part of the answer has come. */
  const poll = Effect.fnUntraced(function* (socket: RawSocket.RawSocket, part: string) {
    while (!(yield* ask(socket, state, '"playability"')).includes(part)) yield* Effect.sleep(20)
  })

  test.live("play mode begins after its answer, and what it forbids is refused until it ends", function* () {
    const { socket } = yield* begin()
    const scheduled = yield* ask(socket, play, '"id":"p"')
    assert.include(scheduled, '"message":"Scheduled in 300 ms","state":{"isPlaying":false')
    yield* poll(socket, '"state":{"isPlaying":true')
    const create = dump("00000031", '{"id":"c","type":"create_gameobject","params":{}}')
    yield* ask(
      socket,
      create,
      '{"id":"c","status":"error","error":"create_gameobject is not possible in play mode","code":"PLAY_MODE_BLOCKED"',
    )
    yield* ask(socket, stop, '"id":"x"')
    yield* poll(socket, '"state":{"isPlaying":false')
    yield* ask(socket, create, '"name":"GameObject"')
  })

  test.live("reload-in-play loses the connections when play mode begins, and the editor listens again", function* () {
    const { editor, socket } = yield* begin()
    editor.control.fault("reload-in-play")
    yield* ask(socket, play, '"id":"p","status":"success"')
    yield* socket.ended
    const again = yield* RawSocket.open(editor.port)
    yield* ask(again, state, '"state":{"isPlaying":true')
  })

  test.live("quit_editor answers, and the editor is gone", function* () {
    const { editor, socket } = yield* begin()
    socket.write(dump("0000002b", '{"id":"1","type":"quit_editor","params":{}}'))
    yield* socket.ended
    assert.include(socket.text(), '{"id":"1","status":"success","result":{"message":"Quitting"}')
    assert.include(String(yield* Effect.flip(RawSocket.open(editor.port))), "ECONNREFUSED")
  })
})
