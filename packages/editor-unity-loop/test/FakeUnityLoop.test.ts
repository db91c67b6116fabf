import { assert, describe } from "@effect/vitest"
import * as RawSocket from "@zain/testkit/RawSocket"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { headed } from "../../editor-link/testing/Frames.ts"
import * as FakeUnityLoop from "../src/fake/FakeUnityLoop.ts"

const begin = Effect.fnUntraced(function* (options?: Parameters<typeof FakeUnityLoop.start>[0]) {
  const editor = yield* FakeUnityLoop.start(options)
  const socket = yield* RawSocket.open(editor.port)
  return { editor, socket }
})

/** A request whose frame is not what is tested. */
const request = (id: string, method: string, params?: object) =>
  headed(JSON.stringify({ jsonrpc: "2.0", id, method, params }))

/** Sends a request and waits until a part of its answer has come; gives all that has come. */
const ask = (socket: RawSocket.RawSocket, request: string, part: string) =>
  Effect.andThen(
    Effect.sync(() => socket.write(request)),
    socket.until(part),
  )

const ping1 = 'Content-Length: 42\r\n\r\n{"jsonrpc":"2.0","id":"1","method":"ping"}'
const ping2 = 'Content-Length: 42\r\n\r\n{"jsonrpc":"2.0","id":"2","method":"ping"}'
const ping3 = 'Content-Length: 42\r\n\r\n{"jsonrpc":"2.0","id":"3","method":"ping"}'
const pong = (id: string) =>
  `Content-Length: 69\r\n\r\n{"jsonrpc":"2.0","id":"${id}","result":{"Message":"Hello","Ver":"2.2.0"}}`

describe("the frames of the fake of uLoopMCP", () => {
  test.live("an answer's length counts bytes of UTF-8", function* () {
    const { socket } = yield* begin()
    socket.write('Content-Length: 76\r\n\r\n{"jsonrpc":"2.0","id":"é","method":"ping","params":{"Message":"café🎮"}}')
    yield* socket.until("}}")
    const expected = 'Content-Length: 74\r\n\r\n{"jsonrpc":"2.0","id":"é","result":{"Message":"café🎮","Ver":"2.2.0"}}'
    assert.strictEqual(socket.text(), expected)
  })

  test.live("a request is read byte by byte, its header in any case and beside other headers", function* () {
    const { socket } = yield* begin()
    const frame = 'X-Other: 1\r\ncontent-LENGTH:  42\r\n\r\n{"jsonrpc":"2.0","id":"1","method":"ping"}'
    for (const byte of frame) socket.write(byte)
    assert.strictEqual(yield* socket.until("}}"), pong("1"))
  })

  test.live("three requests in one write are answered in order", function* () {
    const { socket } = yield* begin()
    socket.write(ping1 + ping2 + ping3)
    assert.strictEqual(yield* socket.until('"3","result"'), pong("1") + pong("2") + pong("3"))
  })

  test.live.each(["garbage\r\n\r\n", "Content-Length: -5\r\n\r\n{}", "X: 1\r\n\r\n{}", "Content-Length: x\r\n\r\n{}"])(
    "after %j nothing is answered, and the connection closes over 1 MiB",
    function* (garbage) {
      const { editor, socket } = yield* begin()
      const other = yield* RawSocket.open(editor.port)
      socket.write(garbage + ping1 + " ".repeat(2 ** 20 - garbage.length - ping1.length))
      other.write(ping2)
      yield* other.until(pong("2"))
      assert.strictEqual(editor.control.connections(), 2)
      socket.write(" ")
      yield* socket.ended
      assert.strictEqual(socket.text(), "")
    },
  )

  test.live("a frame of 1,044,480 bytes is answered, and one over 1 MiB closes the connection", function* () {
    const { socket } = yield* begin()
    const filled = (length: number) =>
      `Content-Length: ${length}\r\n\r\n{"jsonrpc":"2.0","id":"1","method":"ping"${" ".repeat(length - 42)}}`
    socket.write(filled(1_044_453))
    yield* socket.until(pong("1"))
    socket.write(filled(2 ** 20))
    yield* socket.ended
    assert.strictEqual(socket.text(), pong("1"))
  })

  test.live("a request whose id is null is carried out and not answered", function* () {
    const { socket } = yield* begin()
    socket.write(
      'Content-Length: 84\r\n\r\n{"jsonrpc":"2.0","id":null,"method":"create-game-object","params":{"Name":"Silent"}}',
    )
    socket.write(
      'Content-Length: 83\r\n\r\n{"jsonrpc":"2.0","id":"2","method":"get-hierarchy","params":{"RootPath":"/Silent"}}',
    )
    yield* socket.until('"nodeCount":1')
    assert.include(socket.text(), '{"jsonrpc":"2.0","id":"2"')
    assert.strictEqual(socket.text().match(/Content-Length/g)?.length, 1)
  })
})

