import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { facts } from "@zain/claude-code-client/ClaudeCodeFacts"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { type RawClient, type Seen, withFake } from "./RawClient.ts"

const textOf = ({ result }: Seen) => (result as { content: ReadonlyArray<{ text: string }> }).content[0]?.text ?? ""
const report = (answer: Seen) => JSON.parse(textOf(answer)) as Record<string, unknown>
const prompt = (text: string) => ({ description: "a turn", prompt: text })

const start = async (client: RawClient, text = "hi") => {
  const answer = report(await client.call(1, "Agent", prompt(text)))
  return { answer, agentId: String(answer["agentId"]) }
}

it("the fake Claude Code answers the handshake with a version that it supports", () =>
  withFake(fakeClaudeCode, async ({ request }) => {
    const serverInfo = { name: "claude/tengu", version: facts.tried.join(".") }
    const known = await request(1, "initialize", { protocolVersion: "2025-06-18" })
    expect(known.result).toMatchObject({ protocolVersion: "2025-06-18", serverInfo })
    const unknown = await request(2, "initialize", { protocolVersion: "1999-01-01" })
    expect(unknown.result).toMatchObject({ protocolVersion: "2025-11-25" })
    expect((await request(3, "prompts/list")).error).toMatchObject({ code: -32601 })
  }))

it("the fake Claude Code reports an agent's text once", () =>
  withFake(fakeClaudeCode, async (client) => {
    const { agentId, answer } = await start(client, "⟦zain:say#a hello⟧")
    expect(answer).toMatchObject({
      status: "completed",
      harnessNoteCount: 0,
      content: [{ type: "text", text: "hello" }],
      usage: { input_tokens: 11, output_tokens: 7 },
    })
    const later = report(await client.call(2, "SendMessage", { to: agentId, message: "⟦zain:say#b secret⟧" }))
    expect(later).toMatchObject({ success: true, inlineHandback: { content: [] } })
    expect(JSON.stringify(later)).not.toContain("secret")
  }))

const inDirectory = async (use: (directory: string) => Promise<void>) => {
  const directory = mkdtempSync(join(tmpdir(), "zain-hooks-"))
  try {
    await use(directory)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

it("the fake Claude Code never receives a prompt that was cancelled while a hook ran", () =>
  inDirectory(async (directory) => {
    const go = join(directory, "go")
    // The first agent's hook waits for the file; the second's runs longer.
    const command = 'if mkdir "$GO.1"; then until [ -e "$GO" ]; do sleep 0.01; done; else sleep 0.1; fi'
    const hook = [{ hooks: [{ type: "command", command }] }]
    await withFake(
      fakeClaudeCode,
      async (client, { peer }) => {
        void client.call(1, "Agent", prompt("⟦zain:hang#early⟧"))
        while (!existsSync(`${go}.1`)) await new Promise((resolve) => setImmediate(resolve))
        client.send({ method: "notifications/cancelled", params: { requestId: 1 } })
        await client.settle()
        writeFileSync(go, "")
        await client.call(2, "Agent", prompt("⟦zain:say#s hi⟧"))
        expect(await Effect.runPromise(peer.count("#early"))).toBe(0)
        expect(await Effect.runPromise(peer.count("#s"))).toBe(1)
      },
      { args: ["--settings", JSON.stringify({ hooks: { SubagentStart: hook } })], env: { GO: go } },
    )
  }))

it("the fake Claude Code reports a truncated answer as completed", () =>
  withFake(fakeClaudeCode, async (client) => {
    const { answer } = await start(client, "⟦zain:partial half⟧")
    expect(answer).toMatchObject({ status: "completed", harnessNoteCount: 2 })
    const [note, , said] = answer["content"] as ReadonlyArray<{ text: string }>
    expect(note?.text).toMatch(/^Agent terminated early due to an API error:/)
    expect(said?.text).toBe("half")
  }))

it("the fake Claude Code does not answer a cancelled call, and accepts the next message", () =>
  withFake(fakeClaudeCode, async (client) => {
    const { agentId } = await start(client)
    void client.call(2, "SendMessage", { to: agentId, message: "⟦zain:hang#h⟧" })
    await client.settle()
    const busy = report(await client.call(3, "SendMessage", { to: agentId, message: "⟦zain:say#x no⟧" }))
    expect(busy).toMatchObject({ success: false, message: expect.stringContaining("already running") })
    client.send({ method: "notifications/cancelled", params: { requestId: 2 } })
    const again = report(await client.call(4, "SendMessage", { to: agentId, message: "⟦zain:say#y yes⟧" }))
    expect(again).toMatchObject({ success: true })
    expect(client.seen.some(({ id }) => id === 2)).toBe(false)
  }))

it("the fake Claude Code rejects unknown tools, unknown agents and empty messages with different errors", () =>
  withFake(fakeClaudeCode, async (client) => {
    const { agentId } = await start(client)
    expect((await client.call(2, "Bash", {})).error).toEqual({ code: -32603, message: "Tool Bash not found" })
    const unknown = report(await client.call(3, "SendMessage", { to: "missing", message: "x" }))
    expect(unknown).toMatchObject({ success: false, message: expect.stringContaining("No transcript found") })
    const empty = await client.call(4, "SendMessage", { to: agentId, message: "" })
    expect(empty.result).toMatchObject({ isError: true })
  }))
