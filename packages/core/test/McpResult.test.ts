import { assert, describe, it } from "@effect/vitest"
import { McpResult } from "@zain/core"
import { SessionClosed } from "@zain/core/McpError"

describe("McpResult.getOrThrow", () => {
  it("returns the value of a success", () => {
    assert.strictEqual(McpResult.getOrThrow(McpResult.succeed("hello")), "hello")
  })

  it("throws the error of a failure unchanged", () => {
    const error = new SessionClosed({ reason: "closed", message: "It is over.", delivery: "not-sent" })
    try {
      McpResult.getOrThrow(McpResult.fail(error))
    } catch (thrown) {
      return assert.strictEqual(thrown, error)
    }
    assert.fail("nothing was thrown")
  })
})
