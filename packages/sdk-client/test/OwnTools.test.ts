/** Tools of a session's own, over the wire: what the server receives, and each of its requests has one answer. */
import { assert, describe } from "@effect/vitest"
import type { McpTool } from "@zain/core/McpTool"
import { test } from "@zain/testkit/Test"
import { Fiber, Queue } from "effect"
import { toolCall } from "../src/ServerRequests.ts"
import { answered, session } from "./AgentServerPeer.ts"

const experimental = { "zain/tools": {} }

/** A tool, and the calls of it. */
const adding = (run: McpTool["run"] = () => 3) => {
  const signals: Array<AbortSignal> = []
  const tool: McpTool = {
    ...{ name: "add", description: "Adds.", input: { type: "object" } },
    run: (args, context) => {
      signals.push(context.signal)
      return run(args, context)
    },
  }
  return { signals, tools: [tool] }
}

const declared = (said: ReadonlyArray<{ readonly method?: string; readonly params?: object }>) => {
  const { capabilities } = (said.find(({ method }) => method === "initialize")?.params ?? {}) as {
    readonly capabilities?: { readonly experimental?: object }
  }
  return Object.keys(capabilities?.experimental ?? {})
}

const params = { name: "add", arguments: {} }
const hanging = () => new Promise<never>(() => {})

describe("tools of a session's own", () => {
  test("leave no trace in a session without any, whose server's request for one is refused (promise 23)", function* () {
    const { ask, said, start, turn } = yield* session({ experimental })
    assert.notInclude(declared(said), "zain/tools")
    const { call, fiber } = yield* start("go")
    assert.notProperty(call._meta ?? {}, "zain/tools")
    assert.strictEqual((yield* ask(1, params, toolCall)).error?.code, -32_601)
    call.answer(answered("done"))
    yield* Fiber.join(fiber)
    yield* turn("next")
  })

  test("are called within a turn only (promise 15), and each request is answered once", function* () {
    const { signals, tools } = adding()
    const { ask, start, turn } = yield* session({ experimental, tools })
    const result = (text: string, isError: boolean) => ({ content: [{ type: "text", text }], isError })
    const outside = result("This request belongs to no turn under way.", true)
    assert.deepStrictEqual((yield* ask(1, params, toolCall)).result, outside)
    const { call, fiber } = yield* start("go")
    assert.deepStrictEqual((yield* ask(2, params, toolCall)).result, result("3", false))
    const unnamed = result("This session has no tool ``.", true)
    assert.deepStrictEqual((yield* ask(3, "nonsense", toolCall)).result, unnamed)
    call.answer(answered("done"))
    yield* Fiber.join(fiber)
    assert.deepStrictEqual((yield* ask(4, params, toolCall)).result, outside)
    assert.lengthOf(signals, 1)
    yield* turn("next")
  })

  test("under way are aborted with their turn, and answered", function* () {
    const { signals, tools } = adding(hanging)
    const { answers, question, start, turn } = yield* session({ experimental, tools })
    const { call, fiber } = yield* start("go")
    question(1, params, toolCall)
    call.answer(answered("done"))
    const { result } = yield* Queue.take(answers)
    assert.deepInclude(result as object, { isError: true })
    yield* Fiber.join(fiber)
    assert.deepStrictEqual(
      signals.map(({ aborted }) => aborted),
      [true],
    )
    yield* turn("next")
  })

  test("under way are aborted and not answered when the server cancels the request", function* () {
    const { signals, tools } = adding(hanging)
    const { said, say, start } = yield* session({ experimental, tools })
    const { call, fiber } = yield* start("go")
    say({ id: "t", method: toolCall, params })
    say({ method: "notifications/cancelled", params: { requestId: "t" } })
    call.answer(answered("done"))
    yield* Fiber.join(fiber)
    assert.deepStrictEqual(
      signals.map(({ aborted }) => aborted),
      [true],
    )
    assert.deepStrictEqual(
      said.filter(({ id }) => id === "t"),
      [],
    )
  })
})
