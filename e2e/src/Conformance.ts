/**
 * The official conformance runner, for the scenarios that are ours to pass.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Programs from "./Programs.ts"

/** How many checks each scenario makes. A scenario whose client does nothing passes none, and fails none either. */
export const scenarios = { initialize: 1, tools_call: 1, "sse-retry": 3 } as const
export type Scenario = keyof typeof scenarios

/** The client, as the runner starts it from the root of the repository. */
export const client = "node --conditions=zain-source e2e/src/ConformanceClient.ts"

/** `ok`: the runner is content, and has made and passed every check there is. `printed`: what the runner said. */
export interface Verdict {
  readonly scenario: Scenario
  readonly ok: boolean
  readonly passed: number
  readonly checks: number
  readonly printed: string
}

const runner = fileURLToPath(
  new URL("../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
)

/** Runs one scenario. */
export const check = async (scenario: Scenario, command: string = client): Promise<Verdict> => {
  const args = [runner, "client", "--command", command, "--scenario", scenario]
  const child = spawn(process.execPath, args, { cwd: Programs.root, stdio: ["ignore", "pipe", "pipe"] })
  const { exitCode, stderr, stdout } = await Programs.end(child)
  const printed = stdout + stderr
  const passed = Number(/^Passed: (\d+)\//m.exec(printed)?.[1] ?? 0)
  const checks = scenarios[scenario]
  return { scenario, ok: exitCode === 0 && passed === checks, passed, checks, printed }
}
