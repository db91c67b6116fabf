/** Options of the agents on the command line of `zain run`. */
import { assert, describe } from "@effect/vitest"
import type * as Home from "../../testing/run/Home.ts"
import { ended, inHome } from "../../testing/run/Home.ts"

describe("options of an agent on the command line", () => {
  inHome("reach the agent that has them, and are refused by another (docs/guides/command-line.md)", function* (home) {
    const run = (agent: (typeof Home.agents)[number], code: number, ...options: ReadonlyArray<string>) =>
      ended(code, home.here(home.prompt(agent, "⟦zain:say#a yes⟧", ...options)))
    for (const [agent, own, others] of [
      ["codex", ["--effort", "low", "--sandbox", "read-only"], ["--max-turns", "2"]],
      ["claude-code", ["--effort", "low", "--permission-mode", "plan", "--max-turns", "2"], ["--sandbox", "read-only"]],
    ] as const) {
      assert.strictEqual((yield* run(agent, 0, ...own)).output(), "yes\n")
      assert.match((yield* run(agent, 1, ...others)).errors(), /Invalid options for \S+: `(maxTurns|sandbox)`/)
    }
    assert.include((yield* run("codex", 1, "--sandbox", "none")).errors(), "Invalid options for codex: `sandbox`")
  })
})
