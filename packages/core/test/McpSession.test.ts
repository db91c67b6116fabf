import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import {
  InMemoryMcpClient,
  McpClient,
  McpPromiseClient,
  McpResult,
  type McpStreamed,
  withSession,
} from "../src/index.ts"

/** An agent whose turns hang until they are cancelled, except those that say hello. */
const agent = () => {
  const cancelled: Array<string> = []
  const adapter = InMemoryMcpClient.make({
    reply: ({ content, emit }) => {
      emit({ _tag: "TextDelta", text: content })
      return content === "hello"
        ? Effect.succeed("Hello.")
        : Effect.onInterrupt(Effect.never, () => Effect.sync(() => void cancelled.push(content)))
    },
  })
  return { adapter, cancelled }
}

const { config } = InMemoryMcpClient
const collect = async (stream: AsyncIterable<McpStreamed>) => {
  const pieces: Array<McpStreamed> = []
  for await (const piece of stream) pieces.push(piece)
  return pieces
}

const isText = ({ _tag }: McpStreamed) => _tag === "TextDelta"

describe("`stream` and `session` with promises (turn.stream)", () => {
  it("cancels the turn before a loop that is left goes on, and the conversation continues", async () => {
    const { adapter, cancelled } = agent()
    await using client = await McpPromiseClient.make(adapter)
    await using session = await client.session(config)
    for await (const piece of session.stream("hang")) if (isText(piece)) break
    assert.deepStrictEqual(cancelled, ["hang"])
    assert.strictEqual(McpResult.getOrThrow(await session.execute("hello")).content, "Hello.")
    await session[Symbol.asyncDispose]()
    assert.isTrue(McpResult.isFailure(await session.execute("hello")))
  })

  it("throws the reason of its signal, and cancels the turn", async () => {
    const { adapter, cancelled } = agent()
    await using client = await McpPromiseClient.make(adapter)
    await using session = await client.session(config)
    const controller = new AbortController()
    const reason = new Error("enough")
    const read = async (signal: AbortSignal) => {
      for await (const piece of session.stream("hang", { signal })) if (isText(piece)) controller.abort(reason)
    }
    assert.strictEqual(await read(controller.signal).catch((thrown: unknown) => thrown), reason)
    assert.deepStrictEqual(cancelled, ["hang"])
    assert.strictEqual(await read(controller.signal).catch((thrown: unknown) => thrown), reason)
    assert.deepStrictEqual(cancelled, ["hang"])
  })

  it("refuses options that it does not know before it sends anything", async () => {
    const { adapter, cancelled } = agent()
    await using client = await McpPromiseClient.make(adapter)
    await using session = await client.session(config)
    const given = { deadline: "1 second" } as object
    const error = await collect(session.stream("hang", given)).catch((thrown: unknown) => thrown)
    assert.include(error, { _tag: "InvalidRequest", reason: "invalid-config" })
    assert.include(String(error), "`deadline`")
    assert.deepStrictEqual(cancelled, [])
  })

  it("fails every operation of a session that could not be opened with the reason", async () => {
    await using client = await McpPromiseClient.make(agent().adapter)
    await using session = await client.session({ ...config, serverUrl: "" })
    assert.isUndefined(session.id)
    const answer = await session.execute("hello")
    assert.isTrue(McpResult.isFailure(answer) && answer.failure.reason === "invalid-config")
    const thrown = await collect(session.stream("hello")).catch((thrown: unknown) => thrown)
    assert.strictEqual(thrown, McpResult.isFailure(answer) && answer.failure)
    assert.isTrue(McpResult.isSuccess(await session.close()))
  })
})

describe("`withSession` (docs/get-started/effect.md)", () => {
  it.effect(
    "closes its session after a success, a failure and an interruption, and one that was closed is no failure",
    () =>
      Effect.gen(function* () {
        const { closeSession, execute } = yield* McpClient
        const ids: Array<Parameters<typeof execute>[0]> = []
        const content = yield* withSession(config, (session) => {
          ids.push(session.id)
          return Effect.map(session.execute({ content: "hello" }), (answer) => answer.content)
        })
        assert.strictEqual(content, "Hello.")
        const failed = yield* Effect.exit(
          withSession(config, (session) => {
            ids.push(session.id)
            return Effect.andThen(closeSession(session.id), Effect.fail("no"))
          }),
        )
        assert.deepStrictEqual(failed, Exit.fail("no"))
        const started = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          withSession(config, (session) => {
            ids.push(session.id)
            return Effect.andThen(Deferred.succeed(started, undefined), session.execute({ content: "hang" }))
          }),
        )
        yield* Deferred.await(started)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(ids.length, 3)
        for (const id of ids) {
          const error = yield* Effect.flip(execute(id, { content: "hello" }))
          assert.strictEqual(error._tag, "SessionClosed")
        }
      }).pipe(
        Effect.provide(
          InMemoryMcpClient.layer({
            reply: ({ content }) => (content === "hello" ? Effect.succeed("Hello.") : Effect.never),
          }),
        ),
      ),
  )
})
