import { connect, type Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as ScriptedModel from "../src/ScriptedModel.ts"
import * as ScriptedTurn from "../src/ScriptedTurn.ts"
import { apis, ask, json, path, post, prompt, understood } from "./ModelClient.ts"

const get = (url: string, init?: RequestInit) =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    return { status: response.status, headers: response.headers, raw: await response.text() }
  })

const open = (url: string) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1", () => resume(Effect.succeed(socket)))
      socket.on("error", () => {})
    }),
    (socket) => Effect.sync(() => socket.destroy()),
  )

const closed = (socket: Socket) =>
  Effect.callback<void>((resume) => {
    if (socket.closed) resume(Effect.void)
    else socket.once("close", () => resume(Effect.void))
    socket.resume()
  }).pipe(Effect.timeout("10 seconds"))

describe("a request other than for an answer", () => {
  it.live("gets a response and uses no turn", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make({ turns: [ScriptedTurn.text("first")] })
      const counted = yield* post(`${model.url}/v1/messages/count_tokens?beta=true`, prompt("messages", "x"))
      assert.deepStrictEqual(json(counted), { input_tokens: 10 })
      assert.strictEqual(json(yield* get(`${model.url}/v1/models`)).data[0].id, "scripted-model")
      assert.strictEqual((yield* get(`${model.url}/`, { method: "HEAD" })).status, 200)
      assert.strictEqual((yield* get(`${model.url}/api/hello`, { method: "HEAD" })).status, 200)
      const openAi = yield* get(`${model.url}/v1/nothing`)
      assert.deepStrictEqual([openAi.status, json(openAi).error.type], [404, "invalid_request_error"])
      const anthropic = yield* get(`${model.url}/v1/messages/batches`)
      assert.deepStrictEqual([anthropic.status, json(anthropic).error.type], [404, "not_found_error"])
      assert.deepStrictEqual(yield* model.requests, [])
    }),
  )
})

for (const api of apis) {
  describe(`a request to the ${api} API that`, () => {
    const bodies: Record<string, unknown> = {
      "is not JSON": '{"model":',
      "is empty": "",
      "is not an object": [],
      "has no model": prompt(api, "x", { model: undefined }),
      "has no messages": { model: "m" },
      "has an empty list of messages": { model: "m", input: [], messages: [] },
    }
    for (const [title, body] of Object.entries(bodies)) {
      it.live(`${title} gets status 400, is not recorded and uses no turn`, () =>
        Effect.gen(function* () {
          const model = yield* ScriptedModel.make({ turns: [ScriptedTurn.text("still here")] })
          const reply = yield* post(model.url + path(api), body)
          assert.deepStrictEqual([reply.status, json(reply).error.type], [400, "invalid_request_error"])
          assert.deepStrictEqual(yield* model.requests, [])
          assert.strictEqual(understood(api, yield* ask(model.url, api, "x"), false).text, "still here")
        }),
      )
    }

    it.live("is too long gets status 413, and one that is compressed 415", () =>
      Effect.gen(function* () {
        const model = yield* ScriptedModel.make({ turns: [ScriptedTurn.text("ok")], maxRequestBytes: 1000 })
        const long = yield* post(model.url + path(api), prompt(api, "x".repeat(1_000_000)))
        assert.strictEqual(long.status, 413)
        const packed = yield* get(model.url + path(api), {
          method: "POST",
          headers: { "content-encoding": "gzip" },
          body: gzipSync(JSON.stringify(prompt(api, "x"))),
        })
        assert.strictEqual(packed.status, 415)
        assert.strictEqual(understood(api, yield* ask(model.url, api, "x"), false).text, "ok")
      }),
    )
  })
}

describe("ModelServer", () => {
  it.live("transfers 2 MiB in each direction, split anywhere", () =>
    Effect.gen(function* () {
      const text = "äö🙂x".repeat(250_000)
      const model = yield* ScriptedModel.make({ turns: [ScriptedTurn.text(text, { chunks: 100 })] })
      const reply = understood("responses", yield* ask(model.url, "responses", text, true), true)
      assert.isTrue(reply.text === text && reply.deltas.join("") === text)
      assert.isTrue((yield* model.requests)[0]?.userMessages[0] === text)
    }),
  )

  it.live("answers 100 concurrent requests, each once", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make({
        respond: (request) => ScriptedTurn.delay("10 millis", ScriptedTurn.text(request.userMessages.join())),
      })
      const prompts = Array.from({ length: 100 }, (_, index) => `prompt ${index}`)
      const answers = yield* Effect.forEach(
        prompts,
        (text) => Effect.map(ask(model.url, "responses", text), (reply) => understood("responses", reply, false).text),
        { concurrency: "unbounded" },
      )
      assert.deepStrictEqual(answers, prompts)
      assert.deepStrictEqual(
        (yield* model.requests).map(({ index }) => index),
        prompts.map((_, index) => index),
      )
    }),
  )

  it.live("continues after a client has disconnected in the middle of its request", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make({ turns: [ScriptedTurn.text("ok")] })
      const socket = yield* open(model.url)
      yield* Effect.callback<void>((resume) => {
        socket.write("POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{", () =>
          resume(Effect.void),
        )
      })
      socket.destroy()
      yield* closed(socket)
      const reply = yield* ask(model.url, "responses", "x")
      assert.strictEqual(understood("responses", reply, false).text, "ok")
      assert.strictEqual((yield* model.requests).length, 1)
    }),
  )

  it.live("closes idle connections and unfinished requests with its Scope", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const model = yield* ScriptedModel.make().pipe(Scope.provide(scope))
      const idle = yield* open(model.url)
      const halfSent = yield* open(model.url)
      halfSent.write("POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{")
      yield* ask(model.url, "responses", "x")
      yield* Scope.close(scope, Exit.void)
      yield* Effect.all([closed(idle), closed(halfSent)])
    }),
  )
})
