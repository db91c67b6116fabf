import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import * as Programs from "../src/Programs.ts"
import { binaries, versions } from "../src/RealAgents.ts"

describe("the installed binary has the pinned version:", () => {
  it.each(["codex", "codexNative", "claudeCode"] as const)("%s --version", (name) =>
    Programs.inPrivate(async (home) => {
      const env = { PATH: process.env["PATH"], HOME: home, CODEX_HOME: home, CLAUDE_CONFIG_DIR: home }
      const printed = execFileSync(binaries[name], ["--version"], { env, encoding: "utf8" })
      assert.strictEqual(printed.trim(), versions[name])
    }),
  )
})
