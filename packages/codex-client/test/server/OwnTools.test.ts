/** Tools of a client's own as dynamic tools of Codex. */
import { assert, describe } from "@effect/vitest"
import type { Tools } from "@zain/agent-server/ClientTools"
import { test } from "@zain/testkit/Test"
import { Effect, Exit, Fiber, Scope } from "effect"
import { until } from "../../../tool-server/testing/InMemory.ts"
import { codex, listener, script } from "../../testing/server/Codex.ts"

const tool = (name: string, description = "It.") => ({ name, description, inputSchema: { type: "object" } })
const tools: Tools = [tool("add")]
const said = script([{ message: "Said." }])
const use = { ask: "item/tool/call", params: { callId: "c", namespace: "zain", tool: "add", arguments: { a: 1 } } }
const approve = () => Effect.succeed({ _tag: "Approve" as const })

/** Codex and a client, which leaves before a second one of another server joins. */
const begun = Effect.fnUntraced(function* () {
  const made = yield* codex()
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer((exit) => Scope.close(scope, exit))
  const client = yield* Scope.provide(made.agent.attach, scope)
  const asked = (method: string) => made.heard().flatMap((one) => (one.method === method ? [one.params ?? {}] : []))
  const later = Effect.andThen(
    Scope.close(scope, Exit.void),
    Effect.flatMap(made.again, ({ attach }) => attach),
  )
  return { ...made, client, asked, later }
})

describe("tools of a client's own", () => {
  test.live("are not mentioned to Codex in a thread without any", function* () {
    const { asked, client } = yield* begun()
    yield* client.turn(yield* client.start({}), { prompt: said }, listener())
    assert.notProperty(asked("thread/start")[0], "dynamicTools")
  })

  test.live("are answered when the turn is interrupted", function* () {
    const { client, heard } = yield* begun()
    const threadId = yield* client.start({}, tools)
    const recorder = listener(approve, () => Effect.never)
    const unheard = { askUnheard: use.ask, params: use.params }
    const prompt = script([unheard, { event: "item/agentMessage/delta", params: { delta: "x" } }, { hang: true }])
    const turn = yield* Effect.forkChild(client.turn(threadId, { prompt, tools }, recorder))
    yield* recorder.spoke
    yield* Fiber.interrupt(turn)
    const answers = (): ReadonlyArray<unknown> =>
      heard().flatMap(({ result }) =>
        result !== null && typeof result === "object" && "contentItems" in result ? [result] : [],
      )
    yield* until(() => answers().length > 0)
    assert.deepStrictEqual(answers(), [
      { contentItems: [{ type: "inputText", text: "The turn has ended." }], success: false },
    ])
  })

  test.live("stay with the thread, also after a restart: others are refused before anything is sent", function* () {
    const { asked, client, later } = yield* begun()
    const threadId = yield* client.start({}, tools)
    yield* client.turn(threadId, { prompt: said, tools }, listener())
    for (const [others, why] of [
      [[], "`add` is missing"],
      [[tool("add", "Another.")], "`add` is another one"],
      [[...tools, tool("more")], "`more` is new"],
    ] as const) {
      const error = yield* Effect.flip(client.turn(threadId, { prompt: said, tools: others }, listener()))
      assert.strictEqual(error.reason, "option-refused")
      assert.match(error.message, /^`tools` cannot change in a thread of Codex: /)
      assert.include(error.message, why)
    }
    const other = yield* later
    const refused = yield* Effect.flip(other.open(threadId, undefined, [tool("more")]))
    assert.strictEqual(refused.reason, "option-refused")
    yield* other.open(threadId, undefined, tools)
    assert.strictEqual((yield* other.turn(threadId, { prompt: said, tools }, listener())).content, "Said.")
    assert.strictEqual(
      (yield* other.turn(threadId, { prompt: said, tools }, listener(), { model: "m" })).content,
      "Said.",
    )
    assert.lengthOf(asked("turn/start"), 3)
    for (const params of asked("thread/resume")) assert.notProperty(params, "tools")
  })
})
