import { assert, describe, it } from "@effect/vitest"
import { InMemoryMcpClient, McpPromiseClient, McpResult } from "@zain/core"
import type { McpError } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import { adapter as heldAdapter, inWords, unknownId } from "../testing/HeldAgent.ts"

const failure = (result: McpResult<unknown>): McpError =>
  result._tag === "Failure" ? result.failure : assert.fail("it succeeded")

/** A client of a function, with an open session. */
const session = async (options?: InMemoryMcpClient.Options) => {
  const client = await McpPromiseClient.make(InMemoryMcpClient.make(options))
  return { client, id: McpResult.getOrThrow(await client.openSession(InMemoryMcpClient.config)) }
}

/** A reply that never completes, with promises of its start and its interruption. */
const hanging = () => {
  const [begun, stopped] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
  const reply: NonNullable<InMemoryMcpClient.Options["reply"]> = ({ content }) => {
    begun.resolve(content)
    return Effect.onInterrupt(Effect.never, () => Effect.sync(() => stopped.resolve()))
  }
  return { reply, begun: begun.promise, stopped: stopped.promise }
}

/** The reason of a rejection. */
const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (reason) {
    return reason
  }
  return assert.fail("it was resolved")
}

describe("the operations of McpPromiseClient (seed 1.4, 1.5, 1.6)", () => {
  it("resolve with a Failure, and do not reject, for invalid input and closed sessions", async () => {
    const { client, id } = await session()
    assert.deepStrictEqual([client.provider, client.supports.streaming], ["in-memory", true])
    const words = async (result: Promise<McpResult<unknown>>) => inWords(failure(await result))
    assert.strictEqual(await words(client.execute(id, 7 as never)), "InvalidRequest invalid-config not-sent")
    assert.strictEqual(await words(client.closeSession(unknownId)), "SessionNotFound unknown-session not-sent")
    assert.strictEqual(await words(client.openSession(undefined as never)), "InvalidRequest invalid-config not-sent")
    await client.close()
    assert.strictEqual(await words(client.openSession(InMemoryMcpClient.config)), "SessionClosed closed not-sent")
  })

  it("resolve with a Failure that names an option that they do not have", async () => {
    const { client, id } = await session()
    for (const [options, problem] of [
      [{ deadline: "1 second" }, /^`deadline` is not an option of this operation.* A deadline is part of the request/],
      [AbortSignal.timeout(1_000), /^The options of an operation must be an object, as in \{ signal \}\./],
      [null, /^The options of an operation must be an object/],
    ] as const) {
      const error = failure(await client.execute(id, "go", options as never))
      assert.strictEqual(inWords(error), "InvalidRequest invalid-config not-sent")
      assert.match(error.message, problem)
    }
    const { message } = failure(await client.openSession(InMemoryMcpClient.config, { deadline: 1 } as never))
    assert.notInclude(message, "request")
  })

  it("resolve `openSession` of a closed client with SessionClosed, also if its approvals are invalid", async () => {
    const client = await McpPromiseClient.make(InMemoryMcpClient.make(), { approvals: { rule: [] } as never })
    await client.close()
    assert.strictEqual(failure(await client.openSession(InMemoryMcpClient.config))._tag, "SessionClosed")
  })

  it.each([
    [
      "a throw",
      () => {
        throw new Error("a bug of the callback's")
      },
    ],
    ["an Effect.die", () => Effect.die(new Error("a bug of the callback's"))],
    ["an Effect.die without an error", () => Effect.die("a bug of the callback's")],
  ] as const)(
    "resolve with a Failure for a defect, %s, which it names, and the session continues (promise 7)",
    async (_, broken) => {
      const { client, id } = await session({
        reply: ({ content }) => (content === "break" ? broken() : Effect.succeed(content)),
      })
      const error = failure(await client.execute(id, "break"))
      assert.strictEqual(inWords(error), "ConnectionUnavailable protocol-violation unknown")
      const what = "A function that was given to Zain threw, or Zain has a bug: a bug of the callback's. See `cause`."
      assert.strictEqual(error.message, what)
      assert.strictEqual(McpResult.getOrThrow(await client.execute(id, "hello")).content, "hello")
      await client.close()
    },
  )

  it("resolve with a Failure for a defect in connect, and bound its message", async () => {
    const client = await McpPromiseClient.make(
      InMemoryMcpClient.make({ connect: () => Effect.die(new Error("x".repeat(100_000))) }),
    )
    const error = failure(await client.openSession(InMemoryMcpClient.config))
    assert.strictEqual(error.reason, "protocol-violation")
    assert.isAtMost(error.message.length, 1_024)
    await client.close()
  })
})

