/** Waiting for the reset of a limit. */
import { assert, describe, it } from "@effect/vitest"
import { InMemoryMcpClient, McpError, McpPromiseClient, McpPromiseRetry, McpResult, McpRetry } from "@zain/core"
import type { Answer } from "@zain/core/AgentConnection"
import type { McpRequest } from "@zain/core/McpRequest"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { inWords, start } from "../testing/HeldAgent.ts"

type Outcome = Effect.Effect<string | Partial<Answer>, McpError>

const rejected = (delivery: McpError["delivery"], retryAfter?: number) =>
  Effect.suspend(() =>
    Effect.fail(
      new McpError.ConnectionUnavailable({
        reason: "rate-limited",
        message: "Slow down.",
        delivery,
        ...(retryAfter === undefined ? {} : { diagnostics: { retryAfter } }),
      }),
    ),
  )
const limited = (retryAfter?: number, window = "primary") =>
  Effect.succeed({
    content: "The limit is used up.",
    isError: true,
    cause: { _tag: "RateLimited" as const, window, ...(retryAfter === undefined ? {} : { retryAfter }) },
  })

/** An agent whose turns have these outcomes, and what it received. */
const agent = (outcomes: ReadonlyArray<Outcome>) => {
  const received: Array<string> = []
  const reply: InMemoryMcpClient.Options["reply"] = (prompt) => {
    received.push(prompt.content)
    return outcomes[received.length - 1] ?? Effect.succeed("Done.")
  }
  return { received, make: InMemoryMcpClient.make({ reply }) }
}

/** Runs `untilReset` with these outcomes in a session. */
const rehearse = Effect.fnUntraced(function* (
  outcomes: ReadonlyArray<Outcome>,
  options?: McpRetry.UntilResetOptions,
  request: McpRequest = { content: "Go" },
) {
  const { make, ...heard } = agent(outcomes)
  const client = yield* make
  const id = yield* client.openSession(InMemoryMcpClient.config)
  const session = { execute: (one: McpRequest) => client.execute(id, one) }
  const running = yield* start(McpRetry.untilReset(session, request, options))
  return { ...heard, ended: Fiber.join(running) }
})

const goOn = "A rate limit has interrupted your work, and has been reset. Go on where you stopped."

