import type { OutgoingHttpHeaders } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as LoopSmithClient from "../src/LoopSmithClient.ts"
import * as LoopSmithPlace from "../src/LoopSmithPlace.ts"
import { sayBy, statusOf } from "../src/LoopSmithRaw.ts"

const mock = ["--judge", "mock"]

/** Texts, and what the mock judge gives them. */
const short = { content: "# T\n- a\n```x```", score: 5.2 }
const long = { content: `${short.content}\n${"日本語 $& ".repeat(200)}`, score: 8.2 }

const zeros = { completeness: 0, accuracy: 0, clarity: 0, usability: 0 }

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 7,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
})

const calling = (content: string) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 8,
    method: "tools/call",
    params: { name: "evaluate_document", arguments: { content } },
  })

describe.concurrent.each(LoopSmithPlace.doors)("`loopsmith serve %s`", (door) => {
  const opened = Effect.gen(function* () {
    return yield* LoopSmithClient.open(yield* LoopSmithPlace.make(), door, mock)
  })

  it.live("LoopSmith 3: garbage is answered as the protocol says, and what comes after it is served", () =>
    Effect.gen(function* () {
      const say = yield* sayBy(yield* opened)
      const told = Effect.fnUntraced(function* (text: string) {
        return JSON.parse(yield* Effect.promise(() => say(text)))
      })
      assert.deepInclude(yield* told("garbage"), { id: null })
      assert.deepInclude((yield* told("garbage")).error, { code: -32700 })
      assert.deepInclude((yield* told("[]")).error, { code: -32600 })
      assert.deepInclude((yield* told("42")).error, { code: -32600 })
      assert.deepInclude(yield* told(initialize), { id: 7 })
    }),
  )

  it.live("a document of 20 MiB is refused in words, and the server goes on", () =>
    Effect.gen(function* () {
      const way = yield* opened
      const say = yield* sayBy(way)
      if (door !== "http") yield* Effect.promise(() => say(initialize))
      const refusal = yield* Effect.promise(() => say(calling("x".repeat(20 * 1024 * 1024))))
      assert.match(refusal, /may have 1000000|4194304/)
      if (door === "stdio") {
        const { result } = JSON.parse(yield* Effect.promise(() => say(calling(short.content))))
        return assert.deepInclude(result.structuredContent, { score: short.score })
      }
      const { evaluate } = yield* LoopSmithClient.connect(way)
      assert.deepInclude(yield* Effect.promise(() => evaluate(short.content)), { score: short.score })
    }),
  )

  const refused = [
    { name: "a document with a NUL", args: { content: "a\u0000b" }, sentence: /binary/ },
    { name: "a document with half a character", args: { content: "a\ud800b" }, sentence: /binary/ },
    { name: "no document", args: {}, sentence: /content/ },
    { name: "a rubric of zeros", args: { content: "a", rubric: zeros }, sentence: /rubric|weight/ },
    { name: "a target above 10", args: { content: "a", target_score: 11 }, sentence: /target/ },
  ]
  it.live(`LoopSmith 3: -32602 and a sentence for ${refused.map(({ name }) => name).join(", ")}`, () =>
    Effect.gen(function* () {
      const { client } = yield* LoopSmithClient.connect(yield* opened)
      for (const { args, name, sentence } of refused) {
        const call = Effect.tryPromise(() => client.callTool({ name: "evaluate_document", arguments: args }))
        const { cause } = yield* Effect.flip(call)
        assert.deepInclude(cause, { code: -32602 }, name)
        assert.match((cause as Error).message, sentence, name)
      }
    }),
  )

  it.live("LoopSmith 9: two clients who race with equal ids each get the scores of their own documents", () =>
    Effect.gen(function* () {
      const way = yield* opened
      const race = Effect.fnUntraced(function* ({ content, score }: typeof short) {
        const { evaluate } = yield* LoopSmithClient.connect(way)
        const all = yield* Effect.promise(() => Promise.all(Array.from({ length: 8 }, () => evaluate(content))))
        assert.deepStrictEqual([...new Set(all.map((evaluation) => evaluation.score))], [score])
      })
      yield* Effect.all([race(short), race(long)], { concurrency: "unbounded" })
    }),
  )
})

const opening = {
  ...{ connection: "Upgrade", upgrade: "websocket" },
  ...{ "sec-websocket-version": "13", "sec-websocket-key": Buffer.alloc(16).toString("base64") },
}

describe.each([
  { door: "ws", headers: opening, welcome: 101 },
  // A stream of a session that it does not name.
  { door: "http", headers: {}, welcome: 400 },
] as const)("`loopsmith serve $door`", ({ door, headers, welcome }) => {
  it.live("LoopSmith 2: is at 127.0.0.1 alone, and refuses a foreign Origin, a foreign Host and another path", () =>
    Effect.gen(function* () {
      const place = yield* LoopSmithPlace.make()
      const { url } = yield* place.serve(door, mock)
      const at = (change: Partial<URL>) => Object.assign(new URL(url.replace(/^ws/, "http")), change)
      const answers = (change: Partial<URL>, more: OutgoingHttpHeaders = {}) =>
        Effect.promise(() => statusOf(at(change), { ...headers, ...more }))
      assert.strictEqual(yield* answers({}), welcome)
      assert.strictEqual(yield* answers({}, { origin: "https://foreign.example" }), 403)
      assert.strictEqual(yield* answers({}, { origin: "null" }), 403)
      assert.strictEqual(yield* answers({}, { host: "foreign.example" }), 403)
      assert.strictEqual(yield* answers({ pathname: "/other" }), 404)
      // An address of this machine too.
      assert.strictEqual(yield* answers({ hostname: "127.0.0.2" }), "ECONNREFUSED")
    }),
  )
})
