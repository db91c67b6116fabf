/** Holds both adapters to the contract, over fakes in memory, and then has nothing more to do. */

import { ClaudeCodeMcpClientAdapter } from "@zain/claude-code-client"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import { CodexMcpClientAdapter } from "@zain/codex-client"
import { fakeCodex } from "@zain/codex-client/fake"
import { FakePeer, McpClientContractSuite } from "@zain/contract-tests"
import * as Effect from "effect/Effect"
import * as Excuses from "../Excuses.ts"
import { ending } from "./Ending.ts"

const codex = FakePeer.inMemory(fakeCodex)
const claudeCode = FakePeer.inMemory(fakeClaudeCode)

const subjects = [
  {
    ...codex,
    name: "Codex",
    provider: "codex",
    make: CodexMcpClientAdapter.make({ profile: "native", connect: codex.connect }),
  },
  {
    ...claudeCode,
    name: "Claude Code",
    provider: "claude-code",
    cannot: Excuses.claudeCodeNative,
    make: ClaudeCodeMcpClientAdapter.make({ profile: "native", connect: claudeCode.connect }),
  },
]

for (const subject of subjects) {
  const report = await Effect.runPromise(McpClientContractSuite.check(subject))
  const lines = McpClientContractSuite.format(report).split("\n")
  process.stdout.write(`${lines.filter((line) => !/^(?:skipped|unproven) /u.test(line)).join("\n")}\n`)
}
ending()
