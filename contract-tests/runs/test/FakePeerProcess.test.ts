import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { text } from "node:stream/consumers"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import { fakeCodex } from "@zain/codex-client/fake"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import * as Effect from "effect/Effect"
import { afterAll, expect, it } from "vitest"

const directory = mkdtempSync(join(tmpdir(), "zain-fake-"))
afterAll(() => rmSync(directory, { recursive: true }))

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const start = ({ args, command, env }: FakePeer.Command, extra: ReadonlyArray<string> = []): Child =>
  spawn(command, [...args, ...extra], { env, stdio: ["pipe", "pipe", "pipe"] })

const write = (child: Child, ...messages: ReadonlyArray<unknown>) => {
  for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`)
}

const call = (prompt: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "codex", arguments: { prompt } },
})

const statusOf = async (child: Child) => {
  const [status, signal] = (await once(child, "close")) as [number | null, string | null]
  return signal ?? status
}

it("says which version it pretends to be", async () => {
  expect(await text(start(FakePeer.command(fakeCodex), ["--version"]).stdout)).toBe("codex-cli 0.153.4\n")
  expect(await text(start(FakePeer.command(fakeClaudeCode), ["--version"]).stdout)).toBe("2.1.329 (Claude Code)\n")
})

it("answers line by line, ignores noise, and ends with its input", async () => {
  const child = start(FakePeer.command(fakeCodex))
  child.stdin.write("noise\n")
  write(child, { jsonrpc: "2.0", id: 1, method: "ping" })
  child.stdin.end()
  const [printed, status] = await Promise.all([text(child.stdout), statusOf(child)])
  expect(printed).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n')
  expect(status).toBe(0)
})

it("dies in the middle of a call when it is told to", async () => {
  const child = start(FakePeer.command(fakeCodex))
  write(child, call("⟦zain:exit⟧"))
  const [complaint, status] = await Promise.all([text(child.stderr), statusOf(child)])
  expect(complaint).toBe("fatal: told to exit\n")
  expect(status).toBe(42)
})

it("does not end with its input while a call is under way", async () => {
  const log = join(directory, "hang.log")
  const peer = FakePeer.observe(log)
  const child = start(FakePeer.command(fakeCodex, { log }))
  write(child, call("⟦zain:hang#h1⟧"))
  child.stdin.end()
  await Effect.runPromise(peer.received("h1"))
  expect(child.exitCode).toBe(null)
  expect(await Effect.runPromise(peer.leftovers)).toEqual([`process ${child.pid}`])
  const ended = statusOf(child)
  child.kill("SIGTERM")
  expect(await ended).toBe("SIGTERM")
  expect(await Effect.runPromise(peer.leftovers)).toEqual([])
})

it("is observed by whoever comes, before or after", async () => {
  const log = join(directory, "observed.log")
  const early = FakePeer.observe(log)
  const received = Effect.runPromise(early.received("h2"))
  const cancelled = Effect.runPromise(early.cancelled("h2"))
  const child = start(FakePeer.command(fakeCodex, { log }))
  write(child, call("⟦zain:hang#h2⟧"))
  await received
  write(child, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
  await cancelled
  const late = FakePeer.observe(log)
  await Effect.runPromise(Effect.andThen(late.received("h2"), late.cancelled("h2")))
  expect(await Effect.runPromise(late.count("h2"))).toBe(1)
  expect(await Effect.runPromise(late.count(""))).toBe(1)
  child.stdin.end()
  expect(await statusOf(child)).toBe(0)
})

it("says nothing at all when it is to be silent", async () => {
  const child = start(FakePeer.command(fakeClaudeCode, { silent: true }))
  write(child, { jsonrpc: "2.0", id: 1, method: "initialize", params: {} })
  child.stdin.end()
  expect(await text(child.stdout)).toBe("")
})