describe("the greeting of the fake of uLoopMCP", () => {
  test.live("set-client-name answers with the name", function* () {
    const { socket } = yield* begin()
    yield* ask(
      socket,
      request("1", "set-client-name", { ClientName: "Cursor" }),
      '"result":{"Message":"Connected: Cursor","ClientName":"Cursor"}',
    )
  })

  test.live("get-tool-details lists tools of development only where they are asked for", function* () {
    const { socket } = yield* begin()
    const listed = yield* ask(socket, request("1", "get-tool-details", { IncludeDevelopmentOnly: false }), '"Ver"')
    assert.include(listed, '"name":"run-tests"')
    assert.include(listed, '"description":"[BLOCKED] ')
    assert.notInclude(listed, '"name":"unity-search"')
    assert.notInclude(listed, '"displayDevelopmentOnly":true')
    const development = yield* RawSocket.open((yield* begin()).editor.port)
    development.write(request("1", "get-tool-details", { IncludeDevelopmentOnly: true }))
    assert.include(yield* development.until('"Ver"'), '"name":"get-version"')
  })
})

describe("the tools of the fake of uLoopMCP", () => {
  test.live("what is created stands in the hierarchy until it is deleted", function* () {
    const { socket } = yield* begin()
    yield* ask(
      socket,
      request("1", "create-game-object", {
        Name: "塔",
        PrimitiveType: "Cube",
        ParentPath: "Main Camera",
        Position: { x: 1, y: 2 },
      }),
      '"Path":"/Main Camera/塔","Position":{"x":1,"y":2,"z":0}',
    )
    socket.write(request("2", "get-hierarchy", {}))
    const tower =
      '"name":"塔","path":"/Main Camera/塔","depth":1,"isActive":true,"components":["Transform","MeshFilter"'
    yield* socket.until(tower)
    yield* ask(socket, request("3", "delete-game-object", { Path: "/Main Camera" }), '"DeletedCount":2')
    yield* ask(socket, request("4", "find-game-objects", { NamePattern: "塔" }), '"totalFound":0')
  })

  test.live("the console is read and cleared, and a result can be null", function* () {
    const { socket } = yield* begin()
    yield* ask(socket, request("1", "get-logs", { LogType: "Log" }), '"TotalCount":1,"DisplayedCount":1')
    yield* ask(socket, request("2", "clear-console"), '"ClearedLogCount":1')
    yield* ask(socket, request("3", "focus-window"), '{"jsonrpc":"2.0","id":"3","result":null}')
  })

  test.live.each([
    ["compile", request("1", "compile"), '"ErrorCount":0'],
    ["run-tests", request("1", "run-tests", { TestMode: 1 }), "EditMode: 3 tests passed"],
    [
      "execute-menu-item",
      request("1", "execute-menu-item", { MenuItemPath: "GameObject/3D Object/Sphere" }),
      '"Success":true',
    ],
    ["get-menu-items", request("1", "get-menu-items", { FilterText: "sphere" }), '"TotalCount":1'],
  ] as const)("%s is answered plausibly", function* ([_, request, part]) {
    const { socket } = yield* begin()
    yield* ask(socket, request, part)
  })

  const error = (id: string, message: string, data: string) =>
    `{"jsonrpc":"2.0","id":${id},"error":{"code":-32603,"message":"${message}","data":{"type":${data}}}}`
  const unreadable = error("null", "Internal error", '"internal_error","message":"The request could not be read."')
  const errors: ReadonlyArray<readonly [what: string, request: string, answer: string]> = [
    [
      "an unknown method",
      request("1", "no-such-tool", {}),
      error('"1"', "Internal error", '"internal_error","message":"Unknown tool: no-such-tool"'),
    ],
    [
      "a blocked tool",
      request("1", "execute-dynamic-code", { Code: "1" }),
      error(
        '"1"',
        "Tool blocked by security settings",
        '"security_blocked","message":"execute-dynamic-code is blocked","command":"execute-dynamic-code","reason":"The security settings do not allow it."',
      ),
    ],
    [
      "a wrong argument",
      request("1", "get-logs", { MaxCount: "many" }),
      error('"1"', "Error converting value of 'MaxCount' to type number", '"internal_error","message":""'),
    ],
    [
      "a disabled tool",
      request("1", "unity-search", {}),
      error('"1"', "unity-search is disabled", '"internal_error","message":""'),
    ],
    ["what is no JSON", "Content-Length: 6\r\n\r\n{oops}", unreadable],
    ["a batch", 'Content-Length: 44\r\n\r\n[{"jsonrpc":"2.0","id":"1","method":"ping"}]', unreadable],
    [
      "JSON over 64 levels deep",
      `Content-Length: 192\r\n\r\n{"jsonrpc":"2.0","id":"1","method":"ping","params":{"a":${"[".repeat(67)}${"]".repeat(67)}}}`,
      unreadable,
    ],
  ]
  test.live.each(errors)("%s is answered with an error in Unity's form", function* ([_, request, answer]) {
    const { socket } = yield* begin()
    socket.write(request)
    assert.strictEqual((yield* socket.until("}}}")).split("\r\n\r\n")[1], answer)
    socket.write(ping2)
    yield* socket.until(pong("2"))
  })
})

