import { request } from "node:http"
import type * as FakePeer from "@zain/contract-tests/FakePeer"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { ask, type RawAnswer, untilAnswered, withServed } from "./RawHttp.ts"

type Headers = Readonly<Record<string, string>>

const usual: Headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
const version = "2025-11-25"
const run = Effect.runPromise

const initialize = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: version } }
const call = (id: number, prompt: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "codex", arguments: { prompt } },
})

const post = (url: string, body: unknown, headers: Headers = {}) =>
  ask("POST", url, { body, headers: { ...usual, ...headers } })

const nobody = "00000000-0000-4000-8000-000000000000"

/** An open session: the headers that its requests need, and ways to make them. */
const open = async ({ config: { serverUrl } }: FakePeer.InProcess) => {
  const answer = await post(serverUrl, initialize)
  await answer.rest()
  const headers = { "mcp-session-id": answer.header("mcp-session-id") ?? "", "mcp-protocol-version": version }
  return {
    id: headers["mcp-session-id"],
    post: (body: unknown, others: Headers = {}): Promise<RawAnswer> => post(serverUrl, body, { ...headers, ...others }),
    end: (others: Headers = {}) => ask("DELETE", serverUrl, { headers: { ...headers, ...others } }),
  }
}

const events = { transport: "streamable-http" } as const
const json = { ...events, replies: "json" } as const

describe("a fake over Streamable HTTP", () => {
  it("gives every session an id of its own, and forgets it on DELETE", () =>
    withServed(events, async (fake) => {
      const [one, two] = [await open(fake), await open(fake)]
      expect(one.id).toMatch(/^[0-9a-f-]{36}$/)
      expect(two.id).not.toBe(one.id)
      expect(await run(fake.peer.leftovers)).toEqual([`session ${one.id}`, `session ${two.id}`])
      for (const { end } of [one, two]) expect((await end()).status).toBe(200)
      expect((await one.end()).status).toBe(404)
      expect(await run(fake.peer.leftovers)).toEqual([])
    }))

  it("tells the events of a call on the call's own stream, before its result, and ends it", () =>
    withServed(events, async (fake) => {
      const { post } = await open(fake)
      const [one, two] = [await post(call(1, "⟦zain:hang#h⟧")), await post(call(2, "⟦zain:events#e 2 p⟧"))]
      expect(two.header("content-type")).toBe("text/event-stream")
      const heard = await untilAnswered(two, 2)
      expect(heard.filter(({ method }) => method === "codex/event")).toHaveLength(heard.length - 1)
      expect(JSON.stringify(heard.at(-1))).toContain("p1 p2")
      expect(await two.event()).toBeUndefined()
      one.close()
    }))

  it("asks on the call's stream, and goes on when it is answered by a POST", () =>
    withServed(events, async (fake) => {
      const { post } = await open(fake)
      const asking = await post(call(1, "⟦zain:approve⟧"))
      const asked = async () => {
        for (;;) {
          const next = await asking.event()
          if (next?.data.includes("elicitation/create") !== false) return next
        }
      }
      expect(JSON.parse((await asked())?.data ?? "{}")).toMatchObject({ id: 0, method: "elicitation/create" })
      const answered = await post({ jsonrpc: "2.0", id: 0, result: { decision: "approved" } })
      expect(answered.status).toBe(202)
      expect(JSON.stringify(await untilAnswered(asking, 1))).toContain("approved: ")
    }))

  it("takes notifications with 202, and a cancel is seen", () =>
    withServed(events, async (fake) => {
      const { post } = await open(fake)
      const hanging = await post(call(1, "⟦zain:hang#h⟧"))
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }
      const { rest, status } = await post(cancel)
      expect([status, await rest()]).toEqual([202, ""])
      await run(fake.peer.cancelled("⟦zain:hang#h⟧"))
      hanging.close()
    }))

  it("names a request that is under way, and a connection that is open, and none that was closed", () =>
    withServed(events, async (fake) => {
      const { end, post } = await open(fake)
      const hanging = await post(call(1, "⟦zain:hang#h⟧"))
      const kept = request(fake.config.serverUrl, { method: "POST" }).on("error", () => {})
      kept.flushHeaders()
      await run(fake.peer.received("⟦zain:hang#h⟧"))
      await end()
      hanging.close()
      expect(await run(fake.peer.leftovers)).toEqual(["POST /mcp under way"])
      expect(await run(fake.connections)).toEqual([expect.stringMatching(/^connection from port \d+$/)])
      kept.destroy()
      expect(await run(fake.peer.leftovers)).toEqual([])
      expect(await run(fake.connections)).toEqual([])
    }))

  it("dies when it is told to: the call's stream breaks off, and the session is unknown", () =>
    withServed(events, async (fake) => {
      const { post } = await open(fake)
      const dying = await post(call(1, "⟦zain:exit⟧")).catch(() => undefined)
      expect(dying === undefined ? [] : await untilAnswered(dying, 1)).not.toContainEqual(
        expect.objectContaining({ id: 1 }),
      )
      expect((await post({ jsonrpc: "2.0", id: 2, method: "ping" })).status).toBe(404)
      expect(await run(fake.peer.leftovers)).toEqual([])
    }))

  const ping = { jsonrpc: "2.0", id: 1, method: "ping" }
  it.each([
    [404, "another session", ping, { "mcp-session-id": nobody }],
    [400, "no session", ping, { "mcp-session-id": "" }],
    [400, "another protocol version", ping, { "mcp-protocol-version": "2024-11-05" }],
    [415, "a body that is not called JSON", ping, { "content-type": "text/plain" }],
    [406, "a client that takes no events", ping, { accept: "application/json" }],
    [400, "a body that is no JSON", "{", {}],
    [400, "a batch", [ping], {}],
  ])("refuses with %d: %s", (status, _, body, headers) =>
    withServed(events, async (fake) => {
      const { post } = await open(fake)
      const answer = await post(body, headers)
      expect([answer.status, JSON.parse(await answer.rest())]).toMatchObject([status, { error: { code: -32000 } }])
    }),
  )

  it.each([
    ["GET", "", 405],
    ["PUT", "", 405],
    ["POST", "/elsewhere", 404],
  ])("refuses %s %s with %d", (method, path, status) =>
    withServed(events, async ({ config }) => {
      expect((await ask(method, `${config.serverUrl}${path}`)).status).toBe(status)
    }),
  )

  it("that is silent takes everything and answers nothing", () =>
    withServed(events, async (fake) => {
      const { peer, silent } = fake
      const sent = request(silent.serverUrl, { method: "POST", headers: usual, agent: false }).on("error", () => {})
      const answered = new Promise((resolve) => sent.once("response", () => resolve("an answer")))
      sent.end(JSON.stringify(initialize))
      // Whatever comes first is heard first.
      await (await open(fake)).end()
      expect(await Promise.race([answered, run(peer.leftovers)])).toEqual(["POST /silent under way"])
      sent.destroy()
    }))

  it("that replies with JSON answers with the result and nothing else", () =>
    withServed(json, async (fake) => {
      const { post } = await open(fake)
      const answer = await post(call(2, "⟦zain:events#e 2 p⟧"))
      expect(answer.header("content-type")).toBe("application/json")
      expect(JSON.parse(await answer.rest())).toMatchObject({ id: 2, result: { content: [{ text: "p1 p2" }] } })
    }))
})
