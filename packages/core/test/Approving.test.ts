/** A turn that asks before it acts: what the policy hears, what readers see, and what it does to limits and ends. */
import { assert, describe, it } from "@effect/vitest"
import { InMemoryMcpClient, McpApproval, McpPromiseClient } from "@zain/core"
import type {
  McpApprovalAsker,
  McpApprovalDecision,
  McpApprovalEntry,
  McpApprovalPolicy,
  McpApprovalRequest,
} from "@zain/core/McpApproval"
import type { McpEvent } from "@zain/core/McpEvents"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { session as held, inWords, start } from "./HeldAgent.ts"
import { test } from "./Test.ts"

const request = { kind: "command", message: "May I?", command: "touch x" } as const
const { approve, decline } = McpApproval

/** A client of a function that asks, and answers with what it was told. */
const asking = (options: InMemoryMcpClient.Options = {}) =>
  InMemoryMcpClient.make({
    reply: ({ approve }) => Effect.map(approve(request), (decision) => JSON.stringify(decision)),
    ...options,
  })

const told = (client: Effect.Success<ReturnType<typeof asking>>) =>
  Effect.gen(function* () {
    const id = yield* client.openSession(InMemoryMcpClient.config)
    const { content } = yield* client.execute(id, { content: "go" })
    return { id, decision: JSON.parse(content) as McpApprovalDecision }
  })

describe("a turn that asks (design §5, McpApproval)", () => {
  test("asks the policy of the place where its adapter was made, and says who asks", function* () {
    const askers: Array<McpApprovalAsker> = []
    const policy: McpApprovalPolicy = (_, asker) => {
      askers.push(asker)
      return Effect.succeed(approve)
    }
    const client = yield* Effect.provideService(asking(), McpApproval.McpApproval, policy)
    const { decision, id } = yield* told(client)
    assert.deepStrictEqual(decision, approve)
    yield* client.execute(id, { content: "again" })
    assert.deepStrictEqual(askers, [
      { provider: "in-memory", sessionId: id, turn: 1 },
      { provider: "in-memory", sessionId: id, turn: 2 },
    ])
  })

  test("asks the adapter's own policy before that", function* () {
    const made = asking({ approvals: McpApproval.make({ rules: [{ answer: { decline: "Its own." } }] }) })
    const client = yield* Effect.provideService(made, McpApproval.McpApproval, () => Effect.succeed(approve))
    assert.deepStrictEqual((yield* told(client)).decision, decline("Its own."))
  })

  test.each([
    ["throws", () => assert.fail("its own")],
    ["dies", () => Effect.die(new Error("its own"))],
  ] as const)("of a policy that %s is declined (promise 7)", function* ([, policy]) {
    const client = yield* asking({ approvals: policy as McpApprovalPolicy })
    assert.strictEqual((yield* told(client)).decision._tag, "Decline")
  })
})

