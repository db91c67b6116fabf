import { fakeCodex } from "@zain/codex-client/fake"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { type RawClient, withFake } from "./RawClient.ts"

const textOf = (result: unknown) => (result as { content: ReadonlyArray<{ text: string }> }).content[0]?.text
const threadOf = (result: unknown) => (result as { structuredContent: { threadId: string } }).structuredContent.threadId

const start = async (client: RawClient, id = 1) => threadOf((await client.call(id, "codex", { prompt: "hi" })).result)

it("the fake Codex answers one handshake, with any protocol version", () =>
  withFake(fakeCodex, async ({ request }) => {
    const { result } = await request(1, "initialize", { protocolVersion: "2099-01-01" })
    expect(result).toMatchObject({
      protocolVersion: "2099-01-01",
      serverInfo: { name: "codex-mcp-server", version: "0.153.4" },
    })
    expect((await request(2, "initialize")).error).toMatchObject({ code: -32600 })
    expect((await request(3, "tools/list")).result).toMatchObject({
      tools: [{ name: "codex" }, { name: "codex-reply" }],
    })
    expect((await request(4, "no/such")).error).toMatchObject({ code: -32601 })
  }))

it("the fake Codex never answers `prompts/list`", () =>
  withFake(fakeCodex, async ({ request, seen, settle }) => {
    void request(1, "prompts/list")
    await settle()
    expect(seen.some(({ id }) => id === 1)).toBe(false)
  }))

it.each([
  ["no-such-tool", { prompt: "x" }, "Unknown tool 'no-such-tool'"],
  ["codex", { prompt: "x", bogus: 1 }, "Failed to parse configuration for Codex tool: unknown field `bogus`"],
  ["codex", {}, "Failed to parse configuration for Codex tool: missing field `prompt`"],
  ["codex-reply", { prompt: "x" }, "Failed to parse thread_id: missing"],
  ["codex-reply", { prompt: "x", threadId: "missing" }, "Session not found for thread_id: missing"],
  ["codex", { prompt: "⟦zain:fail no luck⟧" }, "no luck"],
])("the fake Codex answers %s with %j by a result with isError", (name, args, text) =>
  withFake(fakeCodex, async ({ call }) => {
    const { result } = await call(1, name, args)
    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).toBe(text)
  }),
)

it("the fake Codex does not answer a cancelled call, and answers it with the thread's next answer", () =>
  withFake(fakeCodex, async (client, { peer }) => {
    const { call, seen, send, settle } = client
    const threadId = await start(client)
    void call(2, "codex-reply", { threadId, prompt: "⟦zain:hang#h⟧" })
    await settle()
    send({ method: "notifications/cancelled", params: { requestId: 2 } })
    await Effect.runPromise(peer.cancelled("h"))
    await settle()
    expect(seen.some(({ id }) => id === 2)).toBe(false)
    void call(3, "codex-reply", { threadId, prompt: "⟦zain:say#n next⟧" })
    await settle()
    expect(seen.some(({ id }) => id === 3)).toBe(false)
    expect(textOf(seen.find(({ id }) => id === 2)?.result)).toBe("next")
  }))

it("the fake Codex answers every call one call late after a failed turn", () =>
  withFake(fakeCodex, async (client) => {
    const threadId = await start(client)
    const reply = async (id: number, prompt: string) =>
      textOf((await client.call(id, "codex-reply", { threadId, prompt })).result)
    expect(await reply(2, "⟦zain:fail no luck⟧")).toBe("no luck")
    expect(await reply(3, "⟦zain:say#a first⟧")).toBe("")
    expect(await reply(4, "⟦zain:say#b second⟧")).toBe("first")
  }))

it("the fake Codex does not answer the second of two concurrent calls on one thread", () =>
  withFake(fakeCodex, async (client) => {
    const threadId = await start(client)
    void client.call(2, "codex-reply", { threadId, prompt: "⟦zain:hang#h⟧" })
    void client.call(3, "codex-reply", { threadId, prompt: "⟦zain:say#n next⟧" })
    await client.settle()
    expect(client.seen.some(({ id }) => id === 3)).toBe(false)
  }))

it.each([{ error: { code: -32601, message: "Method not found" } }, { result: { decision: "abort" } }])(
  "the fake Codex hangs after the approval %j",
  (answer) =>
    withFake(fakeCodex, async (client) => {
      void client.call(1, "codex", { prompt: "⟦zain:approve⟧" })
      await client.settle()
      expect(client.seen.find(({ method }) => method === "elicitation/create")).toMatchObject({ id: 0 })
      client.send({ id: 0, ...answer })
      await client.settle()
      expect(client.seen.some(({ id, method }) => id === 1 && method === undefined)).toBe(false)
    }),
)
