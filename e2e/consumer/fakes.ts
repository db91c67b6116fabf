// Puts both agents, faked, into a directory: `codex` and `claude`, as they would be on PATH.
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import { fakeCodex } from "@zain/codex-client/fake"
import { FakeAgent } from "@zain/contract-tests"
import * as Effect from "effect/Effect"

const [directory = ""] = process.argv.slice(2)
for (const agent of [fakeCodex, fakeClaudeCode]) {
  process.stdout.write(`${Effect.runSync(FakeAgent.install(agent, directory)).command}\n`)
}
