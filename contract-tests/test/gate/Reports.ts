/**
 * Reports of a vitest that runs the suites of this directory.
 */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { compileCache } from "../../src/FakePeerLog.ts"

const root = fileURLToPath(new URL(".", import.meta.url))
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url))
const command = fileURLToPath(new URL("../../src/gate/zain-contract-gate.ts", import.meta.url))

/** Milliseconds. It ends only what hangs. */
const safetyTimeoutMillis = 240_000

/** The parts of a report that tests remove or change. */
export interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly assertionResults: ReadonlyArray<{
      readonly title: string
      readonly status: string
      readonly meta: Readonly<Record<string, unknown>>
    }>
  }>
}

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const inherited = { PATH: process.env["PATH"], NO_COLOR: "1", ...compileCache() }

const run = (args: ReadonlyArray<string>, options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv }) =>
  promisify(execFile)(process.execPath, args, {
    cwd: options.cwd,
    env: { ...inherited, ...options.env },
    timeout: safetyTimeoutMillis,
  }).then(
    ({ stderr, stdout }): Ended => ({ code: 0, stdout, stderr }),
    (error: { readonly code: number; readonly stdout: string; readonly stderr: string }): Ended => error,
  )

/** Runs vitest over the suites of this directory, and reads its report. */
export const write = async (file: string): Promise<Report> => {
  const { stderr, stdout } = await run([vitest, "run", "--reporter=json", `--outputFile=${file}`], {
    cwd: root,
  })
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Report
  } catch (error) {
    throw new Error(`vitest wrote no report.\n${stdout}\n${stderr}`, { cause: error })
  }
}

/** Runs `zain-contract-gate` in a directory. */
export const gate = (cwd: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  run(["--conditions=zain-source", command, ...args], { cwd, env })
