/**
 * The Blender and the Python tools of this machine. CI has them all: there one that is missing fails the tests.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"

/** The directory of the bridge. */
export const bridge = fileURLToPath(new URL("../../packages/editor-server/blender", import.meta.url))

const isNeeded = process.env["ZAIN_NEEDS_BLENDER"] === "1"

const isThere = (program: string) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0

/** A test that needs a program; without it, the reason is printed and the test is skipped. */
export const withProgram = (program: string, title: string, test: () => void): void => {
  const isSkipped = !isThere(program) && !isNeeded
  if (isSkipped) process.stderr.write(`Skipped, because ${program} is not installed: ${title}\n`)
  it.skipIf(isSkipped)(title, test)
}

/** Runs a program in the bridge's directory; what it printed stands in the failure. */
export const succeeds = (program: string, args: ReadonlyArray<string>): void => {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" }
  const { error, status, stderr, stdout } = spawnSync(program, [...args], { cwd: bridge, encoding: "utf8", env })
  assert.strictEqual(status, 0, `${error ?? ""}${stdout.slice(-20_000)}${stderr.slice(-20_000)}`)
}
