/**
 * How an agent's MCP server of this installation is started: by the Node that runs us, from the client's package.
 */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/**
 * - `command`: the agent to start, found on `PATH` by default
 * - `env`: variables for the agent, beside what passes anyway: a key of its model provider's
 * - `modelTimeout`: how long its model may be out of reach before the turn is ended. As long as the agent tries
 * - `approvalTimeout`: how long the server waits for an approval; the policy's own deadline comes first. 5 minutes
 */
export interface LocalOptions extends Omit<McpConnectionConfig.StdioOptions, "args" | "command" | "providerOptions"> {
  readonly command?: string
  readonly modelTimeout?: Duration.Input
  readonly approvalTimeout?: Duration.Input
}

/**
 * - `program`: a program as a package exports it, such as `@zain/codex-client/zain-codex-mcp`. Its last part is its name
 *   beside a bundle and on `PATH`
 * - `agent`: the agent's own command
 * - `from`: the URL of the module that asks: of that package, or of a bundle with the program beside it
 */
export interface Program {
  readonly program: string
  readonly agent: string
  readonly from: string
}

/**
 * An agent's MCP server over stdio. The program is the file beside the module that asks, as in a bundle, else its package's,
 * else what `PATH` has. If there is none, `openSession` fails with `ConnectionUnavailable`, reason `spawn-failed`.
 *
 * @param program which program, and where to look for it
 * @param options what it starts, and the limits of the connection
 * @param providerOptions as in `McpConnectionConfig`
 * @returns whatever is wrong with the options is told when a session opens: `InvalidRequest`, reason `invalid-config`, or
 *   `ConnectionUnavailable` with the server's own words for a duration that is none
 *
 * @example
 * ```ts
 * import * as AgentServerCommand from "@zain/sdk-client/AgentServerCommand"
 *
 * const program = { program: "@zain/codex-client/zain-codex-mcp", agent: "codex", from: import.meta.url }
 * const config = AgentServerCommand.config(program, { modelTimeout: "10 seconds" }, { model: "small" })
 * ```
 *
 * @see design, §6
 */
export const config = (
  { agent, from, program }: Program,
  { approvalTimeout, command = agent, modelTimeout, ...rest }: LocalOptions,
  providerOptions: Readonly<Record<string, unknown>> | undefined,
): McpConnectionConfig.McpConnectionConfig => {
  const named = Object.keys(rest.env ?? {}).flatMap((name) => ["--env", name])
  const limits = { "--model-timeout": modelTimeout, "--approval-timeout": approvalTimeout }
  const args = ["stdio", "--command", command, ...named, ...Object.entries(limits).flatMap(inWords)]
  // A package that a bundle finds above itself may have another version.
  const file = attempt(() => beside(program, from)) ?? attempt(() => createRequire(from).resolve(program))
  return McpConnectionConfig.stdio({
    ...rest,
    ...(file === undefined
      ? { command: posix.basename(program), args }
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

const beside = (program: string, from: string): string | undefined => {
  const file = fileURLToPath(new URL(`${posix.basename(program)}.js`, from))
  return existsSync(file) ? file : undefined
}

/** In some bundles a module has no URL of a file. */
const attempt = (find: () => string | undefined): string | undefined => {
  try {
    return find()
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
