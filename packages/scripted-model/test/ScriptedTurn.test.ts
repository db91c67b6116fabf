import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as TestClock from "effect/testing/TestClock"
import * as ScriptedModel from "../src/ScriptedModel.ts"
import * as ScriptedTurn from "../src/ScriptedTurn.ts"
import { apis, ask, events, json, path, prompt, understood } from "./ModelClient.ts"

for (const api of apis) {
  for (const stream of [true, false]) {
    describe(`the ${api} API, ${stream ? "streaming" : "one document"}:`, () => {
      it.live("Text sends the whole text, in several deltas if it is streamed", () =>
        Effect.gen(function* () {
          const text = "Grüße 🙂🙂🙂 und\nmehr"
          const model = yield* ScriptedModel.make({
            turns: [ScriptedTurn.text(text), ScriptedTurn.text(text, { chunks: 100 }), ScriptedTurn.text("")],
            usage: { inputTokens: 3, outputTokens: 4 },
          })
          const first = understood(api, yield* ask(model.url, api, "x", stream), stream)
          assert.strictEqual(first.text, text)
          assert.deepStrictEqual(first.tokens, [3, 4])
          assert.strictEqual(first.stop, api === "responses" ? "completed" : "end_turn")
          assert.strictEqual(first.deltas.length, stream ? 3 : 0)
          const many = understood(api, yield* ask(model.url, api, "x", stream), stream)
          if (stream) {
            assert.deepStrictEqual(many.deltas, Array.from(text))
            assert.deepStrictEqual(first.deltas.join(""), text)
          }
          const empty = understood(api, yield* ask(model.url, api, "x", stream), stream)
          assert.deepStrictEqual([empty.text, empty.deltas], ["", []])
        }),
      )

      it.live("ToolCalls sends each call in order with name, arguments and id, after all texts", () =>
        Effect.gen(function* () {
          const input = { cmd: 'echo "1"', deep: { a: [1] } }
          const calls = [ScriptedTurn.toolCall("a", input, { text: "One. " }), ScriptedTurn.toolCall("b", { n: 2 })]
          const last = ScriptedTurn.toolCall("c", {}, { text: "Two.", callId: "mine" })
          const turns = [ScriptedTurn.toolCalls([...calls, last]), ScriptedTurn.toolCall("run", {})]
          const model = yield* ScriptedModel.make({ turns })
          const all = understood(api, yield* ask(model.url, api, "x", stream), stream)
          const prefix = api === "responses" ? "call" : "toolu"
          assert.strictEqual(all.text, "One. Two.")
          assert.strictEqual(all.stop, api === "responses" ? "completed" : "tool_use")
          assert.deepStrictEqual(all.calls, [
            { id: `${prefix}_scripted_0`, name: "a", arguments: input },
            { id: `${prefix}_scripted_0_1`, name: "b", arguments: { n: 2 } },
            { id: "mine", name: "c", arguments: {} },
          ])
          const alone = understood(api, yield* ask(model.url, api, "x", stream), stream)
          assert.deepStrictEqual(
            [alone.text, alone.calls],
            ["", [{ id: `${prefix}_scripted_1`, name: "run", arguments: {} }]],
          )
        }),
      )

      it.live("HttpError sends the status, the headers and a body in the shape of the API", () =>
        Effect.gen(function* () {
          const model = yield* ScriptedModel.make({
            turns: [
              ScriptedTurn.httpError(429, { message: "Slow down.", headers: { "retry-after": "1" } }),
              ScriptedTurn.httpError(529, { type: "custom_error" }),
            ],
          })
          const first = yield* ask(model.url, api, "x", stream)
          assert.strictEqual(first.status, 429)
          assert.strictEqual(first.headers.get("retry-after"), "1")
          const expected = { type: "rate_limit_error", message: "Slow down." }
          assert.deepStrictEqual(
            json(first),
            api === "responses"
              ? { error: { ...expected, param: null, code: null } }
              : { type: "error", error: expected },
          )
          const second = yield* ask(model.url, api, "x", stream)
          assert.deepStrictEqual([second.status, json(second).error.type], [529, "custom_error"])
        }),
      )

      it.live("DroppedStream makes the client's read fail, and `awaitGone` does not count it as cancelled", () =>
        Effect.gen(function* () {
          const model = yield* ScriptedModel.make({
            turns: [
              ScriptedTurn.droppedStream("The answer is"),
              ScriptedTurn.droppedStream(),
              ScriptedTurn.droppedStream("The answer.", { calls: [ScriptedTurn.toolCall("run", {})] }),
            ],
          })
          for (const index of [0, 1, 2]) {
            const error = yield* Effect.flip(ask(model.url, api, "x", stream))
            assert.strictEqual(error._tag, "UnknownError")
            const request = yield* model.awaitRequest((request) => request.index === index)
            assert.strictEqual((yield* Effect.flip(model.awaitGone(request))).reason, "already-answered")
          }
        }),
      )

      it.effect("Delay waits on the TestClock, then plays the next turn", () =>
        Effect.gen(function* () {
          const model = yield* ScriptedModel.make({
            turns: [ScriptedTurn.delay("1 hour", ScriptedTurn.delay("1 hour", ScriptedTurn.text("At last.")))],
          })
          const asked = yield* Effect.forkChild(ask(model.url, api, "x", stream))
          yield* model.awaitRequest()
          yield* TestClock.adjust("1 hour")
          assert.strictEqual(asked.pollUnsafe(), undefined)
          yield* TestClock.adjust("1 hour")
          assert.strictEqual(understood(api, yield* Fiber.join(asked), stream).text, "At last.")
        }),
      )

      for (const turn of [ScriptedTurn.hang, ScriptedTurn.delay("1 hour", ScriptedTurn.text("never"))]) {
        it.live(`${turn._tag} ends when the client disconnects`, () =>
          Effect.gen(function* () {
            const model = yield* ScriptedModel.make({ turns: [turn] })
            const asked = yield* Effect.forkChild(ask(model.url, api, "x", stream))
            const request = yield* model.awaitRequest()
            yield* Fiber.interrupt(asked)
            yield* Effect.timeout(model.awaitGone(request), "10 seconds")
          }),
        )
      }

      it.live("Hang keeps sending events without effect", () =>
        Effect.gen(function* () {
          const model = yield* ScriptedModel.make({ turns: [ScriptedTurn.hang] })
          const raw = yield* Effect.tryPromise(async (signal) => {
            const response = await fetch(model.url + path(api), {
              method: "POST",
              body: JSON.stringify(prompt(api, "x", { stream })),
              signal,
            })
            let raw = ""
            let reads = 0
            for await (const chunk of response.body ?? []) {
              raw += new TextDecoder().decode(chunk)
              if (++reads >= 3) break
            }
            return raw
          })
          if (!stream) return assert.match(raw, /^\{ +$/)
          const seen = new Set(events({ raw, status: 200, headers: new Headers() }).map((event) => event.type))
          const allowed = ["response.created", "response.in_progress", "message_start", "ping"]
          assert.isEmpty([...seen].filter((type) => !allowed.includes(type)))
        }),
      )
    })
  }
}

describe("a tool that takes plain text", () => {
  for (const stream of [true, false]) {
    it.live(`is called with exactly that text (responses, ${stream ? "streaming" : "one document"})`, () =>
      Effect.gen(function* () {
        const patch = '*** Begin Patch\n+"hello"\n*** End Patch\n'
        const model = yield* ScriptedModel.make({ turns: [ScriptedTurn.toolCall("apply_patch", patch)] })
        const api = "responses"
        const { call } = understood(api, yield* ask(model.url, api, "x", stream), stream)
        assert.deepStrictEqual(call, { id: "call_scripted_0", name: "apply_patch", input: patch })
      }),
    )
  }
})

describe("a field of the OpenAI API only", () => {
  it.live("is the phase of a text and the namespace of a tool", () =>
    Effect.gen(function* () {
      const call = ScriptedTurn.toolCall("mcp__files.read", { path: "a" }, { text: "Look.", phase: "commentary" })
      const model = yield* ScriptedModel.make({ turns: [call] })
      const { output } = json(yield* ask(model.url, "responses", "x", false))
      const [message, tool] = output as ReadonlyArray<Record<string, unknown>>
      assert.strictEqual(message?.["phase"], "commentary")
      assert.deepInclude(tool, { type: "function_call", namespace: "mcp__files", name: "read" })
    }),
  )
})

describe("a stream with `pause`", () => {
  for (const api of apis) {
    it.effect(`waits before each delta, on the TestClock (${api})`, () =>
      Effect.gen(function* () {
        const turns = [ScriptedTurn.text("abc", { chunks: 3, pause: "1 minute" })]
        const model = yield* ScriptedModel.make({ turns })
        const asked = yield* Effect.forkChild(ask(model.url, api, "x", true))
        yield* model.awaitRequest()
        for (const _ of "ab") {
          yield* TestClock.adjust("1 minute")
          assert.strictEqual(asked.pollUnsafe(), undefined)
        }
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(understood(api, yield* Fiber.join(asked), true).deltas, ["a", "b", "c"])
      }),
    )
  }
})

describe("a turn", () => {
  const turns: Record<string, ScriptedTurn.ScriptedTurn> = {
    "with a status that HTTP does not have": ScriptedTurn.httpError(99),
    "with a header that HTTP does not allow": ScriptedTurn.httpError(500, { headers: { bad: "a\nb" } }),
    "with arguments that are not JSON": ScriptedTurn.toolCall("run", { big: 1n }),
    // @ts-expect-error: no such duration
    "with an invalid duration": ScriptedTurn.delay("soon", ScriptedTurn.hang),
    // @ts-expect-error: no such pause
    "with an invalid pause": ScriptedTurn.text("x", { pause: "soon" }),
    // @ts-expect-error: no such turn
    "of an unknown kind": { _tag: "Nonsense" },
  }
  it.live("with plain text for a tool of the Messages API gets status 400 with the reason", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make({ turns: [ScriptedTurn.toolCall("apply_patch", "*** Begin Patch")] })
      const reply = yield* ask(model.url, "messages", "x", true)
      assert.strictEqual(reply.status, 400)
      assert.include(json(reply).error.message, "apply_patch: the Messages API has no tools that take plain text.")
    }),
  )
  for (const [title, turn] of Object.entries(turns)) {
    it.live(`${title} gets status 400 with the reason, and the server continues`, () =>
      Effect.gen(function* () {
        const model = yield* ScriptedModel.make({ turns: [turn, ScriptedTurn.text("alive")] })
        const reply = yield* ask(model.url, "responses", "x", true)
        assert.strictEqual(reply.status, 400)
        assert.match(json(reply).error.message, /^The script could not be played: ./)
        const next = yield* ask(model.url, "responses", "x")
        assert.strictEqual(understood("responses", next, false).text, "alive")
      }),
    )
  }
})
