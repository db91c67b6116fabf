/** What fakes over HTTP reject, and what they report as left: the contract suite relies on it, and does not test it. */
import { once } from "node:events"
import { type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http"
import { text } from "node:stream/consumers"
import { fakeCodex } from "@zain/codex-client/fake"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"

const run = Effect.runPromise

/** Runs with a fake agent on a port of its own. */
const withServed = (options: FakePeer.ServeOptions, use: (fake: FakePeer.Served) => Promise<void>) =>
  run(Effect.scoped(Effect.flatMap(FakePeer.serve(fakeCodex, options), (fake) => Effect.promise(() => use(fake)))))

/** Sends a request on a new connection. A body that is no text is sent as JSON. */
const ask = async (method: string, url: string, body?: unknown, headers: OutgoingHttpHeaders = {}) => {
  const sent = request(url, { method, headers, agent: false })
  sent.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body))
  const [answer] = (await once(sent, "response")) as [IncomingMessage]
  return answer
}

const call = (id: number, prompt: string) => ({
  ...{ jsonrpc: "2.0", id, method: "tools/call" },
  params: { name: "codex", arguments: { prompt } },
})

describe("a fake over Streamable HTTP", () => {
  const events = { transport: "streamable-http" } as const
  const version = "2025-11-25"
  const usual = { "content-type": "application/json", accept: "application/json, text/event-stream" }

  /** Opens a session; returns functions that send its requests. */
  const open = async ({ config: { serverUrl } }: FakePeer.InProcess) => {
    const initialize = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: version } }
    const answer = await ask("POST", serverUrl, initialize, usual)
    await text(answer)
    const headers = { ...usual, "mcp-session-id": answer.headers["mcp-session-id"], "mcp-protocol-version": version }
    return {
      post: (body: unknown, others = {}) => ask("POST", serverUrl, body, { ...headers, ...others }),
      end: () => ask("DELETE", serverUrl, undefined, headers),
    }
  }

  it("names open requests and open connections, and none that was closed", () =>
    withServed(events, async (fake) => {
      const { end, post } = await open(fake)
      const hanging = await post(call(1, "⟦zain:hang#h⟧"))
      const kept = request(fake.config.serverUrl, { method: "POST" }).on("error", () => {})
      kept.flushHeaders()
      await run(fake.peer.received("⟦zain:hang#h⟧"))
      await end()
      hanging.destroy()
      expect(await run(fake.peer.leftovers)).toEqual(["POST /mcp under way"])
      expect(await run(fake.connections)).toEqual([expect.stringMatching(/^connection from port \d+$/)])
      kept.destroy()
      expect(await run(fake.peer.leftovers)).toEqual([])
      expect(await run(fake.connections)).toEqual([])
    }))

  const ping = { jsonrpc: "2.0", id: 1, method: "ping" }
  it.each([
    [404, "another session", ping, { "mcp-session-id": "00000000-0000-4000-8000-000000000000" }],
    [400, "no session", ping, { "mcp-session-id": "" }],
    [400, "another protocol version", ping, { "mcp-protocol-version": "2024-11-05" }],
    [415, "a body with another content type", ping, { "content-type": "text/plain" }],
    [406, "a client that does not accept events", ping, { accept: "application/json" }],
    [400, "a body that is no JSON", "{", {}],
    [400, "a batch", [ping], {}],
  ])("rejects with %d %s", (status, _, body, headers) =>
    withServed(events, async (fake) => {
      const answer = await (await open(fake)).post(body, headers)
      expect([answer.statusCode, JSON.parse(await text(answer))]).toMatchObject([status, { error: { code: -32000 } }])
    }),
  )

  it.each([
    ["GET", "", 405],
    ["PUT", "", 405],
    ["POST", "/elsewhere", 404],
  ])("rejects %s %s with %d", (method, path, status) =>
    withServed(events, async ({ config }) => {
      expect((await ask(method, `${config.serverUrl}${path}`)).statusCode).toBe(status)
    }),
  )
})

describe("a fake over SSE", () => {
  /** Opens a stream; returns a function that posts. */
  const open = async ({ config: { serverUrl } }: FakePeer.InProcess) => {
    const stream = await ask("GET", serverUrl)
    const [first] = (await once(stream.setEncoding("utf8"), "data")) as [string]
    const [, endpoint = ""] = /data: (.*)/.exec(first) ?? []
    return { stream, post: (body: unknown) => ask("POST", new URL(endpoint, serverUrl).href, body) }
  }

  it("ends a session with its stream, and names it until then", () =>
    withServed({ transport: "sse" }, async (fake) => {
      const { post, stream } = await open(fake)
      expect(await run(fake.peer.leftovers)).toEqual(["GET /sse under way", expect.stringMatching(/^session /)])
      stream.destroy()
      expect(await run(fake.peer.leftovers)).toEqual([])
      expect(await run(fake.connections)).toEqual([])
      expect((await post(call(1, "hi"))).statusCode).toBe(404)
    }))

  it("rejects bodies that are no messages, and requests to other paths", () =>
    withServed({ transport: "sse" }, async (fake) => {
      const { post, stream } = await open(fake)
      expect((await post("{")).statusCode).toBe(400)
      expect((await ask("POST", fake.config.serverUrl, call(1, "hi"))).statusCode).toBe(404)
      stream.destroy()
    }))
})
