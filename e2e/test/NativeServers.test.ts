/** The real agents by their own MCP servers; the fakes of these servers pass the whole suite. */
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import { FakePeer, McpClientContractSuite } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/VitestRunner"
import { McpConnectionConfig } from "@zain/core"
import { afterAll } from "vitest"
import { agents } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as ScriptedSubject from "../src/ScriptedSubject.ts"

const subjects = {
  codex: {
    name: "the real Codex",
    options: { approvalPolicy: "on-request", sandbox: "read-only" },
    cannot: FakePeer.forgets,
  },
  "claude-code": {
    name: "the real Claude Code",
    options: {},
    cannot: {
      ...FakePeer.forgets,
      ...fakeClaudeCode.server.cannot,
      events: "`claude mcp serve` reports nothing of a turn that ends within thirty seconds",
    },
  },
} as const

for (const agent of agents) {
  const { end, home, peer } = await ScriptedSubject.make(agent)
  afterAll(end)
  const { cannot, name, options } = subjects[agent]
  const local = { env: home.env, cwd: home.directory }
  const subject = {
    ...{ name, provider: agent, make: OwnClient.adapter(agent, undefined, "native") },
    config: OwnClient.native[agent](home, { options }),
    unreachable: OwnClient.native[agent](home, { command: "/nowhere/agent" }),
    silent: McpConnectionConfig.stdio({ ...local, command: "sleep", args: ["1000"] }),
    ...{ peer, cannot },
  }
  run(subject, { only: McpClientContractSuite.ofTransport })
}
