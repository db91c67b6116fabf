/**
 * Prints a line for each step of a check: its result, its time, and the output of a failed program.
 */
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const execute = promisify(execFile)

/** A program that failed, or a wrong result. */
export class StepFailed extends Error {}

/** Runs one step, and prints its result. Fails if the work fails. */
export const step = async <A>(title: string, work: () => Promise<A>): Promise<A> => {
  const start = performance.now()
  const end = (sign: string, more = "") => {
    const seconds = ((performance.now() - start) / 1000).toFixed(1).padStart(6)
    process.stdout.write(`${sign} ${seconds} s  ${title}\n${more}`)
  }
  try {
    const result = await work()
    end("✔")
    return result
  } catch (cause) {
    const said = cause instanceof StepFailed ? cause.message : String((cause as Error).stack)
    end("✘", said.replace(/^/gm, "    ").concat("\n"))
    throw cause
  }
}

/** Variables that are hidden from packages. */
const secret = /token|secret|passw|credential|auth|_key$|^actions_/i

const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !secret.test(name)))

/** Settings that keep tools from sending statistics and installing packages. */
const quiet = { DO_NOT_TRACK: "1", NO_UPDATE_NOTIFIER: "1", NO_COLOR: "1", pnpm_config_verify_deps_before_run: "false" }

/**
 * Runs a program for at most five minutes.
 *
 * @param env all its variables; by default those of this process without secrets
 * @returns what it printed
 */
export const run = async (
  cwd: string,
  [command = "", ...args]: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv = inherited,
): Promise<string> => {
  try {
    const options = { cwd, env: { ...env, ...quiet }, maxBuffer: 2 ** 26, timeout: 300_000 }
    return (await execute(command, args, options)).stdout
  } catch (cause) {
    const { message, stderr = "", stdout = "" } = cause as Error & Partial<Record<"stderr" | "stdout", string>>
    throw new StepFailed(`$ ${[command, ...args].join(" ")}\n${`${stdout}\n${stderr}`.trim() || message}`)
  }
}
