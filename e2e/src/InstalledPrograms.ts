/**
 * Programs that tests need on this machine: Blender, the Python tools, Chromium. In CI a missing one fails the tests.
 */
import { spawnSync } from "node:child_process"
import { assert, it } from "@effect/vitest"
import { bridge, isThere } from "../../packages/editor-blender/testing/HeadlessBlender.ts"

const isNeeded = process.env["ZAIN_NEEDS_PROGRAMS"] === "1"

/** Whether a test is skipped that needs a program; then the reason is printed, and that what it proves is not proven. */
export const isSkipped = (program: string, title: string): boolean => {
  const isMissing = !isNeeded && !isThere(program)
  if (isMissing) process.stderr.write(`Unproven, because ${program} is not installed: ${title}\n`)
  return isMissing
}

export const withProgram = (program: string, title: string, test: () => void): void =>
  it.skipIf(isSkipped(program, title))(title, test)

/** Runs a program in the bridge's directory; what it printed stands in the failure. `says`: what it prints at the end. */
export const succeeds = (program: string, args: ReadonlyArray<string>, says: RegExp = /(?:)/): void => {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" }
  const { error, status, stderr, stdout } = spawnSync(program, [...args], { cwd: bridge, encoding: "utf8", env })
  const printed = `${error ?? ""}${stdout.slice(-20_000)}${stderr.slice(-20_000)}`
  assert.strictEqual(status, 0, printed)
  // Blender ends with 0 also where it does not find the file, which it looks for from `PWD`.
  assert.match(printed, says)
}
