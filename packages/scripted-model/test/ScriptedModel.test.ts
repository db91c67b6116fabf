import { existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import type { ModelRequest } from "../src/ModelRequest.ts"
import * as ScriptedModel from "../src/ScriptedModel.ts"
import * as ScriptedTurn from "../src/ScriptedTurn.ts"
import { ask, json, path, post, prompt, understood } from "./ModelClient.ts"

const textOf = (url: string, prompt: string) =>
  Effect.map(ask(url, "messages", prompt), (reply) => understood("messages", reply, false).text)

describe("a script", () => {
  it.live("is played in order of arrival over both APIs, then requests get status 410", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make({ turns: [ScriptedTurn.text("one"), ScriptedTurn.text("two")] })
      yield* post(`${model.url}/v1/messages/count_tokens`, prompt("messages", "x"))
      assert.strictEqual(yield* textOf(model.url, "a"), "one")
      const second = yield* ask(model.url, "responses", "b")
      assert.strictEqual(understood("responses", second, false).text, "two")
      const third = yield* ask(model.url, "responses", "c", true)
      assert.strictEqual(third.status, 410)
      assert.match(json(third).error.message, /no turn left for request 2 \(it had 2\)/)
    }),
  )

  it.live("ends with the turn in `whenScriptEnds`, for every further request", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make({ whenScriptEnds: ScriptedTurn.text("again") })
      assert.deepStrictEqual([yield* textOf(model.url, "a"), yield* textOf(model.url, "b")], ["again", "again"])
    }),
  )

  it.live("is chosen by `respond`, and by `turns` where that returns undefined", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make({
        turns: [ScriptedTurn.text("from turns")],
        respond: (request) => {
          const prompt = request.userMessages.at(-1)
          if (prompt === "plain") return ScriptedTurn.text("plain")
          if (prompt === "effect") return Effect.succeed(ScriptedTurn.text("effect"))
          if (prompt === "throw") throw new Error("broken script")
          return prompt === "later" ? Effect.undefined : undefined
        },
        whenScriptEnds: ScriptedTurn.text("over"),
      })
      const answers = yield* Effect.forEach(["plain", "effect", "later", "other"], (text) => textOf(model.url, text))
      assert.deepStrictEqual(answers, ["plain", "effect", "from turns", "over"])
      const broken = yield* ask(model.url, "responses", "throw")
      assert.deepStrictEqual(
        [broken.status, json(broken).error.message],
        [400, "The script could not be played: broken script"],
      )
    }),
  )
})

describe("a recorded request", () => {
  it.live("has the common form (OpenAI Responses)", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make({ whenScriptEnds: ScriptedTurn.text("ok") })
      const body = {
        model: "gpt",
        stream: true,
        instructions: "Be brief.",
        tools: [{ type: "function", name: "exec_command" }, { type: "web_search" }],
        input: [
          { type: "message", role: "developer", content: [{ type: "input_text", text: "rules" }] },
          {
            type: "message",
            role: "user",
            content: [
              { type: "input_text", text: "context" },
              { type: "input_text", text: "hello" },
            ],
          },
          { type: "reasoning", summary: [] },
          {
            type: "additional_tools",
            role: "developer",
            tools: [{ type: "namespace", name: "functions", tools: [{ type: "custom", name: "exec" }] }],
          },
          { type: "function_call", call_id: "c1", name: "exec_command", arguments: "{}" },
          { type: "function_call_output", call_id: "c1", output: "plain" },
          { type: "custom_tool_call_output", call_id: "c2", output: [{ type: "input_text", text: "parts" }] },
          { role: "assistant", content: "done" },
        ],
      }
      yield* post(model.url + path("responses"), body, { authorization: "Bearer secret", "x-mine": "1" })
      yield* post(model.url + path("responses"), { model: "gpt", input: "just text" })
      const [first, second] = yield* model.requests
      assert.deepInclude(first, {
        index: 0,
        api: "responses",
        model: "gpt",
        stream: true,
        userMessages: ["context", "hello"],
        tools: ["exec_command", "web_search", "functions.exec"],
        toolResults: [
          { callId: "c1", text: "plain" },
          { callId: "c2", text: "parts" },
        ],
        body,
      })
      assert.deepStrictEqual(
        first?.messages.map(({ role, text }) => `${role}: ${text}`),
        ["system: Be brief.", "developer: rules", "user: context", "user: hello", "assistant: done"],
      )
      assert.deepInclude(first?.headers, { authorization: "<redacted>", "x-mine": "1" })
      assert.deepInclude(second, { index: 1, stream: false, userMessages: ["just text"] })
    }),
  )

  it.live("has the common form (Anthropic Messages)", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make({ whenScriptEnds: ScriptedTurn.text("ok") })
      const body = {
        model: "claude",
        max_tokens: 1,
        system: [{ type: "text", text: "Be brief." }],
        tools: [{ name: "Bash", input_schema: {} }],
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "reminder" },
              { type: "text", text: "hello" },
            ],
          },
          { role: "system", content: "environment" },
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "hm" },
              { type: "tool_use", id: "t1", name: "Bash", input: {} },
            ],
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "out" }] },
              { type: "tool_result", tool_use_id: "t2", content: "plain", is_error: true },
            ],
          },
        ],
      }
      yield* post(model.url + path("messages"), body, { "x-api-key": "secret" })
      const request = yield* model.awaitRequest()
      assert.deepInclude(request, {
        index: 0,
        api: "messages",
        model: "claude",
        stream: false,
        userMessages: ["reminder", "hello"],
        tools: ["Bash"],
        toolResults: [
          { callId: "t1", text: "out" },
          { callId: "t2", text: "plain" },
        ],
      })
      assert.deepStrictEqual(
        request.messages.map(({ role, text }) => `${role}: ${text}`),
        ["system: Be brief.", "user: reminder", "user: hello", "system: environment"],
      )
      assert.strictEqual(request.headers["x-api-key"], "<redacted>")
    }),
  )

  it.live("is found by `awaitRequest`, past or future", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make({ whenScriptEnds: ScriptedTurn.text("ok") })
      const says = (text: string) => (request: ModelRequest) => request.userMessages.includes(text)
      const future = yield* Effect.forkChild(model.awaitRequest(says("b")), { startImmediately: true })
      yield* textOf(model.url, "a")
      assert.strictEqual(future.pollUnsafe(), undefined)
      yield* textOf(model.url, "b")
      assert.strictEqual((yield* Fiber.join(future)).index, 1)
      assert.strictEqual((yield* model.awaitRequest(says("a"))).index, 0)
    }),
  )

  it.live("that was answered fails `awaitGone` immediately, and so does an unknown one", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make({ turns: [ScriptedTurn.text("ok")] })
      yield* textOf(model.url, "a")
      const request = yield* model.awaitRequest()
      assert.strictEqual((yield* Effect.flip(model.awaitGone(request))).reason, "already-answered")
      const unknown = yield* Effect.flip(model.awaitGone({ ...request, index: 7 }))
      assert.strictEqual(unknown.reason, "unknown-request")
    }),
  )
})

