import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fakeCodex } from "@zain/codex-client/fake"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import * as Effect from "effect/Effect"
import { afterAll, expect, it } from "vitest"
import { agents } from "./Agents.ts"
import * as Lines from "./Lines.ts"

const directory = mkdtempSync(join(tmpdir(), "zain-fake-"))
afterAll(() => rmSync(directory, { recursive: true }))

const start = ({ args, command, env }: FakePeer.Command) => Lines.start(command, args, directory, env)

it.each(agents)("the fake MCP server of $name prints its agent's version for `--version`", async ({ dialect }) => {
  const { args, command } = FakePeer.command(dialect)
  const shell = Lines.start("/bin/sh", ["-c", `"$0" "$@" --version >&2`, command, ...args], directory)
  expect((await shell.ended).stderr).toBe(`${dialect.server.version}\n`)
})

it("a fake MCP server answers line by line, ignores lines that are no JSON, and ends with its input", async () => {
  const server = start(FakePeer.command(fakeCodex))
  server.raw("noise")
  server.send({ jsonrpc: "2.0", id: 1, method: "ping" })
  expect((await server.end()).status).toBe(0)
  expect(server.seen).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }])
})

it("a fake MCP server does not end with its input while a call runs", async () => {
  const log = join(directory, "hang.log")
  const peer = FakePeer.observe(log)
  const server = start(FakePeer.command(fakeCodex, { log }))
  const params = { name: "codex", arguments: { prompt: "⟦zain:hang#h1⟧" } }
  server.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params })
  const ended = server.end()
  await Effect.runPromise(peer.received("h1"))
  const [running = ""] = await Effect.runPromise(peer.leftovers)
  process.kill(Number(running.replace("process ", "")), "SIGTERM")
  expect((await ended).status).toBe("SIGTERM")
  expect(await Effect.runPromise(peer.leftovers)).toEqual([])
})
