/**
 * Threads and turns.
 */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect, Exit, Fiber, Scope } from "effect"
import { until } from "../../tool-server/testing/InMemory.ts"
import { join, open } from "../testing/Clients.ts"

describe("a conversation", () => {
  test("continues the thread of a result, by either name of the argument", function* () {
    const { client } = yield* open()
    const first = yield* client.call("memory", { prompt: "say one" })
    assert.deepStrictEqual(first, {
      content: [{ type: "text", text: "one" }],
      structuredContent: { threadId: "thread-1", content: "one" },
    })
    yield* client.call("memory-reply", { threadId: "thread-1", prompt: "say two" })
    const third = yield* client.call("memory-reply", { conversationId: "thread-1", prompt: "earlier" })
    assert.deepStrictEqual(third.structuredContent, { threadId: "thread-1", content: "say one|say two" })
  })

  test("has results that match the output schema in the SDK's client, also of failed turns", function* () {
    const { client } = yield* open()
    yield* Effect.promise(() => client.sdk.listTools())
    assert.deepStrictEqual((yield* client.call("memory", { prompt: "say one" })).structuredContent, {
      threadId: "thread-1",
      content: "one",
    })
    assert.isTrue((yield* client.call("memory", { prompt: "fail so" })).isError)
    assert.isTrue((yield* client.call("memory-reply", { threadId: "nope", prompt: "say one" })).isError)
  })

  test("ends the work of a turn before it answers a client that receives no events, and lists it", function* () {
    const { agent, client } = yield* open({ capabilities: { elicitation: {} } })
    const result = yield* client.call("memory", { prompt: "say one\nleave rm build" })
    assert.deepStrictEqual(result._meta, { "zain/ended": [{ workId: "1", kind: "sub-agent", title: "rm build" }] })
    assert.deepStrictEqual(agent.seen.interrupted, ["rm build"])
    assert.deepStrictEqual(client.asked, [])
  })

  test("returns a failed turn and an agent that exited as errors with the thread's id", function* () {
    const { client } = yield* open()
    const failed = yield* client.call("memory", { prompt: "fail no model" })
    assert.deepStrictEqual(
      [failed.isError, failed.structuredContent],
      [true, { threadId: "thread-1", content: "no model" }],
    )
    const gone = yield* client.call("memory-reply", { threadId: "thread-1", prompt: "refuse agent-exited" })
    assert.isTrue(gone.isError)
    assert.deepStrictEqual(gone.structuredContent, { threadId: "thread-1", content: "The agent says agent-exited." })
    const next = yield* client.call("memory-reply", { threadId: "thread-1", prompt: "say on" })
    assert.deepStrictEqual(next.structuredContent, { threadId: "thread-1", content: "on" })
  })

  test.each(["memory", "memory-reply"])(
    "fails a prompt of %s that the agent never accepted, with its delivery in the error",
    function* (tool) {
      const { client } = yield* open()
      yield* client.call("memory", { prompt: "say one" })
      const thread = tool === "memory" ? {} : { threadId: "thread-1" }
      for (const delivery of ["not-sent", "unknown"]) {
        const error: Error & { readonly code?: number; readonly data?: unknown } = yield* Effect.flip(
          client.call(tool, { ...thread, prompt: `refuse agent-exited ${delivery}` }),
        )
        assert.deepInclude(error, { code: -32603, data: { "zain/delivery": delivery } })
        assert.include(error.message, "The agent says agent-exited.")
      }
      const silent: Error & { readonly data?: unknown } = yield* Effect.flip(
        client.call(tool, { ...thread, prompt: "refuse stalled unknown" }),
      )
      assert.deepInclude(silent, { data: { "zain/delivery": "unknown", "zain/reason": "stalled" } })
      const next = yield* client.call("memory-reply", { threadId: "thread-1", prompt: "say on" })
      assert.deepStrictEqual(next.structuredContent, { threadId: "thread-1", content: "on" })
    },
  )

  test("returns an error without a thread's id for an unknown thread", function* () {
    const { client } = yield* open()
    const result = yield* client.call("memory-reply", { threadId: "nope", prompt: "say hello" })
    assert.deepStrictEqual(result, {
      content: [{ type: "text", text: 'There is no thread "nope". The tool memory starts one.' }],
      isError: true,
    })
    const long = yield* client.call("memory-reply", { threadId: "x".repeat(1_025), prompt: "say hello" })
    assert.include(JSON.stringify(long), "There is no thread")
    assert.notInclude(JSON.stringify(long), "x".repeat(101))
  })

  test("returns an error when the agent's adapter throws", function* () {
    const { client } = yield* open()
    const result = yield* client.call("memory", { prompt: "break" })
    assert.isTrue(result.isError)
    const next = yield* client.call("memory", { prompt: "say on" })
    assert.notStrictEqual(next.isError, true)
  })

  test("separates equal ids of two clients (promise 28)", function* () {
    const { agent, client, server } = yield* open()
    const { client: other } = yield* join(server)
    // Both clients number their requests from 0.
    const staying = yield* Effect.forkChild(client.call("memory", { prompt: "stay" }, { progressToken: 1 }))
    const alsoStaying = yield* Effect.forkChild(other.call("memory", { prompt: "say b\nstay" }, { progressToken: 1 }))
    yield* until(() => agent.seen.working === 2)
    yield* Fiber.interrupt(staying)
    yield* until(() => agent.seen.working === 1)
    assert.deepStrictEqual(agent.seen.interrupted, ["stay"])
    const messages = other.received.map(({ params }) => params["message"])
    assert.deepStrictEqual(messages, ["Thread thread-2", "b"])
    assert.deepStrictEqual(
      client.received.map(({ params }) => params["message"]),
      ["Thread thread-1"],
    )
    yield* Fiber.interrupt(alsoStaying)
  })
})

