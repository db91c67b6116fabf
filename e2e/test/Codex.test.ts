import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { FakePeer } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/VitestRunner"
import { McpConnectionConfig, McpProvider } from "@zain/core"
import { afterAll } from "vitest"
import * as Breadth from "../src/Breadth.ts"
import { binaries } from "../src/RealAgents.ts"
import * as ScriptedSubject from "../src/ScriptedSubject.ts"

const { codex, end, peer } = await ScriptedSubject.make()
afterAll(end)

const local = { env: codex.env, cwd: codex.directory }

run(
  {
    name: "the real Codex",
    provider: McpProvider.codex,
    make: CodexMcpClientAdapter.make({ profile: "native" }),
    config: CodexTransportFactory.native({
      ...local,
      command: binaries.codexNative,
      options: { approvalPolicy: "on-request", sandbox: "read-only" },
    }),
    unreachable: CodexTransportFactory.native({ ...local, command: "/nowhere/codex" }),
    silent: McpConnectionConfig.stdio({ ...local, command: "sleep", args: ["1000"] }),
    peer,
    cannot: FakePeer.forgets,
  },
  Breadth.anotherWay,
)
