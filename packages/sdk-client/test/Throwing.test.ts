import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { test } from "../../core/test/Test.ts"
import * as SdkMcpClient from "../src/SdkMcpClient.ts"
import { config } from "./Server.ts"
import { throwing } from "./ThrowingProfile.ts"

describe("a profile's function that throws is contained (promise 7)", () => {
  test.live("while a result is read: the call ends with protocol-violation, and so does every later one", function* () {
    const adapter = yield* SdkMcpClient.make(throwing)
    const id = yield* adapter.openSession(config())
    const error = yield* Effect.flip(adapter.execute(id, { content: "echo" }))
    assert.strictEqual(`${error.reason} ${error.delivery}`, "protocol-violation unknown")
    const later = yield* Effect.flip(adapter.execute(id, { content: "echo" }))
    assert.strictEqual(`${later.reason} ${later.delivery}`, "protocol-violation not-sent")
    yield* adapter.closeSession(id)
  })
})
