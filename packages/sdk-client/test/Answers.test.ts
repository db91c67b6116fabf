/** Which answer is whose, and that a prompt goes out once. */
import { assert, describe, it } from "@effect/vitest"
import type { McpError } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as HttpServer from "./HttpServer.ts"
import * as ScriptedServer from "./ScriptedServer.ts"

const { answer, line } = ScriptedServer
const reasonOf = (error: McpError) => `${error.reason} ${error.delivery}`

describe("an execute has exactly one outcome (promise 2)", () => {
  it.live("the answer that comes after a cancel is nobody's: the next prompt gets its own", () =>
    Effect.gen(function* () {
      const { adapter, ask, id } = yield* ScriptedServer.session()
      const begun = yield* Effect.forkChild(Stream.runHead(adapter.events(id)), { startImmediately: true })
      const given = yield* Effect.forkChild(ask("late"), { startImmediately: true })
      yield* Fiber.join(begun)
      yield* Fiber.interrupt(given)
      assert.strictEqual(yield* ask('echo {"text":"mine"}'), "mine")
      assert.strictEqual(yield* ask('echo {"text":"mine too"}'), "mine too")
    }),
  )

  it.live.each([
    { what: "of calls that nobody made", id: "00000000000000000000000000000000-1" },
    { what: "of the call that comes next", id: "<id>0" },
    { what: "with a number for an id", id: 1 },
    { what: "without an id", id: null },
    { what: "with an object for an id", id: { toString: "<id>" } },
  ])("answers $what change nothing", ({ id }) =>
    Effect.gen(function* () {
      const { ask, say } = yield* ScriptedServer.session()
      const foreign = [answer(id, "not yours"), line({ id, error: { code: -32000, message: "not yours" } })]
      assert.strictEqual(yield* say([...foreign, answer("<id>", "mine"), ...foreign]), "mine")
      assert.strictEqual(yield* ask('echo {"text":"mine too"}'), "mine too")
    }),
  )
})

describe("a prompt goes on the wire at most once (promise 3)", () => {
  const isCall = ({ body }: HttpServer.Asked) => body.method === "tools/call"

  it.live.each([
    { what: "breaks off without a word", answerWith: undefined },
    { what: "breaks off after its headers", answerWith: "application/json" },
    { what: "breaks off in a stream that cannot be resumed", answerWith: "text/event-stream" },
  ])("a server that $what has seen it once, and it is said that the outcome is unknown", ({ answerWith }) =>
    Effect.gen(function* () {
      const { ask, server } = yield* HttpServer.session((asked, response) => {
        if (!isCall(asked)) return undefined
        if (answerWith === undefined) response.destroy()
        else {
          response.writeHead(200, { "content-type": answerWith }).flushHeaders()
          setImmediate(() => response.destroy())
        }
        return true
      })
      assert.strictEqual(reasonOf(yield* Effect.flip(ask("echo"))), "connection-lost unknown")
      assert.strictEqual(server.asked.filter(isCall).length, 1)
      // What the caller asks again is another prompt.
      yield* Effect.flip(ask("echo"))
      assert.strictEqual(server.asked.filter(isCall).length, 2)
    }),
  )

  it.live("a connection that the server closed while it was idle is not taken for a lost prompt: it arrives once", () =>
    Effect.gen(function* () {
      const { ask, server } = yield* HttpServer.session((asked, response) => {
        response.setHeader("connection", "close")
        return asked.method === "GET" ? true : undefined
      })
      for (let turn = 1; turn <= 5; turn++) {
        assert.strictEqual((yield* ask("echo")).content, "well")
        assert.strictEqual(server.asked.filter(isCall).length, turn)
      }
    }),
  )
})