describe("an approval for the session is for what was asked, and no more (promise 23)", () => {
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
  ])("of %j counts for %j: %s", function* ([first, next, isSame]) {
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
    // The agent itself is never told of the session: it would keep the approval, and ask no more.
    assert.strictEqual((yield* client.execute(id, { content: "first" })).content, "Approve")
    assert.strictEqual((yield* client.execute(id, { content: "next" })).content, isSame ? "Approve" : "Decline")
    assert.deepStrictEqual(
      log.map(({ by, decision }) => [by, decision._tag]),
      [["ask", "ApproveForSession"], isSame ? ["session", "Approve"] : ["ask", "Decline"]],
    )
    const other = yield* client.openSession(InMemoryMcpClient.config)
    assert.strictEqual((yield* client.execute(other, { content: "first" })).content, "Decline")
  })

  test("a rule that declines goes before it", function* () {
    let isOver = false
    const client = yield* asking({
      approvals: (request, asker) =>
        McpApproval.make({
          rules: isOver ? [{ command: /touch/, answer: { decline: "No more." } }] : [],
          ask: () => "approve-for-session",
        })(request, asker),
    })
    const { decision, id } = yield* told(client)
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

describe("the events of a question (design §5; rule 7)", () => {
  it.effect("end with the turn: a question of a cancelled turn is declined in it, and one asked later not at all", () =>
    Effect.gen(function* () {
      const { adapter, ask, id, next } = yield* held({}, {})
      const reader = yield* start(Stream.runCollect(adapter.events(id)))
      const asked = yield* start(ask("go"))
      const { turn } = yield* next
      const late = yield* start(turn.approve(request))
      yield* Fiber.interrupt(late)
      yield* Fiber.interrupt(asked)
      assert.strictEqual((yield* turn.approve(request))._tag, "Decline")
      yield* adapter.closeSession(id)
      assert.deepStrictEqual((yield* Fiber.join(reader)).map(inShort), [
        "1 TurnStarted",
        "1 ApprovalAsked 1 touch x",
        "1 ApprovalDecided 1 Decline",
        "1 TurnFailed",
      ])
    }).pipe(Effect.provideService(McpApproval.McpApproval, () => Effect.never)),
  )
})

describe("a question that is still open when its turn ends", () => {
  it.effect("is told as declined in that turn, once, and never stays without a decision", () =>
    Effect.gen(function* () {
      const { adapter, ask, id, next } = yield* held({}, {})
      const reader = yield* start(Stream.runCollect(adapter.events(id)))
      const first = yield* start(ask("first"))
      const one = yield* next
      const questions = [yield* start(one.turn.approve(request)), yield* start(one.turn.approve(request))]
      one.answer("done")
      yield* Fiber.join(first)
      const second = yield* start(ask("second"))
      const two = yield* next
      yield* Fiber.interruptAll(questions)
      two.answer("done")
      yield* Fiber.join(second)
      yield* adapter.closeSession(id)
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
    }).pipe(Effect.provideService(McpApproval.McpApproval, () => Effect.never)),
  )
})

describe("a person who thinks (idle limit)", () => {
  test("does not make a turn stalled; the limit runs from the decision on", function* () {
    const thought = yield* Deferred.make<McpApprovalDecision>()
    const begin = Effect.gen(function* () {
      const { ask, next } = yield* held({}, { idleTimeout: "1 minute" })
      const asked = yield* start(ask("go"))
      return { asked, turn: (yield* next).turn }
    })
    const { asked, turn } = yield* Effect.provideService(begin, McpApproval.McpApproval, () => Deferred.await(thought))
    const question = yield* start(turn.approve(request))
    yield* TestClock.adjust("1 hour")
    assert.isUndefined(asked.pollUnsafe())
    yield* Deferred.succeed(thought, approve)
    assert.deepStrictEqual(yield* Fiber.join(question), approve)
    yield* TestClock.adjust("59 seconds")
    assert.isUndefined(asked.pollUnsafe())
    yield* TestClock.adjust("61 seconds")
    assert.strictEqual(inWords(yield* Effect.flip(Fiber.join(asked))), "ConnectionUnavailable stalled unknown")
  })

  it.effect("of a turn that is over does not keep the next turn from stalling", () =>
    Effect.gen(function* () {
      const { ask, next } = yield* held({}, { idleTimeout: "1 minute" })
      const first = yield* start(ask("first"))
      const one = yield* next
      yield* start(one.turn.approve(request))
      one.answer("done")
      yield* Fiber.join(first)
      const second = yield* start(ask("second"))
      yield* next
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(inWords(yield* Effect.flip(Fiber.join(second))), "ConnectionUnavailable stalled unknown")
    }).pipe(Effect.provideService(McpApproval.McpApproval, () => Effect.never)),
  )
})

describe("the Promise facade (design §5: a callback)", () => {
  it("takes rules, an async callback and a log", async () => {
    const log: Array<string> = []
    await using client = await McpPromiseClient.make(asking(), {
      approvals: {
        rules: [{ command: "rm", answer: "decline" }],
        ask: async ({ command }) => (command === "touch x" ? "approve" : "decline"),
        log: ({ by, decision }) => void log.push(`${by} ${decision._tag}`),
      },
    })
    const session = await client.openSession(InMemoryMcpClient.config)
    if (session._tag === "Failure") throw session.failure
    const tags: Array<string> = []
    const read = (async () => {
      for await (const event of client.events(session.success)) tags.push(event._tag)
    })()
    const answer = await client.execute(session.success, "go")
    assert.strictEqual(answer._tag === "Success" ? answer.success.content : "", JSON.stringify(approve))
    await client.closeSession(session.success)
    await read
    assert.deepStrictEqual(tags, ["TurnStarted", "ApprovalAsked", "ApprovalDecided", "TurnCompleted"])
    assert.deepStrictEqual(log, ["ask Approve"])
  })
})
