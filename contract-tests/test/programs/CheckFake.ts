/** Holds both adapters to the contract, over fakes in memory, and then has nothing more to do. */
import { ClaudeCodeMcpClientAdapter } from "@zain/claude-code-client"
import { CodexMcpClientAdapter } from "@zain/codex-client"
import { FakePeer, McpClientContractSuite } from "@zain/contract-tests"
import * as Effect from "effect/Effect"
import * as Excuses from "../Excuses.ts"
import { ending } from "./Ending.ts"

const codex = FakePeer.inMemory("codex")
const claudeCode = FakePeer.inMemory("claude-code")

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
