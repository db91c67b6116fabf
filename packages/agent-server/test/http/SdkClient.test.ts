import { assert, describe } from "@effect/vitest"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import * as HttpServe from "@zain/tool-server/http/HttpServe"
import { Effect, Fiber, Redacted } from "effect"
import { test } from "../../../core/test/Test.ts"
import { eventually } from "../../../tool-server/test/TestServer.ts"
import * as AgentServer from "../../src/AgentServer.ts"
import * as Clients from "../Clients.ts"
import * as InMemoryAgent from "../InMemoryAgent.ts"

const token = "a-token-of-24-characters"
const requestInit = { headers: { authorization: `Bearer ${token}` } }

const transports = {
  http: (url: URL) => new StreamableHTTPClientTransport(url, { requestInit }) as Transport,
  sse: (url: URL) => new SSEClientTransport(url, { requestInit }) as Transport,
}

/** The official client of a front that requires a token. */
const client = Effect.fnUntraced(function* (kind: "http" | "sse", options: Clients.Options = {}) {
  const agent = InMemoryAgent.make()
  const server = AgentServer.make(agent, { version: "0" })
  const tokens = [{ value: Redacted.make(token) }]
  const { url } = yield* HttpServe.serve({ server, kind, host: "127.0.0.1", port: 0, tokens })
  return { seen: agent.seen, ...(yield* Clients.connect(transports[kind](new URL(url)), options)) }
})

const contentOf = (result: { readonly structuredContent?: Record<string, unknown> | undefined }) =>
  result.structuredContent?.["content"]

describe.each(["http", "sse"] as const)("the official SDK's client over %s", (kind) => {
  test.live("lists the tools, calls one, and continues the thread", function* () {
    const { call, sdk } = yield* client(kind)
    const { tools } = yield* Effect.promise(() => sdk.listTools())
    assert.deepStrictEqual(
      tools.map(({ name }) => name),
      ["memory", "memory-reply"],
    )
    const first = yield* call("memory", { prompt: "say hello" })
    const threadId = first.structuredContent?.["threadId"]
    assert.strictEqual(contentOf(yield* call("memory-reply", { threadId, prompt: "earlier" })), "say hello")
  })

  test.live("receives the agent's progress, and approves its request", function* () {
    const { asked, call, received } = yield* client(kind, {
      capabilities: { elicitation: {} },
      answer: () => ({ action: "accept" as const }),
    })
    const result = yield* call("memory", { prompt: "say one two\nask now" }, { progressToken: "p" })
    assert.match(String(contentOf(result)), /Approve/)
    assert.strictEqual(asked.length, 1)
    assert.isAbove(received.filter(({ method }) => method === "notifications/progress").length, 2)
  })

  test.live("cancels a call, and continues its thread", function* () {
    const { call, seen, received } = yield* client(kind, { capabilities: { experimental: { "zain/events": {} } } })
    const turn = yield* Effect.forkChild(call("memory", { prompt: "stay" }))
    const threadId = () => /"threadId":"([^"]*)"/.exec(JSON.stringify(received))?.[1]
    yield* eventually(() => seen.working === 1 && threadId() !== undefined)
    yield* Fiber.interrupt(turn)
    yield* eventually(() => seen.interrupted.length === 1)
    const next = yield* call("memory-reply", { threadId: threadId(), prompt: "earlier" })
    assert.strictEqual(contentOf(next), "stay")
  })
})
