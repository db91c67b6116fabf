// A user's test file: adapters held to the contract.

import { ClaudeCodeMcpClientAdapter } from "@zain/claude-code-client"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import { CodexMcpClientAdapter } from "@zain/codex-client"
import { fakeCodex } from "@zain/codex-client/fake"
import { FakePeer } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/VitestRunner"

const codex = FakePeer.inMemory(fakeCodex)
const codexClient = CodexMcpClientAdapter.make({ profile: "native", connect: codex.connect })
run({ ...codex, name: "Codex", provider: "codex", make: codexClient })

const claude = FakePeer.inMemory(fakeClaudeCode)
const claudeClient = ClaudeCodeMcpClientAdapter.make({ profile: "native", connect: claude.connect })
run({ ...claude, name: "Claude Code", provider: "claude-code", make: claudeClient })
