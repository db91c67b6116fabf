/** Approval requests of a server, what the policy receives, and what the server is answered. */
import { assert, describe } from "@effect/vitest"
import type { McpApprovalDecision, McpApprovalPolicy } from "@zain/core/McpApproval"
import * as McpApproval from "@zain/core/McpApproval"
import { test } from "@zain/testkit/Test"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { actionOf, answered, elicitation, session } from "./AgentServerPeer.ts"

const always =
  (decision: McpApprovalDecision): McpApprovalPolicy =>
  () =>
    Effect.succeed(decision)

describe("an approval of the agent server (MCP elicitation, form)", () => {
  test("is announced in the handshake, with the client's id, its extensions and the largest result it reads", function* () {
    const { said } = yield* session()
    const capabilities = said[0]?.params?.["capabilities"] as {
      readonly experimental: { readonly "zain/client": { readonly id: string } }
    }
    const { id } = capabilities.experimental["zain/client"]
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.deepStrictEqual(capabilities, {
      elicitation: { form: {} },
      experimental: {
        ...{ "zain/events": {}, "zain/steer": {}, "zain/threads": {} },
        ...{ "zain/client": { id }, "zain/results": { maxBytes: 64 * 2 ** 20 } },
      },
    } as object)
  })

  test.each([0, -1, 1.5, 2 ** 53, "", "an id", "__proto__", null] as const)(
    "with the id %j is answered under exactly that id",
    function* (id) {
      const { ask, start } = yield* session({ approvals: always(McpApproval.approve) })
      yield* start("go")
      const answer = yield* ask(id, elicitation())
      assert.deepStrictEqual([answer.id, actionOf(answer)], [id, "accept"])
    },
  )

  test("may be one of several at once, each of which receives its own answer in any order", function* () {
    const decisions = new Map<string | undefined, Deferred.Deferred<McpApprovalDecision>>()
    const { answers, question, start } = yield* session({
      approvals: ({ command }) => {
        const decision = Deferred.makeUnsafe<McpApprovalDecision>()
        decisions.set(command, decision)
        return Deferred.await(decision)
      },
    })
    yield* start("go")
    for (const command of ["a", "b", "c"]) {
      question(command, elicitation({ kind: "command", message: "May I?", command }))
    }
    const given: Array<unknown> = []
    for (const command of ["c", "a", "b"]) {
      yield* Deferred.succeed(
        decisions.get(command) as never,
        command === "a" ? McpApproval.approve : McpApproval.decline(),
      )
      const answer = yield* Queue.take(answers)
      given.push([answer.id, actionOf(answer)])
    }
    assert.deepStrictEqual(given, [
      ["c", "decline"],
      ["a", "accept"],
      ["b", "decline"],
    ])
  })
})

describe("a request that is not an approval", () => {
  test.each([
    ["elicitation/create", { ...elicitation(), _meta: undefined }],
    ["elicitation/create", elicitation({ kind: "anything", message: "May I?" })],
    ["elicitation/create", elicitation({ kind: "command" })],
    ["elicitation/create", elicitation(["command"])],
    ["elicitation/create", undefined],
    ["elicitation/create", []],
    ["sampling/createMessage", elicitation()],
    ["tasks/list", {}],
    ["zain/unheard-of", elicitation()],
  ] as const)(
    "is refused without calling the policy, and the turn continues: %s %j (promise 23)",
    function* ([method, params]) {
      const { ask, start } = yield* session({ approvals: () => assert.fail("the policy is called") })
      const { call, fiber } = yield* start("go")
      assert.strictEqual((yield* ask(1, params, method)).error?.code, -32601)
      call.answer(answered("done"))
      assert.strictEqual((yield* Fiber.join(fiber)).content, "done")
    },
  )
})
