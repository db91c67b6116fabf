import type * as FakePeer from "@zain/contract-tests/FakePeer"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { ask, untilAnswered, withServed } from "./RawHttp.ts"

const run = Effect.runPromise
const sse = { transport: "sse" } as const

const call = (id: number, prompt: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "codex", arguments: { prompt } },
})

/** An open stream, and a way to write. */
const open = async ({ serverUrl }: FakePeer.InProcess["config"]) => {
  const stream = await ask("GET", serverUrl)
  const endpoint = await stream.event()
  const to = new URL(endpoint?.data ?? "", serverUrl).href
  return { stream, endpoint, post: (body: unknown) => ask("POST", to, { body }) }
}

describe("a fake over SSE", () => {
  it("says first where to write, and answers on the stream, events first", () =>
    withServed(sse, async ({ config }) => {
      const { endpoint, post, stream } = await open(config)
      expect(endpoint).toMatchObject({ event: "endpoint", data: expect.stringMatching(/^\/message\?sessionId=.{36}$/) })
      expect((await post(call(1, "⟦zain:events#e 2 p⟧"))).status).toBe(202)
      const heard = await untilAnswered(stream, 1)
      expect(heard.length).toBeGreaterThan(2)
      expect(JSON.stringify(heard.at(-1))).toContain("p1 p2")
      stream.close()
    }))

  it("sees a cancel", () =>
    withServed(sse, async ({ config, peer }) => {
      const { post, stream } = await open(config)
      await post(call(1, "⟦zain:hang#h⟧"))
      await post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
      await run(peer.cancelled("⟦zain:hang#h⟧"))
      stream.close()
    }))

  it("ends a session with its stream, and names it until then", () =>
    withServed(sse, async ({ config, connections, peer }) => {
      const { post, stream } = await open(config)
      expect(await run(peer.leftovers)).toEqual(["GET /sse under way", expect.stringMatching(/^session /)])
      stream.close()
      expect(await run(peer.leftovers)).toEqual([])
      expect(await run(connections)).toEqual([])
      expect((await post(call(1, "hi"))).status).toBe(404)
    }))

  it("dies when it is told to: the stream breaks off, and the session is unknown", () =>
    withServed(sse, async ({ config, peer }) => {
      const { post, stream } = await open(config)
      expect((await post(call(1, "⟦zain:exit⟧"))).status).toBe(202)
      expect(await untilAnswered(stream, 1)).not.toContainEqual(expect.objectContaining({ id: 1 }))
      expect((await post(call(2, "hi"))).status).toBe(404)
      expect(await run(peer.leftovers)).toEqual([])
    }))

  it("refuses what is no message, and what is sent elsewhere", () =>
    withServed(sse, async ({ config }) => {
      const { post, stream } = await open(config)
      expect((await post("{")).status).toBe(400)
      expect((await ask("POST", config.serverUrl, { body: call(1, "hi") })).status).toBe(404)
      stream.close()
    }))

  it("that is silent says where to write, takes what is written, and says nothing more", () =>
    withServed(sse, async ({ peer, silent }) => {
      const { post, stream } = await open(silent)
      expect((await post({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} })).status).toBe(202)
      expect(await Promise.race([stream.event(), run(peer.leftovers)])).toHaveLength(2)
      stream.close()
    }))
})
