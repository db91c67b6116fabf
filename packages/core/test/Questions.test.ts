/** Questions of agents: what a policy's answers become, and where secrets stay out. */
import { assert, describe } from "@effect/vitest"
import { InMemoryMcpClient, McpApproval } from "@zain/core"
import type { McpApprovalDecision, McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpEvent } from "@zain/core/McpEvents"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber, Stream } from "effect"
import { ask, command } from "./ApprovalAsk.ts"

const questions: McpApprovalRequest = {
  kind: "question",
  message: "Which one?",
  questions: [
    { id: "colour", text: "Which colour?", options: [{ label: "Red" }, { label: "Blue" }] },
    { id: "token", text: "Which token?", options: [], isSecret: true },
  ],
}
const advice = "Choose what is most likely meant, and say which choice you made."

/** What the agent receives, and the events, with this policy. */
const asked = Effect.fnUntraced(function* (policy: McpApproval.McpApprovalPolicy, request = questions) {
  let received: McpApprovalDecision | undefined
  const client = yield* InMemoryMcpClient.make({
    approvals: policy,
    reply: ({ approve }) =>
      Effect.map(approve(request), (decision) => {
        received = decision
        return "done"
      }),
  })
  const session = yield* client.openSession(InMemoryMcpClient.config)
  const events: Array<McpEvent> = []
  const reading = yield* Effect.forkChild(
    Stream.runForEach(client.events(session), (event) => Effect.sync(() => events.push(event))),
    { startImmediately: true },
  )
  yield* client.execute(session, { content: "go" })
  yield* client.closeSession(session)
  yield* Fiber.join(reading)
  return { received, events }
})

describe("a question of an agent", () => {
  test("has its answers, well-formed; those to secrets reach the agent alone", function* () {
    const log: Array<McpApproval.McpApprovalEntry> = []
    const policy = McpApproval.make({
      ask: () => ({ answers: { colour: ["Blue", "\ud800"], token: "hunter2" } }),
      log: (entry) => void log.push(entry),
    })
    const { events, received } = yield* asked(policy)
    assert.deepStrictEqual(received, { _tag: "Answer", answers: { colour: ["Blue", "\ufffd"], token: ["hunter2"] } })
    const decided = events.flatMap((event) => (event._tag === "ApprovalDecided" ? [event.decision] : []))
    assert.deepStrictEqual(decided, [{ _tag: "Answer", answers: { colour: ["Blue", "\ufffd"] } }])
    assert.deepStrictEqual(
      log.map(({ decision }) => decision),
      decided,
    )
    assert.notInclude(JSON.stringify([events, log]), "hunter2")
  })

  test("is decided by no rule, and is dismissed by a policy without `ask`", function* () {
    const rules = [{ answer: "approve" }, { within: "/", answer: "decline" }] as const
    const { by, decision } = yield* ask({ rules }, questions)
    assert.deepStrictEqual([by, decision], ["default", McpApproval.decline(McpApproval.dismissed)])
    assert.match(McpApproval.dismissed, new RegExp(`^Questions cannot be answered here\\. ${advice}$`))
    const wrong = [{ kind: "question", answer: "decline" }, { answer: { answers: {} } }]
    for (const rule of wrong) assert.match(McpApproval.problem({ rules: [rule as never] }) ?? "", /^`rules\.0\./)
  })

  const long = "x".repeat(65_537)
  test.each<readonly [string, unknown]>([
    ["approves", "approve"],
    ["approves for the session", "approve-for-session"],
    ["answers another question", { answers: { other: "Blue" } }],
    ["answers with a number", { answers: { colour: 7 } }],
    ["answers with a list of anything", { answers: { colour: [7] } }],
    ["answers with a list alone", { answers: ["Blue"] }],
    ["answers at too great length", { answers: { colour: long } }],
  ])("is dismissed if `ask` %s", function* ([, answer]) {
    const { by, decision } = yield* ask({ ask: () => answer as never }, questions)
    const reason = `The host's approval callback returned no answers to the questions. ${advice}`
    assert.deepStrictEqual([by, decision], ["failure", McpApproval.decline(reason)])
  })

  test("keeps the reason of a decline, and takes a whole decision", function* () {
    const declined = yield* ask({ ask: () => ({ decline: "Ask tomorrow." }) }, questions)
    assert.deepStrictEqual(declined.decision, McpApproval.decline("Ask tomorrow."))
    const answer = { _tag: "Answer", answers: { colour: ["Red"] } } as const
    assert.deepStrictEqual((yield* ask({ ask: async () => answer }, questions)).decision, answer)
  })

  test("is dismissed if a policy of another origin approves it; answers approve nothing else", function* () {
    const approving = yield* asked(() => Effect.succeed(McpApproval.approveForSession))
    assert.deepStrictEqual(approving.received, McpApproval.decline(McpApproval.dismissed))
    const answer = { _tag: "Answer", answers: {} } as const
    const answering = yield* asked(() => Effect.succeed(answer), command("rm x"))
    assert.strictEqual(answering.received?._tag, "Decline")
    const { by, said } = yield* ask({ ask: () => answer })
    assert.deepStrictEqual([said, by], ["Decline", "failure"])
  })
})