describe("a client's attachment to the agent", () => {
  test("starts with its first call, and ends with its session", function* () {
    const { agent, server } = yield* open()
    const scope = yield* Scope.make()
    const { client } = yield* join(server, { within: scope })
    assert.strictEqual(agent.seen.attachments, 0)
    yield* Effect.all([client.call("memory", { prompt: "say a" }), client.call("memory", { prompt: "say b" })], {
      concurrency: 2,
    })
    assert.deepStrictEqual([agent.seen.attached, agent.seen.attachments], [1, 1])
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual(agent.seen.attached, 0)
  })

  test("ends for one client without an effect on another (promise 16)", function* () {
    const { agent, client, server, session } = yield* open()
    const { client: other, session: otherSession } = yield* join(server)
    yield* Effect.forkChild(client.call("memory", { prompt: "stay" }))
    yield* Effect.forkChild(other.call("memory", { prompt: "stay" }))
    yield* until(() => agent.seen.working === 2)
    yield* session.leave
    assert.deepStrictEqual([agent.seen.attached, agent.seen.working, otherSession.isBusy()], [1, 1, true])
    assert.strictEqual((yield* other.call("memory", { prompt: "say b" })).isError, undefined)
  })
})

describe("a client that exceeds its limits", () => {
  test("is refused before the agent receives the call, and is served again after a call has ended (promise 29)", function* () {
    const { agent, client, server } = yield* open({ maxCalls: 2 })
    const stay = () => Effect.forkChild(client.call("memory", { prompt: "stay" }))
    const turn = yield* stay()
    yield* stay()
    yield* until(() => agent.seen.working === 2)
    const refused = yield* client.call("memory", { prompt: "say more" })
    const text = "This session has 2 calls under way, the maximum. Wait for one to end, or cancel one."
    assert.deepStrictEqual(refused, { content: [{ type: "text", text }], isError: true })
    assert.lengthOf(agent.seen.started, 2)
    const { client: other } = yield* join(server)
    assert.deepStrictEqual((yield* other.call("memory", { prompt: "say x" })).structuredContent, {
      threadId: "thread-3",
      content: "x",
    })
    yield* Fiber.interrupt(turn)
    yield* until(() => agent.seen.working === 1)
    assert.isUndefined((yield* client.call("memory", { prompt: "say more" })).isError)
  })

  test("is refused when the arguments of all clients are too large together, unless its own are small (promise 29)", function* () {
    const { agent, client, server } = yield* open({ maxArgumentBytes: 50_000 })
    const stay = `stay\n${"x".repeat(40_000)}`
    const turn = yield* Effect.forkChild(client.call("memory", { prompt: stay }))
    yield* until(() => agent.seen.working === 1)
    const { client: other } = yield* join(server)
    const refused = yield* other.call("memory", { prompt: stay })
    assert.isTrue(refused.isError)
    assert.include(JSON.stringify(refused.content), "arguments of the calls under way reach this server")
    const small = `say ${"y".repeat(16_000)}`
    assert.isUndefined((yield* other.call("memory", { prompt: small })).isError)
    yield* Fiber.interrupt(turn)
    yield* until(() => agent.seen.working === 0)
    // A single call may be as large as a message.
    assert.isUndefined((yield* other.call("memory", { prompt: `say ${"z".repeat(60_000)}` })).isError)
  })

  test("may run 64 calls by default", function* () {
    const { agent, client } = yield* open()
    for (let count = 0; count < 64; count++) yield* Effect.forkChild(client.call("memory", { prompt: "stay" }))
    yield* until(() => agent.seen.working === 64)
    assert.isTrue((yield* client.call("memory", { prompt: "say more" })).isError)
  })
})

describe("threads of principals", () => {
  test("are refused to other principals, also by their bare id (CVE-2026-111767)", function* () {
    const { server } = yield* open()
    const { client: first } = yield* join(server, { principal: "the first token" })
    const { client: second } = yield* join(server, { principal: "the second token" })
    const { threadId } = (yield* first.call("memory", { prompt: "say secret" })).structuredContent as {
      readonly threadId: string
    }
    assert.match(threadId, /^thread-1\./)
    const theirs = yield* second.call("memory", { prompt: "say other" })
    const { threadId: theirId } = theirs.structuredContent as { readonly threadId: string }
    const forged = theirId.replace("thread-2", "thread-1")
    for (const given of [threadId, "thread-1", forged, "thread-1.", `${threadId}x`]) {
      const result = yield* second.call("memory-reply", { threadId: given, prompt: "earlier" })
      assert.deepStrictEqual(result, {
        content: [{ type: "text", text: `There is no thread ${JSON.stringify(given)}. The tool memory starts one.` }],
        isError: true,
      })
    }
  })

  test("continue in another session of the same principal", function* () {
    const { server } = yield* open()
    const { client } = yield* join(server, { principal: "the token" })
    const { threadId } = (yield* client.call("memory", { prompt: "say one" })).structuredContent as {
      readonly threadId: string
    }
    const { client: again } = yield* join(server, { principal: "the token" })
    const result = yield* again.call("memory-reply", { threadId, prompt: "earlier" })
    assert.deepStrictEqual(result.structuredContent, { threadId, content: "say one" })
  })
})