describe("an AbortSignal (rule-5.cancel)", () => {
  it.each([
    ["the signal's reason", new Error("no longer wanted")],
    ["the platform's AbortError", undefined],
  ] as const)(
    "cancels a turn: the promise rejects with %s, the agent is interrupted, and the session continues",
    async (_, reason) => {
      const { begun, reply, stopped } = hanging()
      let turns = 0
      const { client, id } = await session({
        reply: (prompt) => (turns++ === 0 ? reply(prompt) : Effect.succeed("on")),
      })
      const abort = new AbortController()
      const asked = rejection(client.execute(id, "go", { signal: abort.signal }))
      await begun
      abort.abort(reason)
      assert.strictEqual(await asked, abort.signal.reason)
      await stopped
      assert.strictEqual(McpResult.getOrThrow(await client.execute(id, "next")).content, "on")
      await client.close()
    },
  )

  it("cancels openSession and releases what connect had acquired", async () => {
    const begun = Promise.withResolvers<void>()
    const log: Array<string> = []
    const held = heldAdapter({
      connect: (inner) =>
        Effect.andThen(
          Effect.sync(() => begun.resolve()),
          Effect.never,
        ).pipe(Effect.ensuring(Effect.sync(() => log.push(...inner, "interrupted")))),
    })
    const client = await McpPromiseClient.make(held)
    const abort = new AbortController()
    const opening = rejection(client.openSession(InMemoryMcpClient.config, { signal: abort.signal }))
    await begun.promise
    abort.abort("no longer wanted")
    assert.strictEqual(await opening, "no longer wanted")
    assert.deepStrictEqual(log, ["connected", "interrupted"])
    await client.close()
  })

  it("that is aborted already sends nothing (promise 5)", async () => {
    const sent: Array<string> = []
    const { client, id } = await session({
      reply: ({ content }) =>
        Effect.as(
          Effect.sync(() => sent.push(content)),
          "",
        ),
    })
    const connects: Array<unknown> = []
    const other = await McpPromiseClient.make(
      InMemoryMcpClient.make({ connect: (config) => Effect.asVoid(Effect.sync(() => connects.push(config))) }),
    )
    const signal = AbortSignal.abort("too late")
    assert.strictEqual(await rejection(client.execute(id, "go", { signal })), "too late")
    assert.strictEqual(await rejection(other.openSession(InMemoryMcpClient.config, { signal })), "too late")
    assert.deepStrictEqual([sent, connects], [[], []])
    await Promise.all([client.close(), other.close()])
  })
})

describe("McpPromiseClient.close (rule-8.disposal)", () => {
  it("runs once: a second call waits for the first, and everything is released when it resolves", async () => {
    const [releasing, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const log: Array<string> = []
    const client = await McpPromiseClient.make(
      heldAdapter({
        connect: () =>
          Effect.addFinalizer(() =>
            Effect.promise(async () => {
              releasing.resolve()
              await finish.promise
              log.push("released")
            }),
          ),
      }),
    )
    McpResult.getOrThrow(await client.openSession(InMemoryMcpClient.config))
    const first = client.close()
    await releasing.promise
    const second = client[Symbol.asyncDispose]().then(() => log.push("second"))
    await new Promise(setImmediate)
    finish.resolve()
    await Promise.all([first, second])
    await client.close()
    assert.deepStrictEqual(log, ["released", "second"])
  })

  it("is not needed for an adapter that fails in make: what it had acquired is released", async () => {
    const log: Array<string> = []
    const broken = Effect.acquireRelease(Effect.void, () => Effect.sync(() => log.push("released"))).pipe(
      Effect.andThen(Effect.die(new Error("a bug of the adapter's"))),
    )
    assert.strictEqual(((await rejection(McpPromiseClient.make(broken))) as Error).message, "a bug of the adapter's")
    assert.deepStrictEqual(log, ["released"])
  })
})
