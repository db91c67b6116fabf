/** Calls of one turn with the same id: Codex gives a response to the wrong one. */
import { assert, describe } from "@effect/vitest"
import type { McpApprovalReply } from "@zain/core/McpApproval"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { item, listener, script, subAgent, thread } from "../../testing/server/Codex.ts"

const command = "item/commandExecution/requestApproval"
const approve = Effect.succeed<McpApprovalReply>({ _tag: "Approve" })
const started = (type: string, more: object = {}) => item("started", { type, id: "one", ...more })
const change = (path: string) => started("fileChange", { changes: [{ path }] })
const asked = (id: string) => ({ askUnheard: command, params: { itemId: id, command: "x" } })
const tool = {
  askUnheard: "mcpServer/elicitation/request",
  params: { serverName: "s", _meta: { codex_approval_kind: "mcp_tool_call", tool_name: "t", tool_params: {} } },
}
const patch = { askUnheard: "item/fileChange/requestApproval", params: { itemId: "one" } }

describe("an id that is used twice", () => {
  const cases: ReadonlyArray<
    readonly [what: string, steps: ReadonlyArray<object>, decide: Effect.Effect<McpApprovalReply>]
  > = [
    ["two commands, before a decision", [asked("one"), asked("one")], Effect.never],
    ["two commands with immediate approvals", [asked("one"), asked("one")], approve],
    ["a command and a patch", [asked("one"), patch], approve],
    ["a patch with the files of another", [change("/outside"), change("/inside"), patch], approve],
    ["a patch before another with its id", [change("/outside"), patch, change("/inside")], approve],
    ["two calls of a tool", [started("mcpToolCall"), started("mcpToolCall"), tool, tool], approve],
    ["a command beside a patch", [change("/inside"), started("commandExecution"), patch], approve],
  ]
  test.live.each(cases)("is declined for both calls, and ends the turn: %s", function* ([_, steps, decide]) {
    const { heard, says, threadId, turn } = yield* thread()
    const result = yield* turn(
      threadId,
      { prompt: script([...steps, { hang: true }]) },
      listener(() => decide),
    )
    assert.isTrue(result.isError)
    assert.match(result.content, /^Codex used the id .*one for two calls of a turn/)
    assert.isDefined(heard().find(({ method }) => method === "turn/interrupt"))
    // By the end of the next turn, the fake has received every response.
    assert.strictEqual(yield* says([{ message: "Next." }]), "Next.")
    const answers = heard().flatMap(({ id, method, result }) =>
      String(id).startsWith("ask-") && method === undefined ? [JSON.stringify(result)] : [],
    )
    assert.lengthOf(answers, steps.filter((step) => "askUnheard" in step).length)
    for (const answer of answers) assert.include(answer, '"decline"')
  })

  test.live("ends the turn also when the first call was decided long before", function* () {
    const { threadId, turn } = yield* thread()
    const ask = { ask: command, params: { itemId: "one", command: "x" } }
    const ear = listener()
    const result = yield* turn(threadId, { prompt: script([ask, asked("one"), { hang: true }]) }, ear)
    assert.isTrue(result.isError)
    const said = ear.events.flatMap((event) => (event._tag === "Message" ? [event.text] : []))
    assert.deepStrictEqual(said, ['{"decision":"accept"}'])
    assert.lengthOf(ear.asked, 1)
  })

  test.live(
    "is allowed in another thread, in the next turn, for another part of a command, and for a host",
    function* () {
      const { threadId, turn } = yield* thread()
      const ask = (more: object) => ({ ask: command, params: { itemId: "one", command: "x", ...more } })
      const host = ask({ networkApprovalContext: { host: "example.org" } })
      const steps = [...subAgent, ask({}), ask({ threadId: "sub" }), ask({ approvalId: "a" }), host, host]
      for (const _ of [1, 2]) {
        const ear = listener()
        const result = yield* turn(threadId, { prompt: script([...steps, { message: "Done." }]) }, ear)
        assert.deepInclude(result, { content: "Done.", isError: false })
        assert.lengthOf(ear.asked, 5)
      }
    },
  )
})
