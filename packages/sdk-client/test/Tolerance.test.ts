/** The requests of a client. */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as ScriptedServer from "./ScriptedServer.ts"

const { answer, line } = ScriptedServer

describe("the requests of a client", () => {
  test.live(
    "are the handshake and calls only: list changes cause no request, and no schema or pattern of the server is run (promises 15 and 17)",
    function* () {
      const { ask, heard, say } = yield* ScriptedServer.session()
      const storm = ["tools", "resources", "prompts", "roots"].flatMap((list) =>
        Array<string>(50).fill(line({ method: `notifications/${list}/list_changed` })),
      )
      assert.strictEqual(yield* say([...storm, answer("<id>", "heard"), ...storm], true), "heard")
      // The second half has already arrived, and no call is waiting for it.
      yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
      // Requests caused by the notifications would have arrived by then.
      yield* Effect.replicateEffect(ask("echo"), 10, { discard: true })
      assert.deepStrictEqual(
        (yield* heard).map(({ method }) => method),
        ["initialize", "notifications/initialized", ...Array<string>(11).fill("tools/call")],
      )
    },
  )

  test.live("have ids that cannot be guessed: 128 random bits per session, and a number (promise 21)", function* () {
    const prefixes = new Set<string>()
    for (let count = 0; count < 3; count++) {
      const { ask, heard } = yield* ScriptedServer.session()
      yield* ask("echo")
      yield* ask("echo")
      const ids = (yield* heard).flatMap(({ id, method }) => (method === "tools/call" ? [String(id)] : []))
      const [prefix = ""] = /^[0-9a-f]{32}(?=-1$)/.exec(ids[0] ?? "") ?? []
      assert.deepStrictEqual(ids, [`${prefix}-1`, `${prefix}-2`])
      prefixes.add(prefix)
    }
    assert.strictEqual(prefixes.size, 3)
  })
})
