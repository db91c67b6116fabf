import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { client, codex, finite, item, listener, script, thread, tokens } from "../../testing/server/Codex.ts"

describe("a turn of Codex, with results as the removed server had them", () => {
  test.live("ends with the last message, and emits every step before it, in order", function* () {
    const { threadId, turn } = yield* thread()
    const heard = listener()
    const command = { type: "commandExecution", id: "c", command: "/bin/bash -lc 'make all'" }
    const change = {
      type: "fileChange",
      id: "f",
      changes: [
        { path: "/a", diff: "+x" },
        { path: "/b", diff: "" },
      ],
    }
    const call = { type: "mcpToolCall", id: "t", server: "files", tool: "read", arguments: { path: "/a" } }
    const result = yield* turn(
      threadId,
      {
        prompt: script([
          { deltas: 2 },
          { message: "I look." },
          item("started", command),
          item("completed", { ...command, exitCode: 2, aggregatedOutput: "x".repeat(20_000), status: "failed" }),
          item("started", change),
          item("completed", { ...change, status: "declined" }),
          item("started", call),
          item("completed", { ...call, status: "completed", result: { content: [{ type: "text", text: "hi" }] } }),
          tokens(110, 10),
          tokens(130, 20),
          { event: "of/tomorrow", params: { what: 1 } },
          { message: "Done." },
        ]),
      },
      heard,
    )
    assert.deepInclude(result, { content: "Done.", isError: false, usage: { inputTokens: 30, outputTokens: 15 } })
    const visible = heard.events.filter((event) => event._tag !== "Raw" || event.method === "of/tomorrow")
    const output = `${"x".repeat(16 * 1024 - 1)}…`
    assert.deepStrictEqual(visible, [
      { _tag: "TextDelta", text: "0 " },
      { _tag: "TextDelta", text: "1 " },
      { _tag: "Message", text: "I look." },
      {
        _tag: "ToolStarted",
        toolId: "c",
        name: "commandExecution",
        title: "make all",
        input: { command: "make all" },
      },
      { _tag: "ToolFinished", toolId: "c", name: "commandExecution", isError: true, output },
      { _tag: "ToolStarted", toolId: "f", name: "fileChange", title: "/a, /b", input: { changes: change.changes } },
      { _tag: "ToolFinished", toolId: "f", name: "fileChange", isError: true, output: "/a\n+x\n/b\n" },
      { _tag: "ToolStarted", toolId: "t", name: "files.read", title: "files.read", input: { path: "/a" } },
      { _tag: "ToolFinished", toolId: "t", name: "files.read", isError: false, output: "hi" },
      { _tag: "Usage", inputTokens: 10, outputTokens: 5 },
      { _tag: "Usage", inputTokens: 30, outputTokens: 15 },
      { _tag: "Raw", method: "of/tomorrow", params: { threadId, turnId: "turn-1", what: 1 } },
      { _tag: "Message", text: "Done." },
    ])
  })

  test.live(
    "is paused while its listener is behind, unless another turn waits for the same Codex (promise 27)",
    function* () {
      const [{ agent }, apart] = [yield* codex(), yield* codex()]
      const { start, turn } = yield* agent.attach
      const other = yield* apart.agent.attach
      const catchUp = Promise.withResolvers<void>()
      const behind = { ...listener(), room: () => catchUp.promise }
      const steps = script([{ deltas: 2_000 }, { message: "all" }])
      const held = yield* Effect.forkChild(turn(yield* start({}), { prompt: steps }, behind), {
        startImmediately: true,
      })
      yield* behind.until(() => behind.events.length > 0)
      // Another Codex emits as much in the meantime, while this one stays paused.
      yield* other.turn(yield* other.start({}), { prompt: steps }, listener())
      assert.isBelow(behind.events.length, 2_000)
      const result = yield* turn(yield* start({}), { prompt: script([{ message: "x" }]) }, listener())
      assert.strictEqual(result.content, "x")
      catchUp.resolve()
      assert.strictEqual((yield* Fiber.join(held)).content, "all")
      const texts = behind.events.flatMap((event) => (event._tag === "TextDelta" ? [event.text] : []))
      assert.deepStrictEqual(
        texts,
        Array.from({ length: 2_000 }, (_, index) => `${index} `),
      )
    },
  )

  test.live(
    "calls `started` when the thread has stored the prompt, before the first text, or at its end",
    function* () {
      const { threadId, turn } = yield* thread()
      const prompt = { type: "userMessage", id: "p" }
      const heard = listener()
      const steps = [item("started", prompt), item("completed", prompt), { message: "Hi." }]
      yield* turn(threadId, { prompt: script(steps) }, heard)
      assert.lengthOf(heard.named, 1)
      const methods = heard.events.map((event) => (event._tag === "Raw" ? event.method : event._tag))
      assert.deepStrictEqual(methods.slice(heard.named[0]), ["item/completed", "Message", "turn/completed"])
      for (const steps of [[], [{ deltas: 1 }], [item("started", prompt), { end: { status: "interrupted" } }]]) {
        const ear = listener()
        yield* turn(threadId, { prompt: script(steps) }, ear)
        assert.lengthOf(ear.named, 1)
        const firstWord = ear.events.findIndex(({ _tag }) => _tag === "TextDelta")
        assert.isTrue(firstWord < 0 || (ear.named[0] ?? 0) <= firstWord)
      }
    },
  )

  test.live("that fails has a result with the cause and the model's status", function* () {
    const { threadId, turn } = yield* thread()
    const error = { message: "too fast", codexErrorInfo: { responseTooManyFailedAttempts: { httpStatusCode: 429 } } }
    const failed = yield* turn(threadId, { prompt: script([{ end: { status: "failed", error } }]) }, listener())
    assert.deepStrictEqual(failed, { content: "too fast (HTTP 429)", isError: true, limit: {} })
    const usedUp = { message: "used up", codexErrorInfo: "usageLimitExceeded" }
    const [primary, secondary] = [
      { usedPercent: 100, resetsAt: 2_000 },
      { usedPercent: 100, resetsAt: 9_000 },
    ]
    const limits = { event: "account/rateLimits/updated", params: { rateLimits: { primary, secondary } } }
    const steps = [limits, { end: { status: "failed", error: usedUp } }]
    const limited = yield* turn(threadId, { prompt: script(steps) }, listener())
    assert.deepStrictEqual(limited.limit, { window: "secondary", used: 100, resetsAt: 9_000 })
    const interrupted = yield* turn(threadId, { prompt: script([{ end: { status: "interrupted" } }]) }, listener())
    const stopped = { content: "The turn was interrupted.", isError: true, stopReason: "interrupted" } as const
    assert.deepStrictEqual(interrupted, stopped)
    const cut = { message: "Incomplete response returned, reason: max_output_tokens", codexErrorInfo: "other" }
    const ended = yield* turn(threadId, { prompt: script([{ end: { status: "failed", error: cut } }]) }, listener())
    assert.deepInclude(ended, { isError: true, stopReason: "max-tokens" })
    const silent = yield* turn(threadId, { prompt: script([]) }, listener())
    assert.deepStrictEqual(silent, { content: "", isError: false, stopReason: "no-text" })
  })

  test.live("that Codex refuses fails with Codex's message", function* () {
    const { start, threadId, turn } = yield* thread()
    const error = yield* Effect.flip(turn(threadId, { prompt: script([], "refused") }, listener()))
    assert.strictEqual(error.reason, "agent-refused")
    assert.include(error.message, "not today")
    const nowhere = yield* Effect.flip(start({ cwd: "/no/such/directory" }))
    assert.strictEqual(nowhere.reason, "agent-refused")
    assert.include(nowhere.message, "/no/such/directory")
  })

  test.live("ignores invalid lines and unknown messages", function* () {
    const { says } = yield* thread()
    const garbage = ["garbage", "", "[1]", "{", '{"id":99,"result":{}}', '{"method":5}', '{"method":"x"}', "null"]
    const steps = [...garbage.map((line) => ({ line })), { event: "thread/unheard" }, { message: "Here." }]
    assert.strictEqual(yield* says(steps), "Here.")
  })

  test.live("emits events that Codex sends before the turn's id", function* () {
    const { threadId, turn } = yield* thread()
    const heard = listener()
    const { content } = yield* turn(
      threadId,
      { prompt: script([{ deltas: 1 }, { message: "Early." }], "early") },
      heard,
    )
    assert.strictEqual(content, "Early.")
    const tags = heard.events.filter((event) => event._tag !== "Raw").map((event) => event._tag)
    assert.deepStrictEqual(tags, ["TextDelta", "Message"])
  })
})

