/** The reason of a decline, as Codex's model receives it (approval.reason). */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { listener, script, subAgent, thread } from "../../testing/server/Codex.ts"

const ask = (params: object) => ({
  ask: "item/commandExecution/requestApproval",
  params: { command: "touch x", ...params },
})
const steered = { await: "steer" }

/** The messages that Codex receives after a request that is declined for this reason. */
const heardAfter = Effect.fnUntraced(function* (reason: string, steps: ReadonlyArray<object>) {
  const { heard, threadId, turn } = yield* thread()
  yield* turn(
    threadId,
    { prompt: script(steps) },
    listener(() => Effect.succeed({ _tag: "Decline", reason })),
  )
  const all = heard()
  const answer = all.findIndex(({ id }) => id === "ask-1")
  return { heard: all.slice(answer).map(({ method, params }) => ({ method, params })) }
})

const steer = (threadId: string, expectedTurnId: string, text: string) => ({
  method: "turn/steer",
  params: { threadId, expectedTurnId, input: [{ type: "text", text, text_elements: [] }] },
})

describe("the reason of a decline (approval.reason)", () => {
  test.live("is sent to the requesting sub-agent", function* () {
    const steps = [...subAgent, ask({ itemId: "i", threadId: "sub", turnId: "sub-1" }), steered]
    const { heard } = yield* heardAfter("No.", steps)
    assert.deepStrictEqual(heard[1], steer("sub", "sub-1", "`touch x` was declined: No."))
  })

  test.live("is cut, as is the declined command", function* () {
    const steps = [ask({ itemId: "i", command: "c".repeat(1000) }), steered]
    const { heard } = yield* heardAfter("r".repeat(10_000), steps)
    const [{ text = "" } = {}] = (heard[1]?.params?.["input"] ?? []) as ReadonlyArray<{ readonly text?: string }>
    assert.strictEqual(text, `\`${"c".repeat(199)}…\` was declined: ${"r".repeat(4095)}…`)
  })

  test.live("is not sent when it is empty, or when the response contains it", function* () {
    const old = { ask: "execCommandApproval", params: { callId: "i", command: ["ls"], turnId: null } }
    assert.lengthOf((yield* heardAfter(" ", [ask({ itemId: "i" })])).heard, 1)
    assert.lengthOf((yield* heardAfter("No.", [old])).heard, 1)
  })
})
