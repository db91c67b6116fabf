import { assert, describe, it } from "@effect/vitest"
import { withEnvironment } from "../src/OwnProcesses.ts"
import * as Programs from "../src/Programs.ts"

describe("`pnpm improve`", () => {
  it("lets Codex judge and Claude Code write until the target is reached, and leaves no process (LoopSmith 10)", () =>
    Programs.inPrivate(async (directory) => {
      const program = Programs.start("examples/improve/main.ts", { TMPDIR: directory })
      const { exitCode, stderr, stdout } = await Programs.end(program)
      assert.strictEqual(stderr, "")
      assert.strictEqual(
        stdout,
        [
          '1. Codex gives 5.5. Add a section "Install". Add a section "Use".',
          "   Claude Code writes it again.",
          '2. Codex gives 6.9. Add a section "Use".',
          "   Claude Code writes it again.",
          "3. Codex gives 8.2. ",
          "",
          "reached-target:",
          "",
          "# Zain\n\nA small typed port for coding agents.",
          "\n## Install\n\nOne line of it.",
          "\n## Use\n\nOne line of it.\n",
          "",
        ].join("\n"),
      )
      assert.strictEqual(exitCode, 0)
      assert.deepStrictEqual(withEnvironment(directory), [])
    }))
})
