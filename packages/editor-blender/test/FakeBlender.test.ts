/**
 * The wire of Blender's bridge, in its own bytes, as PROTOCOL.md has it.
 */
import { statSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import * as RawSocket from "@zain/testkit/RawSocket"
import { test } from "@zain/testkit/Test"
import { Effect, Redacted, Scope } from "effect"
import * as FakeBlender from "../src/fake/FakeBlender.ts"

/** A frame by hand: four bytes of length, most significant first. */
const frame = (length: number, text: string) =>
  Buffer.concat([Buffer.from([length >> 24, length >> 16, length >> 8, length]), Buffer.from(text)])

const framed = (text: string) => frame(Buffer.byteLength(text), text)

const greet = (token: string) => frame(129, `{"jsonrpc":"2.0","id":"h","method":"hello","params":{"token":"${token}"}}`)

const begin = Effect.fnUntraced(function* (options: FakeBlender.FakeBlenderOptions = {}) {
  const editor = yield* FakeBlender.start(options)
  const socket = yield* RawSocket.open(editor.port)
  socket.write(greet(Redacted.value(editor.token)))
  yield* socket.until('"id":"h"')
  return { editor, socket }
})

describe("the frames of the fake of Blender's bridge", () => {
  test.live("hello is answered with what the bridge is and allows", function* () {
    const { socket } = yield* begin()
    const text = `{"jsonrpc":"2.0","id":"h","result":{"blender":"3.4.1","bridge":"1","pid":${process.pid},"file":"","background":true,"files":"/projects/FakeBlends","code":true}}`
    assert.deepStrictEqual(socket.bytes(), frame(text.length, text))
  })

  test.live.each([
    ["a wrong token", frame(66, '{"jsonrpc":"2.0","id":"h","method":"hello","params":{"token":"x"}}')],
    ["another method", frame(45, '{"jsonrpc":"2.0","id":"1","method":"health"}\n')],
    ["no JSON", frame(2, "hi")],
  ] as const)("a connection that begins with %s closes without an answer (editors 003.16)", function* ([, bytes]) {
    const editor = yield* FakeBlender.start()
    const socket = yield* RawSocket.open(editor.port)
    socket.write(bytes)
    yield* socket.ended
    assert.strictEqual(socket.bytes().length, 0)
  })

  test.live.each([
    ["zero", Buffer.from([0, 0, 0, 0])],
    ["negative", Buffer.from([255, 255, 255, 255])],
    ["over 64 MiB", Buffer.from([4, 0, 0, 1])],
  ] as const)("a length that is %s closes the connection", function* ([, bytes]) {
    const { socket } = yield* begin()
    const greeted = socket.text()
    socket.write(bytes)
    yield* socket.ended
    assert.strictEqual(socket.text(), greeted)
  })

  test.live("a request is read byte by byte, and Japanese names arrive whole", function* () {
    const { socket } = yield* begin()
    const request = `{"jsonrpc":"2.0","id":"1","method":"steps.apply","params":{"steps":[{"create":{"primitive":"cube","name":"椅子"}}]}}`
    for (const byte of frame(118, request)) socket.write(Buffer.of(byte))
    assert.include(
      yield* socket.until('"id":"1"'),
      '"outcomes":[{"names":["椅子"]}],"changes":{"created":["椅子"],"changed":[],"deleted":[]}',
    )
  })

  test.live("health and cancel are answered out of turn, and a cancelled request is not carried out", function* () {
    const { editor, socket } = yield* begin()
    editor.control.hold()
    socket.write(framed('{"jsonrpc":"2.0","id":"1","method":"scene.read","params":{"fields":["objectCount"]}}'))
    yield* RawSocket.eventually(() => editor.control.held() === 1)
    socket.write(
      framed('{"jsonrpc":"2.0","id":"2","method":"steps.apply","params":{"steps":[{"delete":{"objects":["Cube"]}}]}}'),
    )
    socket.write(framed('{"jsonrpc":"2.0","id":"3","method":"cancel","params":{"id":"2"}}'))
    yield* socket.until('{"jsonrpc":"2.0","id":"3","result":{"cancelled":true}}')
    socket.write(framed('{"jsonrpc":"2.0","id":"4","method":"health","params":{}}'))
    yield* socket.until('{"jsonrpc":"2.0","id":"4","result":{"running":null,"queued":1,"file":""}}')
    editor.control.release()
    yield* socket.until('{"jsonrpc":"2.0","id":"2","error":{"code":-32800,"message":"The request was cancelled."}}')
    socket.write(framed('{"jsonrpc":"2.0","id":"5","method":"scene.read","params":{"fields":["objectCount"]}}'))
    yield* socket.until('{"jsonrpc":"2.0","id":"5","result":{"objectCount":3}}')
  })

  test.live("a change is reported to every connection", function* () {
    const { editor, socket } = yield* begin()
    const other = yield* RawSocket.open(editor.port)
    other.write(greet(Redacted.value(editor.token)))
    yield* other.until('"id":"h"')
    socket.write(
      framed('{"jsonrpc":"2.0","id":"1","method":"steps.apply","params":{"steps":[{"delete":{"objects":["Cube"]}}]}}'),
    )
    yield* other.until('{"jsonrpc":"2.0","method":"scene.changed","params":{}}')
  })
})

describe("the failures of the fake of Blender's bridge", () => {
  test.live.each([
    ["an unknown method", '"method":"scene.destroy","params":{}', '"error":{"code":-32601,'],
    ["no step", '"method":"steps.apply","params":{"steps":[]}', '"error":{"code":-32602,'],
  ] as const)("%s fails with its code, and the scene is as it was", function* ([, request, failure]) {
    const { socket } = yield* begin()
    const digest = framed(
      '{"jsonrpc":"2.0","id":"d","method":"scene.read","params":{"fields":["digest","objectCount"]}}',
    )
    socket.write(digest)
    const [before] = (yield* socket.until('"objectCount":3')).match(/"digest":"\w+"/) ?? []
    socket.write(framed(`{"jsonrpc":"2.0","id":"1",${request}}`))
    yield* socket.until(`{"jsonrpc":"2.0","id":"1",${failure}`)
    const seen = socket.bytes().length
    socket.write(digest)
    yield* socket.until(String(before), seen)
  })
})

describe("the file of the fake of Blender's bridge", () => {
  test.live("is readable by its user alone, has the port and the token, and is gone with it", function* () {
    const root = yield* directory
    const scope = yield* Scope.make()
    const editor = yield* Scope.provide(FakeBlender.start({ directory: join(root, "zain-editors") }), scope)
    const path = join(root, "zain-editors", `${process.pid}.json`)
    assert.deepStrictEqual(JSON.parse(yield* Effect.promise(() => readFile(path, "utf8"))), {
      pid: process.pid,
      port: editor.port,
      token: Redacted.value(editor.token),
      file: "",
      version: "1",
    })
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    assert.match(Redacted.value(editor.token), /^[0-9a-f]{64}$/)
    yield* Scope.close(scope, yield* Effect.exit(Effect.void))
    assert.isUndefined(statSync(path, { throwIfNoEntry: false }))
  })
})
