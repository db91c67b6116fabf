import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "../src/JsonRpc.ts"

describe("a line of JSON-RPC 2.0 (promise 24)", () => {
  const message = '{"jsonrpc":"2.0","id":"1","result":{}}'

  it("is a message also with spaces and a carriage return around", () => {
    for (const line of [message, `  ${message} \r`]) assert.deepStrictEqual(JsonRpc.parse(line), JSON.parse(message))
  })

  it.each(["", "   ", "garbage", "{", "[]", "null", "7", '"text"', "{}", `[${message}]`, '{"id":"1","result":{}}'])(
    "is none when it is %s",
    (line) => assert.isUndefined(JsonRpc.parse(line)),
  )
})
