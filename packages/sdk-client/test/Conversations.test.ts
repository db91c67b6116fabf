/** Conversations with a server that sends no thread ids. */
import { assert, describe } from "@effect/vitest"
import type { McpSupports } from "@zain/core/McpClientAdapter"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber, Queue } from "effect"
import type { AgentProfile, AgentSession } from "../src/AgentProfile.ts"
import * as SdkMcpClient from "../src/SdkMcpClient.ts"
import * as ThreadAnswer from "../src/ThreadAnswer.ts"
import { inWords } from "../testing/AgentWire.ts"
import * as HttpServer from "../testing/HttpServer.ts"
import { plain } from "../testing/Server.ts"

const lost = "SessionClosed conversation-lost not-sent"
/** A session, and the thread id that each of its calls received. */
const session = Effect.fnUntraced(function* (
  config: McpConnectionConfig.McpConnectionConfig,
  parts: Pick<AgentProfile<object>, "conversation">,
  supports: Partial<McpSupports> = {},
  members: Partial<AgentSession> = {},
) {
  const given: Array<string | undefined> = []
  const adapter = yield* SdkMcpClient.make({
    ...plain,
    supports: { ...plain.supports, ...supports },
    open: (target) =>
      Effect.succeed({
        target,
        call: (text, threadId) => {
          given.push(threadId)
          return { name: "echo", arguments: { text } }
        },
        read: ThreadAnswer.reader("Test server"),
        startsAnew: true,
        ...members,
      }),
    ...parts,
  })
  const id = yield* adapter.openSession(config)
  return { given, ask: (content: string) => adapter.execute(id, { content }) }
})

/** A server that answers, except that the prompt "fail" fails and the prompt "hang" receives no answer. */
const server = Effect.gen(function* () {
  const hanging = yield* Queue.unbounded<void>()
  const { url } = yield* HttpServer.start((asked, response) => {
    const { text } = (asked.body.params?.["arguments"] ?? {}) as { text?: string }
    if (text === "hang") Queue.offerUnsafe(hanging, undefined)
    else if (text === "fail") {
      const result = { ...HttpServer.result("no"), isError: true }
      response.setHeader("content-type", "application/json").end(HttpServer.message(asked, { result }))
    } else return undefined
    return true
  })
  return { config: McpConnectionConfig.streamableHttp({ url }), hanging: Queue.take(hanging) }
})

/** Runs a turn that receives no answer, and cancels it once the server has it. */
const cancelled = Effect.fnUntraced(function* <A, E>(turn: Effect.Effect<A, E>, hanging: Effect.Effect<void>) {
  const fiber = yield* Effect.forkChild(turn, { startImmediately: true })
  yield* hanging
  yield* Fiber.interrupt(fiber)
})

describe('a profile with `conversation: "session"`', () => {
  const failing = ["fail", "well", "fail"]
  test.live.each([
    { ends: "continues", prompts: ["hang"], supports: { cancelKeepsConversation: true }, outcome: "well" },
    { ends: "is lost", prompts: ["hang"], supports: { cancelKeepsConversation: false }, outcome: lost },
    { ends: "continues", prompts: failing, supports: { failureKeepsConversation: true }, outcome: "well" },
    { ends: "is lost", prompts: failing, supports: { failureKeepsConversation: false }, outcome: lost },
  ])("$ends after the prompts $prompts with $supports", function* ({ outcome, prompts, supports }) {
    const { config, hanging } = yield* server
    const { ask } = yield* session(config, { conversation: "session" }, supports)
    for (const prompt of prompts) {
      if (prompt === "hang") yield* cancelled(ask(prompt), hanging)
      else assert.strictEqual((yield* ask(prompt)).isError, prompt === "fail")
    }
    const next = Effect.match(ask("well"), { onFailure: inWords, onSuccess: ({ content }) => content })
    assert.deepStrictEqual([yield* next, yield* next], [outcome, outcome])
  })
})

describe("a profile without `conversation`", () => {
  test.live(
    "fails with conversation-lost after a cancelled turn if `interrupted` is omitted, unless it was the first turn",
    function* () {
      const { config, hanging } = yield* server
      const named = () => Effect.succeed({ content: "well", isError: false, threadId: "one" })
      const { ask, given } = yield* session(config, {}, {}, { read: named })
      const cancel = cancelled(ask("hang"), hanging)
      yield* cancel
      assert.strictEqual((yield* ask("well")).content, "well")
      assert.deepStrictEqual(given, [undefined, undefined])
      yield* cancel
      assert.strictEqual(inWords(yield* Effect.flip(ask("well"))), lost)
      assert.deepStrictEqual(given, [undefined, undefined, "one"])
    },
  )

  test.live.each([
    { throws: 1, outcome: "well" },
    { throws: 2, outcome: lost },
  ])(
    "calls `interrupted` again before the next turn where it threw $throws times, for $outcome",
    function* ({ throws, outcome }) {
      const { config, hanging } = yield* server
      const calls: Array<string | undefined> = []
      const { ask, given } = yield* session(
        config,
        {},
        {},
        {
          read: () => Effect.succeed({ content: "well", isError: false, threadId: "one" }),
          interrupted: (threadId) => {
            if (calls.push(threadId) <= throws) throw new Error("a bug of the profile's")
            return threadId
          },
        },
      )
      yield* ask("well")
      yield* cancelled(ask("hang"), hanging)
      const next = Effect.match(ask("well"), {
        onFailure: (error) => {
          assert.include(String(error.cause), "a bug of the profile's")
          return inWords(error)
        },
        onSuccess: ({ content }) => content,
      })
      assert.deepStrictEqual([yield* next, calls], [outcome, ["one", "one"]])
      assert.deepStrictEqual(given, outcome === lost ? [undefined, "one"] : [undefined, "one", "one"])
    },
  )

  test.live("names the thread in the response of a failed turn whose result has none, once it is known", function* () {
    const { config } = yield* server
    const named: AgentSession["read"] = ({ isError = false }) =>
      Effect.succeed({ content: "said", isError, ...(isError ? {} : { threadId: "one" }) })
    const { ask } = yield* session(config, {}, {}, { read: named })
    const threads = yield* Effect.forEach(["fail", "well", "fail", "well"], (content) =>
      Effect.map(ask(content), ({ threadId }) => threadId),
    )
    assert.deepStrictEqual(threads, [undefined, "one", "one", "one"])
  })
})
