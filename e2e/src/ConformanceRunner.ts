/**
 * The official conformance runner as a program.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Programs from "./Programs.ts"

/** `ok`: the runner is content, and has made and passed every check there is. `printed`: what the runner said. */
export interface Verdict {
  readonly scenario: string
  readonly ok: boolean
  readonly passed: number
  readonly checks: number
  readonly printed: string
}

const runner = fileURLToPath(
  new URL("../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
)

/** Runs the runner. */
export const run = (...args: ReadonlyArray<string>) =>
  Programs.end(spawn(process.execPath, [runner, ...args], { cwd: Programs.root, stdio: ["ignore", "pipe", "pipe"] }))

/**
 * Runs one scenario.
 *
 * @param checks how many it makes. One whose subject does nothing passes none, and fails none either
 * @param args the side that is judged, and where it is
 */
export const judge = async (scenario: string, checks: number, ...args: ReadonlyArray<string>): Promise<Verdict> => {
  const { exitCode, stderr, stdout } = await run(...args, "--scenario", scenario)
  const printed = stdout + stderr
  const passed = Number(/^Passed: (\d+)\//m.exec(printed)?.[1] ?? 0)
  return { scenario, ok: exitCode === 0 && passed === checks, passed, checks, printed }
}
