/** Approvals within a turn: the policy's request, the events, and the effect on limits and ends. */
import { assert, describe, it } from "@effect/vitest"
import {
  InMemoryMcpClient,
  McpApproval,
  McpPromiseClient,
  type McpPromiseClientSessionConfig,
  McpResponse,
  McpResult,
} from "@zain/core"
import type { McpApprovalDecision, McpApprovalEntry, McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpEvent } from "@zain/core/McpEvents"
import { test } from "@zain/testkit/Test"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { failure, session as held, start } from "../testing/HeldAgent.ts"

const request = { kind: "command", message: "May I?", command: "touch x" } as const
const { approve, decline } = McpApproval

/** A client of a function that requests approval, and answers with the decision. */
const asking = (options: InMemoryMcpClient.Options = {}) =>
  InMemoryMcpClient.make({
    reply: ({ approve }) => Effect.map(approve(request), (decision) => JSON.stringify(decision)),
    ...options,
  })

const decided = Effect.fnUntraced(function* (client: Effect.Success<ReturnType<typeof asking>>) {
  const id = yield* client.openSession(InMemoryMcpClient.config)
  const { content } = yield* client.execute(id, { content: "go" })
  return { id, decision: JSON.parse(content) as McpApprovalDecision }
})

describe("ApproveForSession covers only the approved request (promise 23)", () => {
  const file = { kind: "file-change", message: "?", paths: ["/a"], tool: "Write", input: "one" } as const
  const tool = { kind: "tool", message: "?", tool: "Fetch", input: { url: "/a" } } as const
  const command = { kind: "command", message: "?", command: "git push origin main", cwd: "/a" } as const
  const grant = { kind: "permission", message: "Allow the network?", cwd: "/a", paths: [] } as const
  test.each<readonly [McpApprovalRequest, McpApprovalRequest, boolean]>([
    [command, { ...command, message: "Again?", reason: "another" }, true],
    [command, { ...command, input: { timeout: 9 } }, true],
    [command, { ...command, input: { run_in_background: true } }, false],
    [command, { ...command, sandbox: "none" }, false],
    [tool, { ...tool, paths: ["/elsewhere"] }, false],
    [command, { ...command, command: "git push origin main --force" }, false],
    [command, { ...command, cwd: "/b" }, false],
    [{ ...command, cwd: undefined } as never, { ...command, cwd: undefined } as never, false],
    [file, { ...file, input: "two" }, true],
    [file, { ...file, paths: ["/b"] }, false],
    [file, { ...file, tool: "Edit" }, false],
    [{ kind: "file-change", message: "?" }, { kind: "file-change", message: "?" }, false],
    [tool, { ...tool, message: "Again?" }, true],
    [tool, { ...tool, input: { url: "/b" } }, false],
    [tool, { ...tool, tool: "Search" }, false],
    [grant, { ...grant, reason: "another" }, true],
    [grant, { ...grant, message: "Allow everything?" }, false],
    [command, { ...command, kind: "permission" }, false],
  ])("after %j covers %j: %s", function* ([first, next, isSame]) {
    const log: Array<McpApprovalEntry> = []
    let asked = 0
    const client = yield* InMemoryMcpClient.make({
      approvals: McpApproval.make({
        ask: () => (asked++ === 0 ? "approve-for-session" : "decline"),
        log: (entry) => void log.push(entry),
      }),
      reply: ({ approve, content }) =>
        Effect.map(approve(content === "first" ? first : next), (decision) => decision._tag),
    })
    const id = yield* client.openSession(InMemoryMcpClient.config)
    // The agent receives Approve: with ApproveForSession it would no longer request approvals.
    assert.strictEqual((yield* client.execute(id, { content: "first" })).content, "Approve")
    assert.strictEqual((yield* client.execute(id, { content: "next" })).content, isSame ? "Approve" : "Decline")
    assert.deepStrictEqual(
      log.map(({ by, decision }) => [by, decision._tag]),
      [["ask", "ApproveForSession"], isSame ? ["session", "Approve"] : ["ask", "Decline"]],
    )
    const other = yield* client.openSession(InMemoryMcpClient.config)
    assert.strictEqual((yield* client.execute(other, { content: "first" })).content, "Decline")
  })

  test("but a declining rule has priority over it", function* () {
    let isOver = false
    const client = yield* asking({
      approvals: (request, asker) =>
        McpApproval.make({
          rules: isOver ? [{ command: /touch/, answer: { decline: "No more." } }] : [],
          ask: () => "approve-for-session",
        })(request, asker),
    })
    const { decision, id } = yield* decided(client)
    assert.deepStrictEqual(decision, approve)
    isOver = true
    const { content } = yield* client.execute(id, { content: "again" })
    assert.deepStrictEqual(JSON.parse(content), decline("No more."))
  })
})