describe("what happens in the fake of uLoopMCP", () => {
  test.live("new tools are announced on every connection, listed, and answer what they were given", function* () {
    const { editor, socket } = yield* begin()
    const other = yield* RawSocket.open(editor.port)
    socket.write(ping1)
    other.write(ping2)
    yield* Effect.all([socket.until(pong("1")), other.until(pong("2"))])
    yield* editor.control.setTools([{ name: "my-tool" }])
    for (const each of [socket, other])
      yield* each.until('"method":"notifications/tools/list_changed","params":{"timestamp"')
    yield* ask(socket, request("1", "get-tool-details"), '"result":{"Tools":[{"name":"my-tool"}]')
    yield* ask(
      socket,
      request("1", "my-tool", { A: [1] }),
      '"result":{"Tool":"my-tool","Parameters":{"A":[1]},"Ver":"2.2.0"}',
    )
  })

  test.live("a reload says so, closes at once without an answer, and comes back on the same port", function* () {
    const { editor, socket } = yield* begin()
    editor.control.hold()
    socket.write(ping1)
    yield* RawSocket.eventually(() => editor.seen.length >= 2)
    yield* editor.control.reload
    yield* socket.ended
    const notice = '{"jsonrpc":"2.0","method":"notifications/server/shutdown","params":{"reason":"DomainReload"}}'
    assert.strictEqual(socket.text(), `Content-Length: 93\r\n\r\n${notice}`)
    assert.strictEqual(editor.control.connections(), 0)
    assert.include(String(yield* Effect.flip(RawSocket.open(editor.port))), "ECONNREFUSED")
    editor.control.release()
    yield* editor.control.reopen
    const again = yield* RawSocket.open(editor.port)
    again.write(ping2)
    assert.strictEqual(yield* again.until("}}"), pong("2"))
  })

  test.live("a held answer keeps back those behind it on its connection, and no other's", function* () {
    const { editor, socket } = yield* begin()
    const other = yield* RawSocket.open(editor.port)
    editor.control.fault("hold")
    socket.write(ping1 + ping2)
    yield* RawSocket.eventually(() => editor.seen.length >= 4)
    other.write(ping3)
    yield* other.until(pong("3"))
    assert.strictEqual(socket.text(), "")
    editor.control.release()
    assert.strictEqual(yield* socket.until('"2","result"'), pong("1") + pong("2"))
  })

  test.live("what is seen are connections and frames as they arrived, in order", function* () {
    const { editor } = yield* begin()
    yield* Effect.scoped(
      Effect.gen(function* () {
        const socket = yield* RawSocket.open(editor.port)
        socket.write(`${ping1}Content-Length: 3\r\n\r\n{ }Content-Length: 1\r\n\r\n{`)
        yield* socket.until(pong("1"))
      }),
    )
    yield* RawSocket.eventually(() => editor.seen.length >= 6)
    assert.deepStrictEqual(editor.seen.slice(1), [
      { _tag: "Opened", connection: 1 },
      {
        _tag: "Frame",
        connection: 1,
        text: '{"jsonrpc":"2.0","id":"1","method":"ping"}',
        value: { jsonrpc: "2.0", id: "1", method: "ping" },
      },
      { _tag: "Frame", connection: 1, text: "{ }", value: {} },
      { _tag: "Frame", connection: 1, text: "{", value: undefined },
      { _tag: "Closed", connection: 1 },
    ])
  })

  test.live("a port that is taken is a failure that names it", function* () {
    const { editor } = yield* begin()
    const failure = yield* Effect.flip(FakeUnityLoop.start({ port: editor.port }))
    assert.match(failure.message, new RegExp(`cannot listen on 127\\.0\\.0\\.1:${editor.port}: .*EADDRINUSE`))
  })

  test.live("the listener is gone with its Scope", function* () {
    const port = yield* Effect.scoped(Effect.map(FakeUnityLoop.start(), (editor) => editor.port))
    assert.include(String(yield* Effect.flip(RawSocket.open(port))), "ECONNREFUSED")
  })

  test.live("the 65th connection is closed", function* () {
    const { editor } = yield* begin()
    yield* Effect.replicateEffect(RawSocket.open(editor.port), 63)
    const last = yield* RawSocket.open(editor.port)
    yield* last.ended
    assert.strictEqual(editor.control.connections(), 64)
  })
})
