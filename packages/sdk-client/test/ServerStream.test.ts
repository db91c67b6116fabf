/** Messages of a server outside of its calls' streams over Streamable HTTP. */
import type { ServerResponse } from "node:http"
import { assert, describe } from "@effect/vitest"
import * as McpApproval from "@zain/core/McpApproval"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { soon } from "@zain/testkit/Running"
import { test } from "@zain/testkit/Test"
import { Effect, Schema } from "effect"
import type { AgentProfile } from "../src/AgentProfile.ts"
import * as AgentServerProfile from "../src/AgentServerProfile.ts"
import * as SdkMcpClient from "../src/SdkMcpClient.ts"
import * as HttpServer from "../testing/HttpServer.ts"
import { agent, elicitation } from "./AgentServerPeer.ts"

const profile: AgentProfile<object> = {
  ...AgentServerProfile.make(agent),
  options: Schema.Record(Schema.String, Schema.Never),
  open: (target) =>
    Effect.succeed({
      target,
      call: (prompt) => ({ name: "test", arguments: { prompt } }),
      read: ({ content }) => Effect.succeed({ content: content?.[0]?.text ?? "", isError: false, threadId: "one" }),
      interrupted: () => "one",
    }),
}

/** A session whose policy approves, and the requests that the policy received. */
const session = Effect.fnUntraced(function* (answer: HttpServer.Answer, limits: McpConnectionConfig.McpLimits = {}) {
  const asked: Array<string> = []
  const server = yield* HttpServer.start(answer)
  const adapter = yield* SdkMcpClient.make(profile, {
    approvals: ({ message }, { sessionId }) => {
      asked.push(`${sessionId} ${message}`)
      return Effect.succeed(McpApproval.approve)
    },
  })
  const open = adapter.openSession(McpConnectionConfig.streamableHttp({ url: server.url, ...limits }))
  const id = yield* open
  const ask = Effect.map(adapter.execute(id, { content: "Go" }), ({ content }) => content)
  return { server, adapter, asked, open, id, ask }
})

const gets = ({ asked }: { readonly asked: ReadonlyArray<HttpServer.Asked> }) =>
  asked.filter(({ method }) => method === "GET")

