import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { binaries, versions } from "../src/RealAgents.ts"

describe("the binaries are the pinned ones", () => {
  it.each(["codex", "codexNative", "claudeCode"] as const)("%s --version", (name) => {
    const home = mkdtempSync(join(tmpdir(), "zain-e2e-"))
    const env = { PATH: process.env["PATH"], HOME: home, CODEX_HOME: home, CLAUDE_CONFIG_DIR: home }
    const printed = execFileSync(binaries[name], ["--version"], { env, encoding: "utf8" })
    rmSync(home, { recursive: true, force: true })
    assert.strictEqual(printed.trim(), versions[name])
  })
})
