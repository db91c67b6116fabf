import { PassThrough } from "node:stream"
import { assert, describe } from "@effect/vitest"
import * as Messages from "@zain/testkit/Messages"
import { test } from "@zain/testkit/Test"
import * as StdioTransport from "@zain/tool-server/StdioTransport"
import { Effect } from "effect"
import * as TestServer from "../testing/TestServer.ts"

const framed = (text: string) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`

const opened = Effect.fnUntraced(function* (contentLength: boolean) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let heard = ""
  output.on("data", (chunk) => {
    heard += chunk
  })
  const { server } = TestServer.make()
  const session = yield* server.session(StdioTransport.make(input, output, { contentLength }))
  return { input, heard: () => heard, session }
})

describe("a client of stdio whose first bytes are Content-Length (editors 004.6)", () => {
  test.live("is answered in that framing, in chunks of any size", function* () {
    const { heard, input } = yield* opened(true)
    for (const byte of Buffer.from(framed(Messages.initialize) + framed(Messages.request("あ", "ping")))) {
      input.write(Buffer.from([byte]))
    }
    yield* TestServer.eventually(() => heard().includes('"id":"あ"'))
    const [, length = "", body = ""] = /^Content-Length: (\d+)\r\n\r\n(.*?)Content-Length: /s.exec(heard()) ?? []
    assert.strictEqual(Buffer.byteLength(body), Number(length))
    assert.strictEqual(JSON.parse(body).id, "initialize")
    assert.isTrue(heard().endsWith('{"jsonrpc":"2.0","id":"あ","result":{}}'))
  })

  test.live("is disconnected after an invalid header", function* () {
    const { heard, input, session } = yield* opened(true)
    input.write(`${framed(Messages.initialize)}Content-Length: -1\r\n\r\n`)
    yield* session.ended
    assert.include(heard(), "Content-Length header with its length")
  })

  test.live(
    "is the only one: any other client is answered in lines, and nothing is written before its first byte",
    function* () {
      const { heard, input } = yield* opened(true)
      yield* Effect.promise(() => new Promise(setImmediate))
      assert.strictEqual(heard(), "")
      input.write(`${Messages.initialize}\n`)
      yield* TestServer.eventually(() => heard().endsWith("\n"))
      assert.strictEqual(JSON.parse(heard()).id, "initialize")
    },
  )

  test.live("receives errors for lines of invalid JSON from a server without that framing", function* () {
    const { heard, input } = yield* opened(false)
    input.write(framed(Messages.initialize))
    yield* TestServer.eventually(() => heard().includes("\n"))
    assert.strictEqual(JSON.parse(heard().split("\n")[0] ?? "").error.code, -32_700)
  })
})
