import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { McpError } from "@modelcontextprotocol/sdk/types.js"
import { AgentEnvironment, ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import * as LoopSmithClient from "../src/LoopSmithClient.ts"
import * as LoopSmithPlace from "../src/LoopSmithPlace.ts"

describe("`loopsmith serve ws` with the real Codex as judge, whose model refuses it", () => {
  it.live(
    "LoopSmith 11: the caller is told -32603 and the model's own words, which the log has too, without the key",
    () =>
      Effect.gen(function* () {
        const key = AgentEnvironment.dummyKey
        const refusal = ScriptedTurn.httpError(400, { message: `The key ${key} has no credit.` })
        const place = yield* LoopSmithPlace.make(() => refusal)
        const args = [...LoopSmithPlace.judge, "--attempts", "1"]
        const served = yield* place.serve("ws", args, { LOG_LEVEL: "debug" })
        const { evaluate } = yield* LoopSmithClient.connect({ door: "ws", url: served.url })
        const { cause } = yield* Effect.flip(Effect.tryPromise(() => evaluate("# Guide")))
        assert.instanceOf(cause, McpError)
        const { code, data, message } = cause as McpError
        assert.strictEqual(code, -32603)
        const closed = once(served.process, "close")
        served.process.kill("SIGTERM")
        yield* Effect.promise(() => closed)
        for (const said of [JSON.stringify(data), message, served.logged()]) {
          assert.include(said, "has no credit")
          assert.notInclude(said, key)
        }
      }),
  )
})
