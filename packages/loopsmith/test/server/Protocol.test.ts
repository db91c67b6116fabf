/**
 * What the server answers to messages that are none of its tools.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { byHand, raw, ready } from "./Clients.ts"

describe("the protocol", () => {
  it.effect("answers a ping, before and after initialize (LoopSmith 3)", () =>
    Effect.gen(function* () {
      const { server } = byHand()
      assert.deepStrictEqual((yield* (yield* raw(server)).ask("ping", {}, 1)).result, {} as never)
      assert.deepStrictEqual((yield* (yield* ready(server)).ask("ping", {}, 1)).result, {} as never)
    }),
  )

  it.effect("does not know server/discover, nor anything else that it does not do: -32601 (LoopSmith 3)", () =>
    Effect.gen(function* () {
      const { server } = byHand()
      for (const client of [yield* raw(server), yield* ready(server)]) {
        for (const method of ["server/discover", "resources/list", "evaluate_document", "__proto__", "toString"]) {
          const { error } = yield* client.ask(method, {}, `of ${method}`)
          assert.strictEqual(error?.code, -32601, method)
        }
      }
    }),
  )

  it.effect("never answers a notification, whatever it is (LoopSmith 3)", () =>
    Effect.gen(function* () {
      const { judge, server } = byHand()
      const client = yield* ready(server)
      const before = client.heard.length
      const call = { name: "evaluate_document", arguments: { content: "x" } }
      for (const method of [
        "notifications/initialized",
        "notifications/unheard-of",
        "tools/call",
        "ping",
        "tools/list",
      ]) {
        client.send({ method, params: call })
      }
      yield* client.ask("ping", {}, "last")
      assert.lengthOf(client.heard, before + 1)
      assert.deepStrictEqual(judge.asked, [])
    }),
  )

  it.effect("evaluates nothing before initialize (LoopSmith 3)", () =>
    Effect.gen(function* () {
      const { judge, server } = byHand()
      const client = yield* raw(server)
      const call = { name: "evaluate_document", arguments: { content: "x" } }
      assert.strictEqual((yield* client.ask("tools/call", call, 1)).error?.code, -32600)
      assert.strictEqual((yield* client.ask("tools/list", {}, 2)).error?.code, -32600)
      assert.deepStrictEqual(judge.asked, [])
    }),
  )
})
