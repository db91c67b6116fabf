// Puts both agents, faked, into a directory: `codex` and `claude`, as they would be on PATH.
import { FakeAgent } from "@zain/contract-tests"
import * as Effect from "effect/Effect"

const [directory = ""] = process.argv.slice(2)
for (const agent of ["codex", "claude-code"] as const) {
  process.stdout.write(`${Effect.runSync(FakeAgent.install(agent, directory)).command}\n`)
}
