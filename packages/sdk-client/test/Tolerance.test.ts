/** Servers that say more than they must, or something else: what is let pass, and what is not believed. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ScriptedServer from "./ScriptedServer.ts"

const { answer, line } = ScriptedServer

describe("a server that says more than it must is understood (promise 24)", () => {
  it.live.each([
    { what: "lines that are no message", lines: ["", "   ", "garbage", "{", "[]", "null", "7", '"text"', "{}"] },
    {
      what: "messages of no version, or of another",
      lines: ['{"id":"<id>","result":{}}', '{"jsonrpc":"1.0","id":"<id>","result":{}}'],
    },
    { what: "batches", lines: [`[${answer("<id>", "from a batch")}]`] },
    {
      what: "notifications that nobody knows",
      lines: [line({ method: "notifications/of/ours", params: { a: 1 } }), line({ method: "x", params: 7 })],
    },
    {
      what: "keys of every object",
      lines: [
        '{"jsonrpc":"2.0","method":"n","params":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}',
      ],
    },
    { what: "a carriage return and spaces around", lines: [`  ${line({ method: "n" })} \r`] },
  ])("$what pass, and the call is answered", ({ lines }) =>
    Effect.gen(function* () {
      const { ask, say } = yield* ScriptedServer.session()
      assert.strictEqual(yield* say(lines), "done")
      assert.strictEqual(yield* ask('echo {"text":"on we go"}'), "on we go")
      assert.isUndefined(({} as Record<string, unknown>)["polluted"])
    }),
  )

  it.live("`__proto__` in an answer is a key like any other, and fields that nobody knows are left alone", () =>
    Effect.gen(function* () {
      const { say } = yield* ScriptedServer.session()
      const content = '[{"type":"text","text":"well","more":1},{"type":"hologram","beam":2}]'
      const strange = `"__proto__":{"isError":true,"polluted":true},"content":${content},"and":["more"]`
      assert.strictEqual(yield* say([`{"jsonrpc":"2.0","id":"<id>","result":{${strange}},"extra":true}`], true), "well")
      assert.isUndefined(({} as Record<string, unknown>)["polluted"])
    }),
  )
})

describe("a server that says less is not believed (promise 24)", () => {
  it.live("isError is a turn that failed, whatever else is said", () =>
    Effect.gen(function* () {
      const { adapter, id } = yield* ScriptedServer.session()
      const lines = [line({ id: "<id>", result: { isError: true, content: [{ type: "text", text: "all is well" }] } })]
      const response = yield* adapter.execute(id, { content: `say ${JSON.stringify({ lines, keep: true })}` })
      assert.isTrue(response.isError)
    }),
  )

  it.live.each([
    { what: "null", result: null },
    { what: "a text", result: "well" },
    { what: "a list", result: [{ type: "text", text: "well" }] },
    { what: "content that is no list", result: { content: "well" } },
    { what: "content of other things than parts", result: { content: ["well"] } },
    { what: "a text that is none", result: { content: [{ type: "text", text: { toString: "well" } }] } },
    { what: "structured content that is a list", result: { content: [], structuredContent: ["well"] } },
    { what: "isError in words", result: { content: [], isError: "no" } },
  ])("a result of $what is protocol-violation, and the session goes on", ({ result }) =>
    Effect.gen(function* () {
      const { ask, say } = yield* ScriptedServer.session()
      const error = yield* Effect.flip(say([line({ id: "<id>", result })], true))
      assert.strictEqual(`${error.reason} ${error.delivery}`, "protocol-violation unknown")
      assert.strictEqual(yield* ask('echo {"text":"on we go"}'), "on we go")
    }),
  )
})

describe("what a server asks of its client (promise 23)", () => {
  it.live("a ping is answered, and everything else is refused, in the middle of a call and between calls", () =>
    Effect.gen(function* () {
      const { heard, say } = yield* ScriptedServer.session()
      const methods = ["ping", "sampling/createMessage", "roots/list", "elicitation/create", "tasks/list", "no/such"]
      const params = {
        messages: [],
        maxTokens: 1,
        message: "May I?",
        requestedSchema: { type: "object", properties: {} },
      }
      const questions = methods.map((method) => line({ id: `ask ${method}`, method, params }))
      // The second half is asked after the answer, when no call is under way.
      yield* say([...questions.slice(0, 3), answer("<id>", "done"), ...questions.slice(3)], true)
      const answers = new Map<unknown, string>()
      while (answers.size < methods.length) {
        for (const { error, id, method, result } of yield* heard) {
          if (method === undefined) answers.set(id, error === undefined ? JSON.stringify(result) : String(error.code))
        }
      }
      assert.deepStrictEqual(Object.fromEntries(answers), {
        "ask ping": "{}",
        "ask sampling/createMessage": "-32601",
        "ask roots/list": "-32601",
        "ask elicitation/create": "-32601",
        "ask tasks/list": "-32601",
        "ask no/such": "-32601",
      })
    }),
  )
})

describe("what a client asks of a server", () => {
  it.live(
    "is the handshake and calls alone: no list is read, so a storm of changes asks for nothing, and no schema or pattern of a server's is run (promises 15 and 17)",
    () =>
      Effect.gen(function* () {
        const { ask, heard, say } = yield* ScriptedServer.session()
        const storm = ["tools", "resources", "prompts", "roots"].flatMap((list) =>
          Array<string>(50).fill(line({ method: `notifications/${list}/list_changed` })),
        )
        assert.strictEqual(yield* say([...storm, answer("<id>", "heard"), ...storm], true), "heard")
        // The second half is there already, and nobody waits for it.
        yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
        // Whatever the storm led to is heard by then.
        yield* Effect.replicateEffect(ask("echo"), 10, { discard: true })
        assert.deepStrictEqual(
          (yield* heard).map(({ method }) => method),
          ["initialize", "notifications/initialized", ...Array<string>(11).fill("tools/call")],
        )
      }),
  )

  it.live("has ids that cannot be guessed: 128 random bits and a number, others in every session (promise 21)", () =>
    Effect.gen(function* () {
      const prefixes = new Set<string>()
      for (let count = 0; count < 3; count++) {
        const { ask, heard } = yield* ScriptedServer.session()
        yield* ask("echo")
        yield* ask("echo")
        const ids = (yield* heard).flatMap(({ id, method }) => (method === "tools/call" ? [String(id)] : []))
        const [prefix = ""] = /^[0-9a-f]{32}(?=-1$)/.exec(ids[0] ?? "") ?? []
        assert.deepStrictEqual(ids, [`${prefix}-1`, `${prefix}-2`])
        prefixes.add(prefix)
      }
      assert.strictEqual(prefixes.size, 3)
    }),
  )
})