describe("a client that disconnects", () => {
  it.live("interrupts the turn of its request", () =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<number>()
      const model = yield* ScriptedModel.make({
        respond: ({ index }) => Effect.onInterrupt(Effect.never, () => Deferred.succeed(ended, index)),
      })
      const asked = yield* Effect.forkChild(ask(model.url, "responses", "a", true))
      const { index } = yield* model.awaitRequest()
      yield* Fiber.interrupt(asked)
      assert.strictEqual(yield* Effect.timeout(Deferred.await(ended), "10 seconds"), index)
    }),
  )
})

describe("the end of the Scope", () => {
  it.live("closes every connection and the port, and ends every wait", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const model = yield* ScriptedModel.make({
        turns: [ScriptedTurn.hang, ScriptedTurn.delay("1 hour", ScriptedTurn.text("late"))],
      }).pipe(Scope.provide(scope))
      const hanging = yield* Effect.forkChild(Effect.exit(ask(model.url, "responses", "a", true)))
      const first = yield* model.awaitRequest(({ index }) => index === 0)
      const delayed = yield* Effect.forkChild(Effect.exit(ask(model.url, "messages", "b", true)))
      yield* model.awaitRequest(({ index }) => index === 1)
      const gone = yield* Effect.forkChild(Effect.flip(model.awaitGone(first)), { startImmediately: true })
      const never = yield* Effect.forkChild(Effect.flip(model.awaitRequest(() => false)), { startImmediately: true })
      const directory = (yield* model.codex()).directory

      yield* Scope.close(scope, Exit.void)

      assert.isTrue(Exit.isFailure(yield* Fiber.join(hanging)))
      assert.isTrue(Exit.isFailure(yield* Fiber.join(delayed)))
      assert.strictEqual((yield* Fiber.join(gone)).reason, "closed")
      assert.strictEqual((yield* Fiber.join(never)).reason, "closed")
      assert.strictEqual((yield* Effect.flip(model.awaitRequest(() => false))).reason, "closed")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(ask(model.url, "responses", "c"))))
      assert.isFalse(existsSync(directory))
    }),
  )
})

describe("a scripted model", () => {
  it.live("is provided by `layer`", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.ScriptedModel
      assert.strictEqual(yield* textOf(model.url, "a"), "layered")
    }).pipe(Effect.provide(ScriptedModel.layer({ turns: [ScriptedTurn.text("layered")] }))),
  )

  it("ends with `close()`, which may be called more than once", async () => {
    const model = await ScriptedModel.start({ turns: [ScriptedTurn.hang] })
    const { directory } = await model.codex()
    const asked = Effect.runPromiseExit(ask(model.url, "responses", "x"))
    await model.awaitRequest()
    await Promise.all([model.close(), model.close()])
    await model[Symbol.asyncDispose]()
    assert.isTrue(Exit.isFailure(await asked))
    assert.isFalse(existsSync(directory))
    assert.isTrue(Exit.isFailure(await Effect.runPromiseExit(ask(model.url, "responses", "x"))))
  })

  it("is started with promises, and ends with its block", async () => {
    let url: string
    {
      await using model = await ScriptedModel.start({
        respond: async (request) =>
          request.userMessages.includes("hang") ? ScriptedTurn.hang : ScriptedTurn.text("promised"),
      })
      url = model.url
      assert.strictEqual(await Effect.runPromise(textOf(url, "a")), "promised")
      assert.strictEqual((await model.requests()).length, 1)
      assert.strictEqual((await model.awaitRequest((request) => request.index === 0)).index, 0)
      const controller = new AbortController()
      const asked = fetch(url + path("responses"), {
        method: "POST",
        body: JSON.stringify(prompt("responses", "hang", { stream: true })),
        signal: controller.signal,
      })
      const request = await model.awaitRequest((request) => request.userMessages.includes("hang"))
      await asked
      controller.abort()
      await model.awaitGone(request)
      assert.strictEqual((await model.claudeCode()).env["ANTHROPIC_BASE_URL"], url)
      const failure = await model.codex("/dev/null/nowhere").then(
        () => undefined,
        (error: unknown) => error,
      )
      assert.deepInclude(failure, { _tag: "ScriptedModelError", reason: "write-failed" })
    }
    assert.isTrue(Exit.isFailure(await Effect.runPromiseExit(ask(url, "responses", "x"))))
  })
})
