/** Cases about tools of the session's own. */
import * as McpApproval from "@zain/core/McpApproval"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpEvent, McpStreamed } from "@zain/core/McpEvents"
import * as McpTool from "@zain/core/McpTool"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { Bench, casesOf } from "../ContractCase.ts"
import type { ToolUse } from "../ContractScript.ts"
import * as Expect from "../Expect.ts"
import * as HeldTurn from "../HeldTurn.ts"
import { recallOrLost } from "../Recall.ts"

interface Pair {
  readonly left: number
  readonly right: number
}

/** A bundled client has its own copy of Effect, which cannot read a schema of this one. */
const input = {
  type: "object",
  properties: { left: { type: "number" }, right: { type: "number" } },
  required: ["left", "right"],
}

/** Adds two numbers, and notes each call. */
const adding = () => {
  const calls: Array<readonly [Pair, McpTool.McpToolContext]> = []
  const tool: McpTool.McpTool = {
    ...{ name: "contract_add", description: "Adds two numbers.", input },
    run: (pair: Pair, context) => {
      calls.push([pair, context])
      return pair.left + pair.right
    },
  }
  return { calls, tool }
}

/** A tool that never answers. `called`: succeeds with the signal of its first call. */
const waiting = Effect.map(Deferred.make<AbortSignal>(), (called) => {
  const tool = McpTool.make({
    name: "contract_wait",
    description: "Waits.",
    input: { type: "object" },
    run: (_, { signal }) => {
      Deferred.doneUnsafe(called, Effect.succeed(signal))
      return new Promise<never>(() => {})
    },
  })
  return { tool, called: Deferred.await(called) }
})

const aborted = (signal: AbortSignal) =>
  Effect.callback<void>((resume) => {
    const done = () => resume(Effect.void)
    if (signal.aborted) return done()
    signal.addEventListener("abort", done, { once: true })
  })

/** Fails a case with `why` if the turn ends first. */
const before = <A, E>(fiber: Fiber.Fiber<unknown, E>, why: string, effect: Effect.Effect<A>) =>
  Effect.raceFirst(
    effect,
    Effect.flatMap(Fiber.await(fiber), (exit) =>
      Expect.violation(`The turn ended ${why}: ${Exit.isSuccess(exit) ? "it has answered" : "it has failed"}.`),
    ),
  )

/** Opens a session with tools; `undefined` for a client without them, once it has refused them. */
const opened = Effect.fnUntraced(function* (
  tools: ReadonlyArray<McpTool.McpTool>,
  { client, subject }: Pick<typeof Bench.Service, "client" | "subject">,
  config: McpConnectionConfig = subject.config,
) {
  if (client.supports.tools === true) return yield* client.openSession({ ...config, tools })
  yield* Expect.fails(client.openSession({ ...config, tools }), "InvalidRequest", {
    ...{ reason: "not-supported", delivery: "not-sent" },
  })
  return undefined
})

/** A prompt for calls of tools. */
const using = (bench: typeof Bench.Service, calls: ReadonlyArray<ToolUse>) => bench.prompt({ _tag: "Use", calls })

const add = (left: unknown, right: unknown): ToolUse => ({ tool: "contract_add", input: { left, right } })

/** Demands that an answer has each text. */
const mentions = (content: string, texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) =>
    Expect.that(content.includes(text), `The agent must have received ${text}; its answer is: ${content}`),
  )

const isUse = (piece: McpStreamed): piece is McpEvent & { readonly _tag: "ToolStarted" | "ToolFinished" } =>
  piece._tag === "ToolStarted" || piece._tag === "ToolFinished"