const inShort = (event: McpEvent) => {
  const { _tag, turn } = event
  if (_tag === "ApprovalAsked") return `${turn} ${_tag} ${event.approvalId} ${event.request.command}`
  return _tag === "ApprovalDecided" ? `${turn} ${_tag} ${event.approvalId} ${event.decision._tag}` : `${turn} ${_tag}`
}

describe("approval events (approval.events)", () => {
  test("end with their turn: cancellation emits ApprovalDecided, and a later request emits nothing", function* () {
    const { begin, close, read } = yield* held({ approvals: () => Effect.never })
    const reader = yield* read
    const { fiber, turn } = yield* begin("go")
    const late = yield* start(turn.approve(request))
    yield* Fiber.interrupt(late)
    yield* Fiber.interrupt(fiber)
    assert.strictEqual((yield* turn.approve(request))._tag, "Decline")
    yield* close
    assert.deepStrictEqual((yield* Fiber.join(reader)).map(inShort), [
      "1 TurnStarted",
      "1 ApprovalAsked 1 touch x",
      "1 ApprovalDecided 1 Decline",
      "1 TurnFailed",
    ])
  })
})

describe("an approval request that is open when its turn ends", () => {
  test("emits one ApprovalDecided with Decline in that turn", function* () {
    const { begin, close, read } = yield* held({ approvals: () => Effect.never })
    const reader = yield* read
    const one = yield* begin("first")
    const questions = [yield* start(one.turn.approve(request)), yield* start(one.turn.approve(request))]
    one.answer("done")
    yield* Fiber.join(one.fiber)
    const two = yield* begin("second")
    yield* Fiber.interruptAll(questions)
    two.answer("done")
    yield* Fiber.join(two.fiber)
    yield* close
    assert.deepStrictEqual((yield* Fiber.join(reader)).map(inShort), [
      "1 TurnStarted",
      "1 ApprovalAsked 1 touch x",
      "1 ApprovalAsked 2 touch x",
      "1 ApprovalDecided 1 Decline",
      "1 ApprovalDecided 2 Decline",
      "1 TurnCompleted",
      "2 TurnStarted",
      "2 TurnCompleted",
    ])
  })
})

describe("a pending approval (idle limit)", () => {
  test("suspends the idle limit, which restarts with the decision", function* () {
    const thought = yield* Deferred.make<McpApprovalDecision>()
    const { begin } = yield* held({ approvals: () => Deferred.await(thought) }, { idleTimeout: "1 minute" })
    const { fiber, turn } = yield* begin("go")
    const question = yield* start(turn.approve(request))
    yield* TestClock.adjust("1 hour")
    assert.isUndefined(fiber.pollUnsafe())
    yield* Deferred.succeed(thought, approve)
    assert.deepStrictEqual(yield* Fiber.join(question), approve)
    yield* TestClock.adjust("59 seconds")
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust("61 seconds")
    assert.strictEqual(yield* failure(fiber), "ConnectionUnavailable stalled unknown")
  })

  test("of a turn that has ended does not suspend the idle limit of the next turn", function* () {
    const { begin } = yield* held({ approvals: () => Effect.never }, { idleTimeout: "1 minute" })
    const one = yield* begin("first")
    yield* start(one.turn.approve(request))
    one.answer("done")
    yield* Fiber.join(one.fiber)
    const { fiber } = yield* begin("second")
    yield* TestClock.adjust("2 minutes")
    assert.strictEqual(yield* failure(fiber), "ConnectionUnavailable stalled unknown")
  })
})

describe("McpPromiseClient approvals (docs/concepts/approvals.md)", () => {
  it("of `openSession` replace those of the client and of its adapter, for that session", async () => {
    const adapter = asking({ approvals: McpApproval.make({ rules: [{ answer: { decline: "Of the adapter." } }] }) })
    for (const [made, theirs] of [
      [asking(), "Of the client."],
      [adapter, "Of the adapter."],
    ] as const) {
      const usual = { rules: [{ answer: { decline: "Of the client." } }] }
      await using client = await McpPromiseClient.make(made, { approvals: usual })
      const ask = async (config: McpPromiseClientSessionConfig) => {
        const session = McpResult.getOrThrow(await client.openSession(config))
        return McpResponse.getOrThrow(await client.execute(session, "go")).content
      }
      const deadline: string = "1 minute"
      const own: McpApproval.Options = { ask: async () => "approve", deadline }
      assert.strictEqual(await ask({ ...InMemoryMcpClient.config, approvals: own }), JSON.stringify(approve))
      assert.strictEqual(await ask(InMemoryMcpClient.config), JSON.stringify(decline(theirs)))
    }
  })
})