const stream = (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
  return response
}
const event = (message: object, id?: string) =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`
const question = (id: string) => ({
  id,
  method: "elicitation/create",
  params: elicitation({ kind: "command", message: id, command: "x" }),
})

/** A server that requests an approval on the GET stream once it is open, and answers its call after the decision. */
const asking = (
  get: (response: ServerResponse, asked: HttpServer.Asked, turn: number) => ServerResponse | undefined,
) => {
  let turn = 0
  let own: ServerResponse | undefined
  let call: readonly [HttpServer.Asked, ServerResponse] | undefined
  const answers: Array<unknown> = []
  const say = () => {
    if (own !== undefined && call !== undefined && !own.destroyed) own.write(event(question(`q${turn}`), `e${turn}`))
  }
  const answer: HttpServer.Answer = (asked, response) => {
    if (asked.method === "GET") {
      own = get(response, asked, turn++)
      say()
      return true
    }
    if (HttpServer.isCall(asked)) {
      call = [asked, response]
      say()
      return true
    }
    if (asked.method !== "POST" || asked.body.method !== undefined) return undefined
    answers.push(asked.body)
    response.writeHead(202).end()
    if (call === undefined) return true
    call[1]
      .setHeader("content-type", "application/json")
      .end(HttpServer.message(call[0], { result: HttpServer.result("done") }))
    call = undefined
    return true
  }
  return { answer, answers }
}

interface Refusing {
  readonly status: number
  readonly versions: ReadonlyArray<string>
  /** Whether the connection of the GET ends after the answer. */
  readonly ends: boolean
}

/** A server that refuses the stream, and answers the first call after that. */
const refusing = ({ ends = false, status = 405, versions = [] }: Partial<Refusing>): HttpServer.Answer => {
  const refused = Promise.withResolvers<void>()
  let opened = 0
  return (asked, response) => {
    const { socket } = response
    if (asked.method === "GET") {
      if (ends) socket?.on("close", () => refused.resolve())
      response.writeHead(status).end(() => (ends ? socket?.end() : refused.resolve()))
      return true
    }
    const version = asked.body.method === "initialize" ? versions[opened++] : undefined
    if (version === undefined && !HttpServer.isCall(asked)) return undefined
    const serverInfo = { ...HttpServer.initialized.serverInfo, version }
    const result = version === undefined ? HttpServer.result("well") : { ...HttpServer.initialized, serverInfo }
    const answer = () =>
      response.setHeader("content-type", "application/json").end(HttpServer.message(asked, { result }))
    if (version === undefined) refused.promise.then(answer)
    else answer()
    return true
  }
}

describe("the server's own stream (MCP 2025-11-25, transports; promises 17 and 23)", () => {
  test.live("is requested before the call, and the policy decides an approval request on it once", function* () {
    const { answer, answers } = asking(stream)
    const { ask, asked, id, server } = yield* session(answer, { idleTimeout: "1 minute" })
    assert.strictEqual(yield* ask, "done")
    assert.deepStrictEqual(asked, [`${id} q1`])
    assert.deepStrictEqual(answers, [{ jsonrpc: "2.0", id: "q1", result: { action: "accept", content: {} } }])
    const methods = server.asked.map(({ body, method }) => body.method ?? method)
    assert.isBelow(methods.indexOf("GET"), methods.indexOf("tools/call"))
    const [get] = gets(server)
    assert.strictEqual(get?.headers["mcp-session-id"], "session-1")
    assert.strictEqual(get?.headers["mcp-protocol-version"], "2025-11-25")
    assert.include(get?.headers.accept, "text/event-stream")
  })

  const refusals: ReadonlyArray<readonly [what: string, (response: ServerResponse) => unknown]> = [
    ...[400, 401, 403, 404, 405, 406, 501].map(
      (status) => [`answers ${status}`, (response: ServerResponse) => response.writeHead(status).end()] as const,
    ),
    ["redirects", (response) => response.writeHead(307, { location: "http://127.0.0.1:9/" }).end()],
    ["answers with HTML", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>")],
    ["answers without a body", (response) => response.writeHead(204).end()],
  ]
  test.live.each(refusals)("is requested once per session if the server %s, and no call fails", function* ([, refuse]) {
    const { adapter, id, server } = yield* session((asked, response) => {
      if (asked.method !== "GET") return undefined
      refuse(response)
      return true
    })
    for (let turn = 0; turn < 3; turn++) yield* adapter.execute(id, { content: "Go" })
    assert.strictEqual(gets(server).length, 1)
  })

  const nextSessions: ReadonlyArray<readonly [count: number, what: string, how: Partial<Refusing>]> = [
    [1, "is not requested by the next session of a client after an answer 405", {}],
    [2, "is requested by the next session if the refusal may depend on the session", { status: 404 }],
    [2, "is requested by the next session if the server has another version", { versions: ["1", "2"] }],
    [2, "is requested by the next session if the server has ended a connection, as at a restart", { ends: true }],
  ]
  test.live.each(nextSessions)("%i: %s", function* ([count, , how]) {
    const { adapter, ask, open, server } = yield* session(refusing(how))
    yield* ask
    yield* adapter.execute(yield* open, { content: "Go" })
    assert.strictEqual(gets(server).length, count)
  })

  test.live.each([
    [
      "answers 409, because it has not noticed the end of the last stream",
      (r: ServerResponse) => r.writeHead(409).end(),
    ],
    ["answers 503", (r: ServerResponse) => r.writeHead(503).end()],
    ["ends the stream immediately", (r: ServerResponse) => stream(r).end()],
    ["breaks the stream off", (r: ServerResponse) => stream(r).write(":\n\n", () => r.destroy())],
  ] as const)("is requested again in the same turn, 100 ms later, if the server %s", function* ([, refuse]) {
    const at: Array<number> = []
    const { answer } = asking((response, _, turn) => {
      at.push(performance.now())
      if (turn > 0) return stream(response)
      refuse(response)
      return undefined
    })
    const { ask, asked, server } = yield* session(answer, { idleTimeout: "1 minute" })
    assert.strictEqual(yield* ask, "done")
    assert.strictEqual(asked.length, 1)
    assert.strictEqual(gets(server).length, 2)
    // A timer may fire slightly early by another clock.
    assert.isAtLeast((at[1] ?? 0) - (at[0] ?? 0), 90)
  })

  test.live("is resumed from its last event when it ended in the middle of a turn", function* () {
    const { answer } = asking((response, _, turn) => {
      if (turn > 0) return stream(response)
      stream(response).end("id: e-7\ndata:\n\n")
      return undefined
    })
    const { ask, server } = yield* session(answer, { idleTimeout: "1 minute" })
    assert.strictEqual(yield* ask, "done")
    assert.deepStrictEqual(
      gets(server).map(({ headers }) => headers["last-event-id"]),
      [undefined, "e-7"],
    )
  })

  test.live("delays no call if it never begins, and is closed with the session", function* () {
    const gone = Promise.withResolvers<void>()
    const { adapter, id, server } = yield* session((asked, response) => {
      if (asked.method !== "GET") return undefined
      response.on("close", () => gone.resolve())
      return true
    })
    yield* adapter.execute(id, { content: "Go" })
    yield* adapter.closeSession(id)
    yield* soon(Effect.promise(() => gone.promise))
    assert.strictEqual(gets(server).length, 1)
  })

  test.live(
    "serves consecutive turns, and is closed soon after the last one, while the session stays open",
    function* () {
      const gone = Promise.withResolvers<void>()
      const { adapter, id, server } = yield* session((asked, response) => {
        if (asked.method !== "GET") return undefined
        stream(response).on("close", () => gone.resolve())
        return true
      })
      for (let turn = 0; turn < 5; turn++) yield* adapter.execute(id, { content: "Go" })
      assert.strictEqual(gets(server).length, 1)
      yield* soon(Effect.promise(() => gone.promise))
      yield* adapter.execute(id, { content: "Go" })
      yield* adapter.closeSession(id)
      assert.strictEqual(server.asked.at(-1)?.method, "DELETE")
    },
  )
})
