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
 * - `modelPatience`: how long its model may be out of reach before the turn is ended. As long as the agent tries
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
 * @returns whatever is wrong with the options is told when a session opens: `InvalidRequest`, reason `invalid-config`, or
 *   `ConnectionUnavailable` with the server's own words for a duration that is none
 *
 * **Example**
 *
 * ```ts
 * import * as AgentServerCommand from "@zain/sdk-client/AgentServerCommand"
 *
 * const program = { program: "zain-codex-mcp", agent: "codex", from: import.meta.url }
 * const config = AgentServerCommand.config(program, { modelPatience: "10 seconds" }, { model: "small" })
 * ```
 *
 * @see design, §6
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

/** In whole milliseconds, for numbers of other kinds are no words. What is no duration is for the server to refuse. */
const inWords = ([flag, limit]: readonly [string, Duration.Input | undefined]): ReadonlyArray<string> => {
  if (limit === undefined) return []
  const millis = Option.map(Duration.fromInput(limit), (duration) => Math.ceil(Duration.toMillis(duration)))
  if (Option.isNone(millis)) return [flag, String(limit)]
  return [flag, millis.value > Number.MAX_SAFE_INTEGER ? "Infinity" : `${millis.value} millis`]
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
