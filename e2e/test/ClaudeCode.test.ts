import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import { FakePeer } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/VitestRunner"
import { McpConnectionConfig, McpProvider } from "@zain/core"
import { afterAll } from "vitest"
import * as Breadth from "../src/Breadth.ts"
import { binaries } from "../src/RealAgents.ts"
import * as ScriptedSubject from "../src/ScriptedSubject.ts"

const { claudeCode, end, peer } = await ScriptedSubject.make()
afterAll(end)

const local = { env: claudeCode.env, cwd: claudeCode.directory }

run(
  {
    name: "the real Claude Code",
    provider: McpProvider.claudeCode,
    make: ClaudeCodeMcpClientAdapter.make({ profile: "native" }),
    config: ClaudeCodeTransportFactory.native({ ...local, command: binaries.claudeCode }),
    unreachable: ClaudeCodeTransportFactory.native({ ...local, command: "/nowhere/claude" }),
    silent: McpConnectionConfig.stdio({ ...local, command: "sleep", args: ["1000"] }),
    peer,
    cannot: {
      ...FakePeer.forgets,
      ...fakeClaudeCode.server.cannot,
      events: "`claude mcp serve` reports nothing of a turn that ends within thirty seconds",
    },
  },
  Breadth.anotherWay,
)
