import { assert, describe } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { Effect, Exit, Fiber } from "effect"
import { test } from "../../core/test/Test.ts"
import { inWords } from "./AgentWire.ts"
import * as HttpServer from "./HttpServer.ts"
import { client, session } from "./Server.ts"
import * as SseServer from "./SseServer.ts"

describe("an ended session is never reopened (promise 8)", () => {
  test.live("by execute after closeSession: it fails with SessionClosed without a message to the server", function* () {
    const { adapter, ask, id, server } = yield* HttpServer.session()
    yield* adapter.closeSession(id)
    const contacts = server.asked.length
    for (const again of [ask("echo"), ask("echo"), adapter.closeSession(id)]) {
      assert.strictEqual(inWords(yield* Effect.flip(again)), "SessionClosed closed not-sent")
    }
    assert.strictEqual(server.asked.length, contacts)
  })

  test.live("by execute after the server died or its stream ended: neither is started again", function* () {
    const { ask } = yield* session()
    yield* Effect.flip(ask("die"))
    assert.strictEqual(inWords(yield* Effect.flip(ask("echo"))), "ConnectionUnavailable server-exited not-sent")

    const server = yield* SseServer.start()
    const adapter = yield* client
    const id = yield* adapter.openSession(McpConnectionConfig.sse({ url: server.url }))
    server.drop()
    yield* Effect.flip(adapter.execute(id, { content: "echo" }))
    const contacts = server.asked.length
    yield* Effect.flip(adapter.execute(id, { content: "echo" }))
    assert.strictEqual(server.asked.length, contacts)
  })
})

describe("closeSession (promise 9)", () => {
  test.live(
    "ends the call under way first, then kills an unresponsive server; a second closeSession fails with SessionClosed",
    function* () {
      const { adapter, ask, id } = yield* session(["ignore-eof", "ignore-sigterm"], { closeGrace: "800 millis" })
      const order: Array<string> = []
      const note = (what: string) => Effect.sync(() => order.push(what))
      const pending = yield* Effect.forkChild(Effect.ensuring(ask("hang"), note("call")), { startImmediately: true })
      const close = adapter.closeSession(id)
      const first = yield* Effect.forkChild(Effect.ensuring(close, note("close")), { startImmediately: true })
      const second = yield* Effect.flip(close)
      assert.strictEqual(inWords(second), "SessionClosed closed not-sent")
      yield* Fiber.join(first)
      assert.deepStrictEqual(order, ["call", "close"])
      const exit = yield* Fiber.await(pending)
      assert.isTrue(Exit.isFailure(exit))
    },
  )
})