describe("McpRetry.untilReset", () => {
  test("waits for the reset of a limit that ended a turn, and asks the agent to go on", function* () {
    const waits: Array<McpRetry.Wait> = []
    const { ended, received } = yield* rehearse([limited(60_000), limited(2_000)], { onWait: (one) => waits.push(one) })
    yield* TestClock.adjust(59_999)
    assert.deepStrictEqual(received, ["Go"])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(received, ["Go", goOn])
    yield* TestClock.adjust(2_000)
    assert.strictEqual((yield* ended).content, "Done.")
    assert.deepStrictEqual(received, ["Go", goOn, goOn])
    assert.deepStrictEqual(waits, [
      { wait: 60_000, until: 60_000, attempt: 1, window: "primary" },
      { wait: 2_000, until: 62_000, attempt: 2, window: "primary" },
    ])
  })

  test("sends a prompt again that was not sent, and asks to go on after an unknown delivery", function* () {
    const outcomes = [rejected("not-sent", 1_000), rejected("unknown", 1_000), rejected("not-sent", 1_000)]
    const { ended, received } = yield* rehearse(outcomes, { goOn: "Next." })
    yield* TestClock.adjust(3_000)
    yield* ended
    assert.deepStrictEqual(received, ["Go", "Go", "Next.", "Next."])
  })

  test("keeps the schema and not the attachments of a request whose agent goes on", function* () {
    const attachments = [{ _tag: "TextFile", name: "notes.md", text: "Take notes." }] as const
    const request = { content: "Go", output: { type: "number" }, attachments }
    const { ended, received } = yield* rehearse([limited(1_000), Effect.succeed("7")], {}, request)
    yield* Effect.repeat(TestClock.adjust("1 second"), { until: () => received.length === 2 })
    assert.strictEqual((yield* ended).structured, 7)
    assert.deepStrictEqual(
      received.map((prompt) => prompt.includes("Take notes.")),
      [true, false],
    )
  })

  test("waits a minute for a limit without a reset, and at least a second", function* () {
    const { ended, received } = yield* rehearse([limited(), limited(0)])
    yield* TestClock.adjust("59 seconds")
    assert.lengthOf(received, 1)
    yield* TestClock.adjust("1 second")
    assert.lengthOf(received, 2)
    yield* TestClock.adjust("1 second")
    assert.isFalse((yield* ended).isError)
  })

  test.each([
    ["longer than `maxWait`", [limited(6 * 3_600_000 + 1)], {}, 1],
    ["more often than `attempts`", Array.from({ length: 9 }, () => limited(1_000)), { attempts: 2 }, 3],
  ] as const)("does not wait %s: the response is the limited turn", function* ([_, outcomes, options, turns]) {
    const { ended, received } = yield* rehearse(outcomes, options)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual((yield* ended).cause?._tag, "RateLimited")
    assert.lengthOf(received, turns)
  })

  test("neither waits for another failure, nor stops for an `onWait` that throws", function* () {
    const broken = () => {
      throw new Error("no terminal")
    }
    const failed = Effect.succeed({ content: "unexpected status 500", isError: true })
    const { ended, received } = yield* rehearse([limited(1_000), failed], { onWait: broken })
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* ended).content, "unexpected status 500")
    assert.lengthOf(received, 2)
  })

  test.each([{ attempts: -1 }, { maxWait: "soon" as never }, { otherwise: 0 }])(
    "refuses %j before anything is sent",
    function* (options) {
      const { ended, received } = yield* rehearse([], options)
      assert.strictEqual(inWords(yield* Effect.flip(ended)), "InvalidRequest invalid-config not-sent")
      assert.deepStrictEqual(received, [])
    },
  )
})

describe("McpRetry.schedule", () => {
  test("retries what was not sent when the limit is reset, up to `attempts` times", function* () {
    for (const [delivery, options, max] of [
      ["not-sent", { attempts: 2 }, 3],
      ["unknown", {}, 1],
      ["not-sent", { attempts: 0.5 }, 1],
    ] as const) {
      let asked = 0
      const asking = Effect.suspend(() => {
        asked++
        return rejected(delivery, 1_000)
      })
      const running = yield* start(Effect.flip(Effect.retry(asking, McpRetry.schedule(options))))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(asked, max)
      const { reason } = yield* Fiber.join(running)
      assert.strictEqual(reason, max === 1 && delivery === "not-sent" ? "invalid-config" : "rate-limited")
    }
  })
})

describe("McpPromiseRetry.untilReset", () => {
  const session = async (outcomes: ReadonlyArray<Outcome>) => {
    const { make, received } = agent(outcomes)
    const client = await McpPromiseClient.make(make)
    return { client, received, session: await client.session(InMemoryMcpClient.config) }
  }

  it("waits, and resolves with the last turn", async () => {
    const { client, received, session: one } = await session([limited(0)])
    const { content } = McpResult.getOrThrow(await McpPromiseRetry.untilReset(one, "Go"))
    assert.deepStrictEqual([content, received], ["Done.", ["Go", goOn]])
    const wrong = await McpPromiseRetry.untilReset(one, "Go", { attempts: -1 })
    assert.isTrue(McpResult.isFailure(wrong) && wrong.failure.reason === "invalid-config")
    await client.close()
  })

  it("rejects with the reason of a signal that aborts during a wait", async () => {
    const { client, received, session: one } = await session([limited(3_600_000)])
    const abort = new AbortController()
    const waiting = McpPromiseRetry.untilReset(one, "Go", {
      signal: abort.signal,
      onWait: () => queueMicrotask(() => abort.abort(new Error("enough"))),
    })
    assert.strictEqual(String(await waiting.catch((reason) => reason)), "Error: enough")
    assert.deepStrictEqual(received, ["Go"])
    await client.close()
  })
})
