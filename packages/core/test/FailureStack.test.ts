/** What a program that throws a failure shows of where it came from. */
import { assert, describe, it } from "@effect/vitest"
import { InMemoryMcpClient, McpPromiseClient, McpResult } from "@zain/core"
import { ConnectionUnavailable } from "@zain/core/McpError"
import * as Effect from "effect/Effect"

const session = async (reply: NonNullable<InMemoryMcpClient.Options["reply"]>) => {
  const client = await McpPromiseClient.make(InMemoryMcpClient.make({ reply }))
  return { client, id: McpResult.getOrThrow(await client.openSession(InMemoryMcpClient.config)) }
}

const slowDown = () =>
  new ConnectionUnavailable({ reason: "rate-limited", message: "Slow down.", delivery: "not-sent", cause: "busy" })

describe("the stack of a failure that a promise brings (design §4: errors are for people)", () => {
  it.each([
    ["an error", () => Effect.fail(slowDown())],
    ["a defect", () => Effect.die(new Error("not today"))],
  ] as const)("of %s leads to the line that asked, by way of no module of ours", async (_, reply) => {
    const { client, id } = await session(reply)
    const asking = async () => McpResult.getOrThrow(await client.execute(id, "go"))
    const error: unknown = await asking().catch((thrown) => thrown)
    await client.close()
    if (!(error instanceof ConnectionUnavailable)) return assert.fail(String(error))
    const [told, ...frames] = (error.stack ?? "").split("\n    at ")
    const own = frames.filter((frame) => !frame.includes("node:internal"))
    assert.strictEqual(told, `@zain/core/ConnectionUnavailable: ${error.message}`)
    assert.match(own[0] ?? "", /^(async )?asking .*FailureStack\.test\.ts/)
    assert.notMatch(own.join(), /core\/src|effect\/dist/)
    assert.isDefined(error.cause)
  })

  it("is left as it is where the error may not be changed", async () => {
    const fixed = Object.freeze(slowDown())
    const { client, id } = await session(() => Effect.fail(fixed))
    const answer = await client.execute(id, "go")
    assert.strictEqual(McpResult.isFailure(answer) ? answer.failure : undefined, fixed)
    await client.close()
  })
})
