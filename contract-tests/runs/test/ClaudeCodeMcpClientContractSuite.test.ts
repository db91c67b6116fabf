import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ClaudeCodeMcpClientAdapter } from "@zain/claude-code-client"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import { run } from "@zain/contract-tests/VitestRunner"
import { McpConnectionConfig, McpProvider } from "@zain/core"
import { afterAll } from "vitest"
import * as Excuses from "./Excuses.ts"

const fake = FakePeer.inMemory(fakeClaudeCode)

run({
  ...fake,
  name: "Claude Code, a fake in memory",
  provider: McpProvider.claudeCode,
  make: ClaudeCodeMcpClientAdapter.make({ profile: "native", connect: fake.connect }),
  cannot: Excuses.claudeCodeNative,
})

const directory = mkdtempSync(join(tmpdir(), "zain-contract-"))
const log = join(directory, "claude-code.log")
afterAll(() => rmSync(directory, { recursive: true }))

run({
  name: "Claude Code, a fake over stdio",
  provider: McpProvider.claudeCode,
  make: ClaudeCodeMcpClientAdapter.make({ profile: "native" }),
  cannot: Excuses.claudeCodeNative,
  config: McpConnectionConfig.stdio(FakePeer.command(fakeClaudeCode, { log })),
  unreachable: McpConnectionConfig.stdio({ command: "/nowhere/claude", args: ["mcp", "serve"] }),
  silent: McpConnectionConfig.stdio(FakePeer.command(fakeClaudeCode, { log, silent: true })),
  peer: FakePeer.observe(log),
})
