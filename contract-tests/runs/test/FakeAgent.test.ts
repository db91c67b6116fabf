import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import { fakeCodex } from "@zain/codex-client/fake"
import * as FakeAgent from "@zain/contract-tests/FakeAgent"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import * as Lines from "./Lines.ts"

const directory = realpathSync(mkdtempSync(join(tmpdir(), "zain-fake-agent-")))
afterAll(() => rmSync(directory, { recursive: true }))

const codex = Effect.runSync(FakeAgent.install(fakeCodex, directory))
const claude = Effect.runSync(FakeAgent.install(fakeClaudeCode, directory))

type Loose = Readonly<Record<string, unknown>>

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce((inner, key) => (inner as Loose | undefined)?.[key], value)

describe("the fake app-server", () => {
  const start = async () => {
    const lines = Lines.start(codex.command, ["app-server"], directory)
    let ids = 0
    const request = async (method: string, params: Loose = {}) => {
      const id = `r${ids++}`
      lines.send({ id, method, params })
      return await lines.until((message) => message["id"] === id && message["method"] === undefined)
    }
    await request("initialize", { clientInfo: { name: "test", version: "1" } })
    return { ...lines, request }
  }

  const newThread = async ({ request }: Awaited<ReturnType<typeof start>>) =>
    at(await request("thread/start", { cwd: directory }), "result", "thread", "id")

  it("rejects requests before initialize, a second initialize, and unknown methods", async () => {
    const lines = Lines.start(codex.command, ["app-server"], directory)
    for (const [id, method] of ["thread/start", "initialize", "initialize", "tools/list"].entries()) {
      lines.send({ id, method, params: {} })
    }
    lines.raw("noise")
    const last = await lines.until(({ id }) => id === 3)
    expect(at(last, "error", "code")).toBe(-32600)
    expect(lines.seen.map((message) => at(message, "error", "message"))).toEqual([
      "Not initialized",
      undefined,
      "Already initialized",
      "Invalid request: unknown variant `tools/list`",
    ])
    expect((await lines.end()).status).toBe(0)
  })

  it("reports the client's id of a thread's last prompt, also after a restart", async () => {
    const server = await start()
    const threadId = await newThread(server)
    const prompt = { clientUserMessageId: "prompt-1", input: [{ type: "text", text: "⟦zain:hang#k1⟧" }] }
    await server.request("turn/start", { threadId, ...prompt })
    await server.end()
    const next = await start()
    await next.request("thread/resume", { threadId })
    const listed = await next.request("thread/turns/list", { threadId, limit: 1, itemsView: "full" })
    expect(at(listed, "result", "data")).toMatchObject([{ items: [{ type: "userMessage", clientId: "prompt-1" }] }])
    await next.end()
  })
})

describe("the fake claude -p", () => {
  const streams = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
  const start = (...args: ReadonlyArray<string>) => Lines.start(claude.command, [...streams, ...args], directory)
  const ask = (lines: Lines.Lines, content: string) => lines.send({ type: "user", message: { role: "user", content } })

  const awaits = ["--await-initialize", "--initialize-fields=settings"]
  const control = (request_id: string, request: Loose) => ({ type: "control_request", request_id, request })

  it("accepts its settings before anything else, and reports them", async () => {
    const lines = start(...awaits)
    const settings = { permissions: { deny: ["WebFetch"] } }
    lines.send(control("a", { subtype: "initialize", settings }))
    lines.send(control("b", { subtype: "get_settings" }))
    const answer = await lines.until((message) => at(message, "response", "request_id") === "b")
    expect(at(answer, "response", "response", "sources")).toEqual([{ source: "flagSettings", settings }])
    await lines.end()
  })

  it.each([
    ["another message first", awaits, { type: "user", message: { role: "user", content: "Go" } }],
    ["no settings", awaits, control("a", { subtype: "initialize" })],
    ["another field", ["--await-initialize", "--initialize-fields=model"], control("a", { subtype: "initialize" })],
  ])("ends where it awaits settings and gets %s", async (_, flags, message) => {
    const lines = start(...flags)
    lines.send(message)
    expect((await lines.end()).status).toBe(1)
  })

  it("reports the progress of a message with an id", async () => {
    const lines = start()
    lines.send({ type: "user", uuid: "m1", message: { role: "user", content: "⟦zain:say#c10 hi⟧" } })
    await lines.until(({ state }) => state === "completed")
    const kinds = lines.seen.map(({ state, subtype, type }) => state ?? subtype ?? type)
    // It is idle a moment later.
    const shown = kinds.slice(0, kinds.indexOf("completed") + 1)
    expect(shown.filter((kind) => kind !== "stream_event")).toEqual([
      ...["queued", "running", "started", "init", "status", "assistant", "success", "completed"],
    ])
    await lines.end()
  })

  it("finishes a running turn after the end of its input", async () => {
    const lines = start()
    ask(lines, "⟦zain:say#c9 bye⟧")
    expect((await lines.end()).status).toBe(0)
    expect(lines.seen.findLast(({ type }) => type === "result")).toMatchObject({ result: "bye" })
  })
})

it("the fake agents leave no process behind", async () => {
  for (const { peer } of [codex, claude]) expect(await Effect.runPromise(peer.leftovers)).toEqual([])
})
