import { execFileSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { assert, beforeAll, describe, it } from "vitest"
import { root } from "../src/Programs.ts"

const run = (command: string, args: ReadonlyArray<string>) => {
  try {
    const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" }
    return execFileSync(command, args, { cwd: root, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  } catch (cause) {
    const { stderr, stdout } = cause as { readonly stdout: string; readonly stderr: string }
    throw new Error(`${command} ${args.join(" ")}\n${stdout}\n${stderr}`)
  }
}

describe("the packages as they are published", () => {
  beforeAll(() => void run("pnpm", ["run", "build"]), 180_000)

  it("type-check in a user's program, their declarations included", { timeout: 120_000 }, () => {
    run("pnpm", ["exec", "tsc", "-p", "e2e/consumer"])
  })

  it("run in a user's program", () => {
    const printed = run(process.execPath, ["e2e/consumer/main.ts"])
    assert.strictEqual(
      printed,
      "codex: hello from codex\nclaude-code: hello from claude-code\nempty-content\n7 more names\n",
    )
  })

  it("name the MCP SDK in no declaration", () => {
    const declarations = globSync(["packages/*/dist/**/*.d.ts", "contract-tests/dist/**/*.d.ts"], { cwd: root })
    assert.isAbove(declarations.length, 50)
    const naming = declarations.filter((file) =>
      readFileSync(`${root}/${file}`, "utf8").includes("@modelcontextprotocol"),
    )
    assert.deepStrictEqual(naming, [])
  })
})
