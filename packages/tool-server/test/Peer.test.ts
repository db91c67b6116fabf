/**
 * The server's own requests, at the end of a connection.
 */
import { assert, describe } from "@effect/vitest"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import * as Messages from "@zain/testkit/Messages"
import { test } from "@zain/testkit/Test"
import type { PacedTransport } from "@zain/tool-server/PacedTransport"
import * as ToolServer from "@zain/tool-server/ToolServer"
import { Effect } from "effect"

type Said = JSONRPCMessage & { readonly id?: unknown; readonly method?: string; readonly result?: unknown }

/** A session whose tool asks its client, and answers with what the client said. */
const asking = Effect.fnUntraced(function* (answered: (question: Said, transport: PacedTransport) => void) {
  const server = ToolServer.make({
    name: "test",
    title: "Test",
    version: "0",
    instructions: "",
    tools: [],
    client: () =>
      Effect.succeed({
        call: (_, { request }) =>
          Effect.match(request.ask({ method: "elicitation/create", params: { message: "May it?" } }), {
            onFailure: ({ code, message }) => ({ content: [{ type: "text" as const, text: `${code} ${message}` }] }),
            onSuccess: (answer) => ({ content: [{ type: "text" as const, text: JSON.stringify(answer) }] }),
          }),
        isBusy: () => false,
        leave: Effect.void,
      }),
  })
  const said: Array<Said> = []
  const result = Promise.withResolvers<unknown>()
  const transport: PacedTransport = {
    start: async () => {},
    close: async () => {},
    send: async (message) => {
      said.push(message as Said)
      if ("method" in message && message.method === "elicitation/create") return answered(message as Said, transport)
      if ("result" in message && message.id === 0) result.resolve(message.result)
    },
  }
  yield* server.session(transport)
  for (const text of [Messages.initialize, Messages.call(0, "ask")]) transport.onmessage?.(JSON.parse(text))
  return { result: Effect.promise(() => result.promise), said }
})

const text = (text: string) => ({ content: [{ type: "text", text }] })

describe("a method that throws (promise 24)", () => {
  test("is answered with an internal error, and the session goes on", function* () {
    const answers: Array<Said> = []
    const transport: PacedTransport = {
      start: async () => {},
      close: async () => {},
      send: async (message) => void answers.push(message as Said),
    }
    const list = () => {
      throw new Error("broken")
    }
    const client = () => Effect.succeed({ call: () => Effect.never, isBusy: () => false, leave: Effect.void })
    const about = { name: "test", title: "Test", version: "0", instructions: "" }
    yield* ToolServer.make({ ...about, tools: () => ({ list }), client }).session(transport)
    for (const text of [Messages.initialize, Messages.request(1, "tools/list"), Messages.request(2, "ping")]) {
      transport.onmessage?.(JSON.parse(text))
    }
    yield* Effect.promise(async () => {})
    assert.deepStrictEqual(answers.slice(1), [
      { jsonrpc: "2.0", id: 1, error: { code: -32_603, message: "Unexpected error of the server: Error: broken" } },
      { jsonrpc: "2.0", id: 2, result: {} },
    ])
  })
})

describe("a question to the client (promise 23)", () => {
  test("has an id that cannot be guessed (promise 21), and the client's own id of the call, also if that is 0", function* () {
    const { result, said } = yield* asking(({ id }, transport) =>
      transport.onmessage?.({ jsonrpc: "2.0", id: id as string, result: { action: "accept" } }),
    )
    assert.deepStrictEqual(yield* result, text('{"action":"accept"}'))
    const question = said.find(({ method }) => method === "elicitation/create")
    assert.match(String(question?.id), /^[0-9a-f]{32}-0$/)
    assert.deepInclude(question, { params: { message: "May it?", _meta: { requestId: 0 } } })
  })

  test("that cannot be sent fails at once", function* () {
    const { result } = yield* asking(() => {
      throw new Error("no stream")
    })
    assert.deepStrictEqual(yield* result, text("-32000 Connection closed"))
  })

  test("fails with the client's error, of which members beside code and message are left out", function* () {
    const { result } = yield* asking(({ id }, transport) => {
      const error = JSON.parse('{"code":-1,"message":"no","__proto__":{"code":7},"_tag":"Other","stack":"x"}')
      transport.onmessage?.({ jsonrpc: "2.0", id: id as string, error })
    })
    assert.deepStrictEqual(yield* result, text("-1 no"))
  })

  test("ignores an answer with another id, and a second one", function* () {
    const { result } = yield* asking(({ id }, transport) => {
      for (const [given, action] of [
        ["0", "accept"],
        [0, "accept"],
        [id, "decline"],
        [id, "accept"],
      ] as const) {
        transport.onmessage?.({ jsonrpc: "2.0", id: given as string, result: { action } })
      }
    })
    assert.deepStrictEqual(yield* result, text('{"action":"decline"}'))
  })
})