export const ownTools = casesOf({
  "tools.called": {
    title:
      "a tool of the session's own MUST be called once for each call of the agent, with its arguments and the turn, and its results MUST reach the agent, or be `not-supported` before anything is sent",
    crossesWire: true,
    verifies: ["turn.tools"],
    *run(bench) {
      const { calls, tool } = adding()
      const session = yield* opened([tool], bench)
      if (session === undefined) return
      const { client, subject } = bench
      for (const turn of [1, 2]) {
        calls.splice(0)
        const { content } = yield* client.execute(session, {
          content: using(bench, [add(turn, 40), add(turn, 500)]).content,
        })
        yield* mentions(content, [String(turn + 40), String(turn + 500)])
        const sums = calls.map(([{ left, right }]) => left + right)
        yield* Expect.equal(
          sums.sort((one, other) => one - other),
          [turn + 40, turn + 500],
          "The calls",
        )
        for (const [, { provider, sessionId, signal, ...context }] of calls) {
          yield* Expect.equal([provider, sessionId, context.turn], [subject.provider, session, turn], "The context")
          yield* Expect.equal(signal.aborted, false, "Whether the signal of a call that has answered had aborted")
        }
      }
    },
  },
  "tools.events": {
    title: "the use of a tool of the session's own MUST be one `ToolStarted` and one `ToolFinished`",
    verifies: ["turn.tools", "event.tools"],
    needs: ["tools"],
    *run(bench) {
      const session = yield* opened([adding().tool], bench)
      if (session === undefined) return
      const pieces = yield* Stream.runCollect(
        bench.client.stream(session, { content: using(bench, [add(1, 1)]).content }),
      )
      const uses = pieces.filter(isUse).filter(({ name }) => name.endsWith("contract_add"))
      yield* Expect.equal(
        uses.map(({ _tag }) => _tag),
        ["ToolStarted", "ToolFinished"],
        "The events of the tool",
      )
    },
  },
  "tools.errors": {
    title:
      "wrong arguments MUST NOT reach the function, and they, a throw, and a result above 256 KiB MUST be errors that the agent reads, and the turn MUST go on",
    verifies: ["turn.tools"],
    *run(bench) {
      const { calls, tool } = adding()
      const broken = McpTool.make({
        name: "contract_break",
        description: "Throws.",
        input: { type: "object" },
        run: () => {
          throw new Error("a broken tool")
        },
      })
      const large = McpTool.make({
        name: "contract_large",
        description: "Says too much.",
        input: { type: "object" },
        run: () => "x".repeat(256 * 1024 + 1),
      })
      const session = yield* opened([tool, broken, large], bench)
      if (session === undefined) return
      const ask = (call: ToolUse) => bench.client.execute(session, { content: using(bench, [call]).content })
      const wrong: ReadonlyArray<readonly [call: ToolUse, text: string]> = [
        [add("one", 1), "left"],
        [{ tool: "contract_break", input: {} }, "a broken tool"],
        [{ tool: "contract_large", input: {} }, "262144"],
      ]
      for (const [call, text] of wrong) {
        const { content, isError } = yield* ask(call)
        yield* mentions(content, [text])
        yield* Expect.equal(isError, false, "isError")
      }
      yield* Expect.equal(calls.length, 0, "The number of calls with wrong arguments")
      yield* mentions((yield* ask(add(2, 40))).content, ["42"])
    },
  },
  "tools.declined": {
    title:
      "the policy MUST receive a call of the session's own tool as such, and a rule MUST be able to decline it; by default it is approved",
    verifies: ["turn.tools", "approval.declined"],
    *run() {
      const entries: Array<McpApproval.McpApprovalEntry> = []
      const bench = yield* Bench
      const options: McpApproval.Options = {
        rules: [{ tool: "contract_break", answer: { decline: "Not this one." } }],
        log: (entry) => void entries.push(entry),
      }
      // A subject that wraps a client with promises passes them on, because `ask` receives no call of an own tool.
      const policy = Object.assign(McpApproval.make(options), { options })
      const client = yield* Effect.provideService(bench.subject.make, McpApproval.McpApproval, policy)
      const { calls, tool } = adding()
      const refused = McpTool.make({ ...tool, name: "contract_break", input: { type: "object" } })
      const session = yield* opened([tool, refused], { ...bench, client })
      if (session === undefined) return
      const { content } = yield* client.execute(session, {
        content: using(bench, [add(2, 40), { tool: "contract_break", input: {} }]).content,
      })
      yield* mentions(content, ["42", "Not this one."])
      yield* Expect.equal(calls.length, 1, "The number of calls")
      const asked = entries
        .map(({ by, decision, own, request: { kind, tool } }) => [tool, kind, own, by, decision._tag])
        .sort(([one], [other]) => String(one).localeCompare(String(other)))
      yield* Expect.equal(
        asked,
        [
          ["contract_add", "tool", true, "own", "Approve"],
          ["contract_break", "tool", true, "rule", "Decline"],
        ],
        "The requests that the policy received",
      )
    },
  },
  "tools.cancelled": {
    title:
      "the cancel of a turn, and `closeSession`, MUST abort the signal of a tool under way, and the conversation MUST continue or fail with `conversation-lost`",
    crossesWire: true,
    verifies: ["turn.tools", "rule-5.conversation-lost", "rule-4.closing"],
    *run(bench) {
      const { client } = bench
      const [first, second] = [yield* waiting, yield* waiting]
      const session = yield* opened([first.tool], bench)
      if (session === undefined) return
      const call = (on: typeof session) => HeldTurn.start(on, using(bench, [{ tool: "contract_wait", input: {} }]))
      const fiber = yield* call(session)
      const signal = yield* before(fiber, "before the tool was called", first.called)
      yield* Fiber.interrupt(fiber)
      yield* aborted(signal)
      yield* recallOrLost(session, client.supports.cancelKeepsConversation)
      const other = yield* client.openSession({ ...bench.subject.config, tools: [second.tool] })
      const closing = yield* call(other)
      const its = yield* before(closing, "before the tool was called", second.called)
      yield* client.closeSession(other)
      yield* aborted(its)
      yield* Expect.failed(yield* Fiber.await(closing), "SessionClosed", { reason: "closed", delivery: "unknown" })
    },
  },
  "tools.resumed": {
    title:
      "a later session that continues the conversation MUST have the tools that it opens with, or be refused with `invalid-config` before anything is sent",
    crossesWire: true,
    verifies: ["turn.tools"],
    needs: ["resume"],
    *run(bench) {
      const { client, subject } = bench
      const { tool } = adding()
      const session = yield* opened([tool], bench)
      if (session === undefined) return
      const ask = (on: typeof session, call: ToolUse) => client.execute(on, { content: using(bench, [call]).content })
      const { threadId = "" } = yield* ask(session, add(1, 1))
      yield* client.closeSession(session)
      const place = subject.resume?.(threadId) ?? subject.config
      const later = yield* client.openSession({ ...place, tools: [tool] })
      yield* mentions((yield* ask(later, add(2, 40))).content, ["42"])
      yield* client.closeSession(later)
      const renamed: McpTool.McpTool = { ...tool, name: "contract_sum" }
      const other = yield* Effect.exit(client.openSession({ ...place, tools: [renamed] }))
      if (Exit.isFailure(other)) {
        yield* Expect.failed(other, "InvalidRequest", { reason: "invalid-config", mentions: "tools" })
        return
      }
      yield* mentions((yield* ask(other.value, { ...add(3, 40), tool: "contract_sum" })).content, ["43"])
    },
  },
})
