/** Tools of a session's own, where the contract suite cannot look: their limits, their errors, and calls out of turn. */
import { assert, describe } from "@effect/vitest"
import { InMemoryMcpClient, McpApproval, type McpTool } from "@zain/core"
import type { ToolAnswer } from "@zain/core/AgentConnection"
import { test } from "@zain/testkit/Test"
import { Deferred, Duration, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"

type Prompt = InMemoryMcpClient.Prompt

/** A session with tools, whose agent does this with a prompt. */
const opened = Effect.fnUntraced(function* (
  tools: ReadonlyArray<McpTool>,
  reply: (prompt: Prompt) => Effect.Effect<string>,
  options: InMemoryMcpClient.Options = {},
) {
  const client = yield* InMemoryMcpClient.make({ ...options, reply })
  const session = yield* client.openSession({ ...InMemoryMcpClient.config, tools })
  return { client, session, execute: Effect.map(client.execute(session, { content: "Go" }), ({ content }) => content) }
})

const none = { type: "object" } as const

const tool = (run: McpTool["run"], beside: Partial<McpTool> = {}): McpTool => ({
  ...{ name: "mine", description: "Mine.", input: none, run },
  ...beside,
})

/** The answer to one call. */
const called = (run: McpTool["run"], beside?: Partial<McpTool>, args: unknown = {}) =>
  Effect.gen(function* () {
    const answers: Array<ToolAnswer> = []
    const { execute } = yield* opened([tool(run, beside)], ({ callTool }) =>
      Effect.map(callTool("mine", args), (answer) => {
        answers.push(answer)
        return ""
      }),
    )
    yield* execute
    return answers[0]
  })

describe("the result of a tool", () => {
  test.each<readonly [string, McpTool["run"], ToolAnswer]>([
    ["a text", () => "as it is", { text: "as it is", isError: false }],
    ["nothing", () => undefined, { text: "", isError: false }],
    ["a value", () => ({ a: [1] }), { text: '{"a":[1]}', isError: false }],
    ["a promise", () => Promise.resolve(7), { text: "7", isError: false }],
    ["an Effect", () => Effect.succeed("done"), { text: "done", isError: false }],
    ["half a surrogate pair", () => "\uD83D", { text: "\uFFFD", isError: false }],
    ["256 KiB", () => "x".repeat(262_144), { text: "x".repeat(262_144), isError: false }],
    [
      "more",
      () => "ä".repeat(131_073),
      { text: "The result of `mine` has 262146 bytes, more than 262144. Ask it for less.", isError: true },
    ],
    ["a function", () => () => 1, { text: "The result of `mine` is neither a text nor JSON.", isError: true }],
    ["a failed Effect", () => Effect.fail(new Error("no")), { text: "`mine` failed: no", isError: true }],
    ["a rejected promise", () => Promise.reject(new Error("no")), { text: "`mine` failed: no", isError: true }],
  ])("is read by the model, from %s", function* ([, run, expected]) {
    assert.deepStrictEqual(yield* called(run), expected)
  })
})

test("arguments are read by the schema before the function has them", function* () {
  const input = Schema.Struct({ at: Schema.NumberFromString })
  const given: Array<unknown> = []
  const run = (args: unknown) => given.push(args)
  assert.deepStrictEqual(yield* called(run, { input }, { at: "7" }), { text: "1", isError: false })
  assert.deepStrictEqual(given, [{ at: 7 }])
  const wrong = yield* called(run, { input }, { at: 7 })
  assert.isTrue(wrong?.isError)
  assert.match(wrong?.text ?? "", /^The arguments of `mine` do not fit its schema: at: /)
  assert.strictEqual(given.length, 1)
})

test("calls of one turn run in parallel", function* () {
  const both = yield* Deferred.make<void>()
  let running = 0
  const waits = tool(() =>
    Effect.suspend(() => (++running < 2 ? Deferred.await(both) : Deferred.succeed(both, undefined))),
  )
  const { execute } = yield* opened([waits], ({ callTool }) =>
    Effect.as(Effect.all([callTool("mine", {}), callTool("mine", {})], { concurrency: 2 }), "both"),
  )
  assert.strictEqual(yield* execute, "both")
})

test("a call times out, 5 minutes by default, and its signal aborts; `idleTimeout` does not run meanwhile", function* () {
  for (const [timeout, limit] of [
    [undefined, "5 minutes"],
    ["20 minutes", "20 minutes"],
  ] as const) {
    const signals: Array<AbortSignal> = []
    const hangs = tool(
      (_, { signal }) => {
        signals.push(signal)
        return new Promise<never>(() => {})
      },
      timeout === undefined ? {} : { timeout },
    )
    const { execute } = yield* opened([hangs], ({ callTool }) =>
      Effect.map(callTool("mine", {}), ({ isError, text }) => `${isError} ${text}`),
    )
    const turn = yield* Effect.forkChild(execute, { startImmediately: true })
    yield* TestClock.adjust(Duration.subtract(Duration.fromInputUnsafe(limit), Duration.seconds(1)))
    assert.isUndefined(turn.pollUnsafe())
    yield* TestClock.adjust("1 second")
    assert.match(yield* Fiber.join(turn), /^true `mine` timed out after (5m|20m)\.$/)
    assert.deepStrictEqual(
      signals.map(({ aborted }) => aborted),
      [true],
    )
  }
})

test("nothing is called after the end of the turn, nor in a session that has closed", function* () {
  let calls = 0
  const kept: Array<Prompt> = []
  const counts = tool(() => ++calls)
  const { client, execute, session } = yield* opened([counts], (prompt) => Effect.sync(() => String(kept.push(prompt))))
  yield* execute
  const late = () => kept[0]?.callTool("mine", {}) ?? Effect.die("no prompt")
  const over = { text: "The turn is over.", isError: true }
  assert.deepStrictEqual(yield* late(), over)
  yield* client.closeSession(session)
  assert.deepStrictEqual(yield* late(), over)
  assert.strictEqual(calls, 0)
})

test("an approval that arrives after the session has closed calls nothing", function* () {
  const decision = yield* Deferred.make<McpApproval.McpApprovalDecision>()
  let calls = 0
  const counts = tool(() => ++calls)
  const { client, execute, session } = yield* opened([counts], ({ callTool }) => Effect.as(callTool("mine", {}), ""), {
    approvals: () => Effect.uninterruptible(Deferred.await(decision)),
  })
  const turn = yield* Effect.forkChild(Effect.exit(execute), { startImmediately: true })
  const closing = yield* Effect.forkChild(client.closeSession(session), { startImmediately: true })
  yield* Deferred.succeed(decision, McpApproval.approve)
  yield* Fiber.join(closing)
  yield* Fiber.join(turn)
  assert.strictEqual(calls, 0)
})

describe("the policy", () => {
  test("cannot be made to take a request of an agent for a call of the session's own tool", function* () {
    const owned: Array<unknown> = []
    const { execute } = yield* opened(
      [tool(() => "")],
      ({ approve }) =>
        Effect.map(
          approve({ ...{ kind: "tool", tool: "mine", message: "Mine?" }, ...{ own: true } } as never),
          ({ _tag }) => _tag,
        ),
      {
        approvals: (_, { own }) => {
          owned.push(own)
          return Effect.succeed(own ? McpApproval.approve : McpApproval.decline())
        },
      },
    )
    assert.strictEqual(yield* execute, "Decline")
    assert.deepStrictEqual(owned, [undefined])
  })

  test("does not count an approval of an own tool for the session for a tool of the same name, nor the reverse", function* () {
    const seen: Array<unknown> = []
    const { execute } = yield* opened(
      [tool(() => "")],
      ({ approve, callTool }) => {
        const foreign = approve({ kind: "tool", tool: "mine", message: "Mine?", input: {} })
        return Effect.as(Effect.andThen(callTool("mine", {}), Effect.andThen(foreign, callTool("mine", {}))), "")
      },
      {
        approvals: (_, { isApproved, own }) => {
          seen.push([own, isApproved])
          return Effect.succeed(McpApproval.approveForSession)
        },
      },
    )
    yield* execute
    assert.deepStrictEqual(seen, [
      [true, undefined],
      [undefined, undefined],
      [true, undefined],
    ])
  })

  test("that is faulty declines also own tools, and one with `ask` does not ask about them", function* () {
    let asked = 0
    const ask = () => {
      asked++
      return "decline" as const
    }
    const answers: Array<string> = []
    for (const approvals of [McpApproval.make({ ask }), McpApproval.make({ rules: [{ tools: "x" } as never] })]) {
      const { execute } = yield* opened(
        [tool(() => "done")],
        ({ callTool }) => Effect.map(callTool("mine", {}), ({ text }) => text),
        {
          approvals,
        },
      )
      answers.push(yield* execute)
    }
    assert.strictEqual(answers[0], "done")
    assert.match(answers[1] ?? "", /^The approval policy is wrong: /)
    assert.strictEqual(asked, 0)
  })
})

const large = { type: "object", description: "x".repeat(65_536) }

describe("`openSession` fails with `invalid-config` for", () => {
  test.each([
    ["no list", 7, "`tools` is not valid; expected a list of tools, as McpTool.make makes them"],
    ["no function", [{ name: "mine", description: "Mine.", input: none }], "`tools` is not valid"],
    ["a name with a space", [tool(() => "", { name: "my own" })], "`tools.0.name` must be 1 to 64 letters"],
    ["a name of agents' own", [tool(() => "", { name: "mcp__x__y" })], "`tools.0.name` must not begin with `mcp__`"],
    ["two of one name", [tool(() => ""), tool(() => "")], "`tools.1.name` is the name of another tool too"],
    ["no description", [tool(() => "", { description: "" })], "`tools.0.description` must be a text of 1 to 4096"],
    ["no schema", [tool(() => "", { input: 7 as never })], "`tools.0.input` is not a schema"],
    ["a schema of a text", [tool(() => "", { input: Schema.String })], "`tools.0.input` must describe an object"],
    ["a wrong schema", [tool(() => "", { input: { type: "thing" } })], "`tools.0.input` is not a JSON Schema: type: "],
    ["a large schema", [tool(() => "", { input: large })], "`tools.0.input` has 65570 bytes as JSON Schema"],
    ["a wrong time", [tool(() => "", { timeout: "soon" })], "`tools.0.timeout` must be a duration above zero"],
    ["65 tools", Array.from({ length: 65 }, (_, at) => tool(() => "", { name: `t${at}` })), "at most 64 members"],
    [
      "definitions above 256 KiB",
      Array.from({ length: 5 }, (_, at) =>
        tool(() => "", { name: `t${at}`, input: { ...large, description: "x".repeat(60_000) } }),
      ),
      "bytes of definitions, more than 262144",
    ],
  ] as const)("%s", function* ([, tools, message]) {
    const client = yield* InMemoryMcpClient.make()
    const config = { ...InMemoryMcpClient.config, tools: tools as unknown as ReadonlyArray<McpTool> }
    const error = yield* Effect.flip(client.openSession(config))
    assert.deepInclude({ ...error }, { _tag: "InvalidRequest", reason: "invalid-config", delivery: "not-sent" })
    assert.include(error.message, message)
  })
})
