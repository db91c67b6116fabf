import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "../src/JsonRpc.ts"

describe("JsonRpc.parse (promise 24)", () => {
  const message = '{"jsonrpc":"2.0","id":"1","result":{}}'

  it("accepts a message surrounded by spaces and a carriage return", () => {
    for (const line of [message, `  ${message} \r`]) assert.deepStrictEqual(JsonRpc.parse(line), JSON.parse(message))
  })

  it.each(["", "   ", "garbage", "{", "[]", "null", "7", '"text"', "{}", `[${message}]`, '{"id":"1","result":{}}'])(
    "returns undefined for %j",
    (line) => assert.isUndefined(JsonRpc.parse(line)),
  )
})
