import { assert, describe } from "@effect/vitest"
import * as RawSocket from "@zain/testkit/RawSocket"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { prefixed } from "../../editor-link/testing/Frames.ts"
import * as FakeUnity from "../src/fake/FakeUnity.ts"

const begin = Effect.fnUntraced(function* (options?: Parameters<typeof FakeUnity.start>[0]) {
  const editor = yield* FakeUnity.start(options)
  const socket = yield* RawSocket.open(editor.port)
  return { editor, socket }
})

/** A command whose frame is not what is tested. */
const request = (id: string, type: string, params = {}) => prefixed(JSON.stringify({ id, type, params }))

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

/** Sends commands one after the other; each answer has its part. */
const askAll = (socket: RawSocket.RawSocket, steps: ReadonlyArray<readonly [string, object, part: string]>) =>
  Effect.forEach(steps, ([type, params, part], at) => ask(socket, request(`${at + 1}`, type, params), part))

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

  const unknown = ["code_index_build", "code_index_status", "code_index_update", "input_system_control"]
    .concat(["playmode_wait_for_state", "script_create_class", "script_edit_snippet", "script_edit_structured"])
    .concat(["script_packages_list", "script_read", "script_refactor_rename", "script_refs_find"])
    .concat(["script_remove_symbol", "script_search", "script_symbol_find", "script_symbols_get", "search_tools"])
    .concat("video_capture_for")
  test.live(
    "Unity knows commands that are no tools, and not the 18 tools that are carried out elsewhere",
    function* () {
      const { socket } = yield* begin()
      for (const name of unknown) {
        yield* ask(socket, request("1", name), `"code":"UNKNOWN_COMMAND","details":{"command":"${name}"}`)
      }
      assert.lengthOf(unknown, 18)
      for (const name of ["addressables_manage", "input_keyboard", "get_current_input_state"]) {
        yield* ask(socket, request(name, name), `{"id":"${name}","status":"success"`)
      }
    },
  )
})

describe("the commands of the fake of unity", () => {
  test.live("an object is created, changed, inspected and deleted", function* () {
    const { socket } = yield* begin()
    yield* askAll(socket, [
      [
        "create_gameobject",
        { name: "塔", primitiveType: "cube", position: { y: 2 } },
        '"path":"/塔","position":{"x":0,"y":2,"z":0}',
      ],
      ["create_gameobject", { name: "Roof", parentPath: "/塔" }, '"path":"/塔/Roof"'],
      [
        "modify_gameobject",
        { path: "/塔/Roof", scale: { x: 3 }, tag: "Player" },
        '"scale":{"x":3,"y":1,"z":1},"tag":"Player"',
      ],
      [
        "add_component",
        { gameObjectPath: "/塔", componentType: "Rigidbody", properties: { mass: 2 } },
        '"componentType":"Rigidbody"',
      ],
      [
        "set_component_field",
        { gameObjectPath: "/塔", componentType: "Rigidbody", fieldPath: "mass", value: 5 },
        '"previousValue":2,"appliedValue":5',
      ],
      ["get_component_values", { gameObjectName: "塔", componentType: "Rigidbody" }, '"properties":{"mass":5}'],
      [
        "get_hierarchy",
        { nameOnly: true },
        '"hierarchy":[{"name":"Main Camera"},{"name":"Directional Light"},{"name":"塔","children":[{"name":"Roof"}]}]',
      ],
      [
        "modify_gameobject",
        { path: "/塔", parentPath: "/塔/Roof" },
        '"result":{"error":"An object cannot be its own ancestor"}',
      ],
      ["delete_gameobject", { path: "/塔" }, '"deletedCount":1'],
      ["find_gameobject", { name: "Roof" }, '"id":"10","status":"success","result":{"count":0'],
    ])
  })

  test.live("scenes, materials and the console are kept", function* () {
    const { socket } = yield* begin()
    yield* askAll(socket, [
      ["create_scene", { sceneName: "Cave" }, '"scenePath":"Assets/Scenes/Cave.unity"'],
      ["list_scenes", {}, '{"path":"Assets/Scenes/Cave.unity","isLoaded":true}'],
      ["load_scene", { sceneName: "SampleScene" }, '"sceneName":"SampleScene"'],
      [
        "create_material",
        { materialPath: "Assets/Red.mat", properties: { _Color: [1, 0, 0, 1] } },
        '"materialPath":"Assets/Red.mat","shader":"Standard","properties":{"_Color":[1,0,0,1]}',
      ],
      [
        "modify_material",
        { materialPath: "Assets/Blue.mat", properties: {} },
        '"error":"Material not found: Assets/Blue.mat"',
      ],
      ["read_console", { logTypes: ["Log"] }, '"message":"The fake editor has started."'],
      ["clear_console", {}, '"clearedCount":1'],
    ])
  })

  test.live("a screenshot is a PNG of the size that was asked for, in which objects are seen", function* () {
    const { socket } = yield* begin()
    const shoot = request("s", "capture_screenshot", { width: 64, height: 32, encodeAsBase64: true })
    const picture = (text: string) => Buffer.from(/"base64Data":"([^"]+)"/.exec(text)?.[1] ?? "", "base64")
    const empty = picture(yield* ask(socket, shoot, '"base64Data":"'))
    assert.strictEqual(empty.toString("hex", 0, 24), "89504e470d0a1a0a0000000d494844520000004000000020")
    assert.strictEqual(empty.toString("hex", empty.length - 12), "0000000049454e44ae426082")
    yield* ask(socket, request("c", "create_gameobject", { primitiveType: "cube" }), '{"id":"c"')
    assert.notDeepEqual(picture(yield* ask(socket, shoot, "screenshot-2")), empty)
  })

  test.live("quit_editor answers, and the editor is gone", function* () {
    const { editor, socket } = yield* begin()
    socket.write(request("1", "quit_editor"))
    yield* socket.ended
    assert.include(socket.text(), '{"id":"1","status":"success","result":{"message":"Quitting"}')
    assert.include(String(yield* Effect.flip(RawSocket.open(editor.port))), "ECONNREFUSED")
  })
})
