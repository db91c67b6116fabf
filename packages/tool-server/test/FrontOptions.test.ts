import { assert, describe, it } from "@effect/vitest"
import * as FrontOptions from "@zain/tool-server/FrontOptions"
import * as Result from "effect/Result"

describe("the options of a front", () => {
  it("have no idle time for a WebSocket, which lasts as long as its client is there (promise 29)", () => {
    const values = { "session-idle": "5 minutes" }
    const refused = FrontOptions.parse("ws", values, "ws and http")
    assert.match(Result.isFailure(refused) ? refused.failure : "", /^--session-idle is not for ws: .*\.$/)
    assert.isTrue(Result.isSuccess(FrontOptions.parse("http", values, "ws and http")))
    assert.match(FrontOptions.help(), /--session-idle TIME +when an HTTP client/)
  })
})