describe("threads of Codex, many in one process", () => {
  test.live("run at the same time on one process, and receive only their own events", function* () {
    const { pids, start, turn } = yield* client()
    const [one, other] = [listener(), listener()]
    const ends = yield* Effect.all(
      [
        turn(
          yield* start({}),
          { prompt: script([{ deltas: 1 }, { open: "a" }, { await: "b" }, { message: "one" }]) },
          one,
        ),
        turn(yield* start({}), { prompt: script([{ await: "a" }, { message: "other" }, { open: "b" }]) }, other),
      ],
      { concurrency: "unbounded" },
    )
    assert.deepStrictEqual(
      ends.map(({ content }) => content),
      ["one", "other"],
    )
    assert.isFalse(other.events.some((event) => event._tag === "TextDelta"))
    assert.strictEqual(pids().length, 1)
  })

  test.live("run one turn at a time, in the order of the calls of all clients", function* () {
    const { agent } = yield* codex()
    const [mine, yours] = [yield* agent.attach, yield* agent.attach]
    const threadId = yield* mine.start({})
    const order: Array<number> = []
    const first = listener()
    const held = yield* Effect.forkChild(mine.turn(threadId, { prompt: script([{ await: "go" }]) }, first))
    yield* first.heard("turn/started")
    const fibers = yield* Effect.forEach([1, 2, 3, 4, 5], (n) => {
      const { turn } = n % 2 === 0 ? mine : yours
      const ended = Effect.tap(turn(threadId, { prompt: script([{ deltas: 3 }]) }, listener()), () =>
        Effect.sync(() => order.push(n)),
      )
      return Effect.forkChild(ended, { startImmediately: true })
    })
    yield* yours.turn(yield* yours.start({}), { prompt: script([{ open: "go" }]) }, listener())
    yield* Fiber.join(held)
    for (const fiber of fibers) yield* Fiber.join(fiber)
    assert.deepStrictEqual(order, [1, 2, 3, 4, 5])
  })

  test.live.each([
    "no rollout found for thread id x",
    "thread not found: x",
    "thread not loaded: x",
    "invalid thread id: x",
    "invalid session id: x",
    "session x is archived. Run `codex unarchive x` to unarchive it first.",
  ])("are called unknown where Codex says: %s", function* (words) {
    const { agent } = yield* codex({ env: { FAKE_REFUSES: words } })
    const threadId = yield* Effect.scoped(Effect.flatMap(agent.attach, ({ start }) => start({})))
    const { open } = yield* agent.attach
    assert.strictEqual((yield* Effect.flip(open(threadId))).reason, "unknown-thread")
  })

  test.live("have ids with one spelling, although Codex accepts others", function* () {
    const { heard, threadId, turn } = yield* thread()
    for (const other of [`urn:uuid:${threadId}`, threadId.replaceAll("-", ""), ` ${threadId}`, `{${threadId}}`]) {
      assert.strictEqual((yield* Effect.flip(turn(other, { prompt: script([]) }, listener()))).reason, "unknown-thread")
    }
    assert.isUndefined(heard().find(({ method }) => method === "thread/resume"))
  })

  test.live("that Codex has unloaded are loaded again", function* () {
    const { heard, says } = yield* thread()
    assert.strictEqual(yield* says([{ message: "Back." }], "put-away"), "Back.")
    assert.strictEqual(heard().filter(({ method }) => method === "thread/resume").length, 1)
  })

  test.live("start with the client's options", function* () {
    const { heard } = yield* thread(undefined, {
      model: "m",
      cwd: "/",
      sandbox: "read-only",
      approvalPolicy: "on-request",
      config: { "a.b": 1 },
      baseInstructions: "base",
      developerInstructions: "developer",
      compactPrompt: "shorter",
    })
    assert.deepStrictEqual(heard().find(({ method }) => method === "thread/start")?.params, {
      model: "m",
      cwd: "/",
      sandbox: "read-only",
      approvalPolicy: "on-request",
      config: { ...finite, "a.b": 1, compact_prompt: "shorter" },
      baseInstructions: "base",
      developerInstructions: "developer",
    })
  })
})
