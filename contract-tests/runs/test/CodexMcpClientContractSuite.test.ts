import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CodexMcpClientAdapter } from "@zain/codex-client"
import { fakeCodex } from "@zain/codex-client/fake"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import { run } from "@zain/contract-tests/VitestRunner"
import { McpConnectionConfig, McpProvider } from "@zain/core"
import { afterAll } from "vitest"

const fake = FakePeer.inMemory(fakeCodex)

run({
  ...fake,
  name: "Codex, a fake in memory",
  provider: McpProvider.codex,
  make: CodexMcpClientAdapter.make({ profile: "native", connect: fake.connect }),
})

const directory = mkdtempSync(join(tmpdir(), "zain-contract-"))
const log = join(directory, "codex.log")
afterAll(() => rmSync(directory, { recursive: true }))

run({
  name: "Codex, a fake over stdio",
  provider: McpProvider.codex,
  make: CodexMcpClientAdapter.make({ profile: "native" }),
  config: McpConnectionConfig.stdio(FakePeer.command(fakeCodex, { log })),
  unreachable: McpConnectionConfig.stdio({ command: "/nowhere/codex", args: ["mcp-server"] }),
  silent: McpConnectionConfig.stdio(FakePeer.command(fakeCodex, { log, silent: true })),
  peer: FakePeer.observe(log),
  cannot: FakePeer.forgets,
})
