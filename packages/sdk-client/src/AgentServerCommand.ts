/**
 * How the agent server of this installation is started: by the Node that runs us, from the package beside us.
 */
import { createRequire } from "node:module"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/**
 * - `command`: the agent to start, found on `PATH` by default
 * - `env`: variables for the agent, beside what passes anyway: a key of its model provider's
 * - `modelPatience`: how long its model may be out of reach before the turn is ended. 30 seconds
 * - `approvalTimeout`: how long the server waits for an approval; the policy's own deadline comes first. 5 minutes
 */
export interface LocalOptions extends Omit<McpConnectionConfig.StdioOptions, "args" | "command" | "providerOptions"> {
  readonly command?: string
  readonly modelPatience?: Duration.Input
  readonly approvalTimeout?: Duration.Input
}

/**
 * - `program`: a program of `@zain/agent-server`
 * - `agent`: the agent's own command
 * - `from`: the URL of the module whose package depends on the agent server
 */
export interface Program {
  readonly program: string
  readonly agent: string
  readonly from: string
}

/**
 * The agent server over stdio. Where the package is not installed beside ours, the program is looked for on `PATH`, and
 * a session whose program is nowhere does not open: `ConnectionUnavailable`, reason `spawn-failed`.
 *
 * @param program which of the server's programs
 * @param options what it starts, and the limits of the connection
 * @param providerOptions as in `McpConnectionConfig`
 */
export const config = (
  { agent, from, program }: Program,
  { approvalTimeout, command = agent, modelPatience, ...rest }: LocalOptions,
  providerOptions: Readonly<Record<string, unknown>> | undefined,
): McpConnectionConfig.McpConnectionConfig => {
  const named = Object.keys(rest.env ?? {}).flatMap((name) => ["--env", name])
  const limits = { "--model-patience": modelPatience, "--approval-timeout": approvalTimeout }
  const args = ["stdio", "--command", command, ...named, ...Object.entries(limits).flatMap(inWords)]
  const file = find(`@zain/agent-server/${program}`, from)
  return McpConnectionConfig.stdio({
    ...rest,
    ...(file === undefined
      ? { command: program, args }
      : { command: process.execPath, args: [...conditions(process.execArgv), file, ...args] }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  })
}

/** What is no duration is for the server to refuse, in its words. */
const inWords = ([flag, limit]: readonly [string, Duration.Input | undefined]): ReadonlyArray<string> => {
  if (limit === undefined) return []
  const duration = Duration.fromInput(limit)
  return [flag, Option.isSome(duration) ? `${Duration.toMillis(duration.value)} millis` : String(limit)]
}

const find = (specifier: string, from: string): string | undefined => {
  try {
    return createRequire(from).resolve(specifier)
  } catch {
    return undefined
  }
}

/** What was found under a condition is only found under it again. */
const conditions = (flags: ReadonlyArray<string>): ReadonlyArray<string> =>
  flags.flatMap((flag, at) => {
    if (/^(--conditions|-C)=/.test(flag)) return [`--conditions=${flag.slice(flag.indexOf("=") + 1)}`]
    return /^(--conditions|-C)$/.test(flag) && flags[at + 1] !== undefined ? [`--conditions=${flags[at + 1]}`] : []
  })
