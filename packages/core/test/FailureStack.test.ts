/** The stack of a failure that a program throws. */
import { assert, describe, it } from "@effect/vitest"
import { InMemoryMcpClient, McpPromiseClient, McpResponse, McpResult } from "@zain/core"
import { ConnectionUnavailable } from "@zain/core/McpError"
import * as Effect from "effect/Effect"

const session = async (reply: NonNullable<InMemoryMcpClient.Options["reply"]>) => {
  const client = await McpPromiseClient.make(InMemoryMcpClient.make({ reply }))
  return { client, id: McpResult.getOrThrow(await client.openSession(InMemoryMcpClient.config)) }
}

const slowDown = () =>
  new ConnectionUnavailable({ reason: "rate-limited", message: "Slow down.", delivery: "not-sent", cause: "busy" })

const broken = () => {
  throw new Error("not to be looked at")
}

describe("a failure of McpPromiseClient (docs/concepts/errors.md)", () => {
  it.each([
    ["an error", () => Effect.fail(slowDown())],
    ["a defect", () => Effect.die(new Error("not today"))],
  ] as const)(
    "from %s has a stack that leads to the line of the call, without frames of @zain/core or effect",
    async (_, reply) => {
      const { client, id } = await session(reply)
      const asking = async () => McpResult.getOrThrow(await client.execute(id, "go"))
      const error: unknown = await asking().catch((thrown) => thrown)
      await client.close()
      if (!(error instanceof ConnectionUnavailable)) return assert.fail(String(error))
      const [first, ...frames] = (error.stack ?? "").split("\n    at ")
      const own = frames.filter((frame) => !frame.includes("node:internal"))
      assert.strictEqual(first, `@zain/core/ConnectionUnavailable: ${error.message}`)
      assert.match(own[0] ?? "", /^(async )?asking .*FailureStack\.test\.ts/)
      assert.notMatch(own.join(), /core\/src|effect\/dist/)
      assert.isDefined(error.cause)
    },
  )

  it.each([
    ["orFail", (answer: McpResult<McpResponse>) => Effect.runPromise(McpResponse.orFail(McpResult.getOrThrow(answer)))],
    ["getOrThrow", McpResponse.getOrThrow],
  ])("that `McpResponse.%s` makes of a response has a stack that begins at the line of the call", async (_, take) => {
    const { client, id } = await session(() => Effect.succeed({ content: "out of ideas", isError: true }))
    const asking = async () => take(await client.execute(id, "go"))
    const error: unknown = await asking().catch((thrown) => thrown)
    await client.close()
    assert.match(String(Object(error).stack), /out of ideas\n {4}at .*FailureStack\.test\.ts/)
  })

  it.each([
    ["the error", Object.freeze(slowDown())],
    [
      "its stack alone",
      Object.defineProperty(slowDown(), "stack", { value: "mine", writable: false, configurable: false }),
    ],
  ])("keeps its stack if %s is read-only", async (_, fixed) => {
    const { stack } = fixed
    const { client, id } = await session(() => Effect.fail(fixed))
    const answer = await client.execute(id, "go")
    assert.strictEqual(McpResult.isFailure(answer) ? answer.failure : undefined, fixed)
    assert.strictEqual(fixed.stack, stack)
    await client.close()
  })

  it.each([
    ["an object without a prototype", Object.create(null)],
    ["an object that cannot be converted to a string", { toString: () => ({}) }],
    [
      "an object whose `toString` throws",
      {
        toString: () => {
          throw new Error("no words")
        },
      },
    ],
    [
      "an error whose message is an object",
      Object.defineProperty(new Error(), "message", { value: Object.create(null) }),
    ],
    ["an error whose message throws", Object.defineProperty(new Error(), "message", { get: broken })],
    ["a symbol", Symbol("odd")],
    ["undefined", undefined],
  ])("is returned for an odd defect, %s: no promise rejects (seed 1.4)", async (_, odd) => {
    const { client, id } = await session(() => Effect.die(odd))
    const answer = await client.execute(id, "go")
    if (!McpResult.isFailure(answer)) return assert.fail("it was answered")
    const { message, reason } = answer.failure
    assert.strictEqual(reason, "protocol-violation")
    assert.match(message, /^A function that was given to Zain threw, or Zain has a bug: .+\. See `cause`\.$/)
    await client.close()
  })

  it("has the stack of its own caller when the end of the client fails two openSession calls", async () => {
    const opening = InMemoryMcpClient.make({ connect: () => Effect.never })
    const client = await McpPromiseClient.make(opening)
    const first = async () => await client.openSession(InMemoryMcpClient.config)
    const second = async () => await client.openSession(InMemoryMcpClient.config)
    const both = Promise.all([first(), second()])
    await client.close()
    const [one, two] = (await both).map((result) => (McpResult.isFailure(result) ? result.failure : undefined))
    assert.strictEqual(one?.reason, "closed")
    assert.notStrictEqual(one, two)
    assert.match(one?.stack ?? "", /at (async )?first /)
    assert.match(two?.stack ?? "", /at (async )?second /)
  })
})
