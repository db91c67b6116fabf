/**
 * The agents of a runner, and what a caller may choose of them: the runner decides which command runs, where, and with which
 * environment.
 */
import type { Configuration } from "@zain/cluster-client/ConfigurationCodec"
import * as ConfigurationCodec from "@zain/cluster-client/ConfigurationCodec"
import type { Driver } from "@zain/core/AgentConnection"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { clip, InvalidRequest, type InvalidRequestReason } from "@zain/core/McpError"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"

/** One agent of a runner. */
export interface RunnerAgent {
  /** Makes a driver of the agent. The runner makes one for each owner of sessions, and ends it with their last session. */
  readonly driver: Effect.Effect<Driver, never, Scope.Scope>
  /**
   * Returns the configuration of a session: the command, its environment, and the agent's options.
   *
   * @param options the options of the session, with `cwd` as an absolute path
   */
  readonly local: (options: Readonly<Record<string, unknown>>) => McpConnectionConfig.McpConnectionConfig
  /**
   * The directories that sessions may work in, absolute paths by name. A caller names one in the option `cwd`; if there is one
   * only, it may omit the name. If omitted, the agent has no option `cwd`.
   */
  readonly workspaces?: Readonly<Record<string, string>>
  /** Options of every session. A caller cannot set them. None by default. */
  readonly options?: Readonly<Record<string, unknown>>
  /** The names of the options that a caller may set; by default `usualCallerOptions`. */
  readonly callerOptions?: ReadonlyArray<string>
}

/** The agents of a runner by the names that callers use, such as `codex` for `stdio:codex`. */
export type AgentTable = Readonly<Record<string, RunnerAgent>>

/** The options that a caller may set by default: none of them starts a program or widens what the agent may do. */
export const usualCallerOptions: ReadonlyArray<string> = ["cwd", "effort", "model", "threadId"]

/**
 * Returns the configuration of a session. Fails with `invalid-config` for an option that a caller must not set, for an unknown
 * workspace, and for a limit that core refuses.
 *
 * @param agent the agent of the table
 * @param configuration the caller's choice
 * @param threadId the conversation to continue; `undefined` for the caller's own option
 */
export const configure = (
  agent: RunnerAgent,
  { limits, options }: Configuration,
  threadId: string | undefined,
): Result.Result<McpConnectionConfig.Parsed, InvalidRequest> =>
  Result.flatMap(chosen(agent, options, "invalid-config"), (given) => {
    const cwd = given["cwd"] ?? only(agent)
    if (cwd === undefined && agent.workspaces !== undefined)
      return Result.fail(refused("invalid-config", noWorkspace(agent)))
    return McpConnectionConfig.parse({
      ...agent.local({
        ...given,
        ...agent.options,
        ...(cwd === undefined ? {} : { cwd }),
        ...(threadId === undefined ? {} : { threadId }),
      }),
      ...limits,
    })
  })

/**
 * Reads options that a caller has chosen, and replaces the name of a workspace in `cwd` by its directory.
 *
 * @param agent the agent of the table
 * @param options the options as they crossed
 * @param reason the reason of the failure for an option that a caller must not set
 */
export const chosen = (
  agent: RunnerAgent,
  options: Readonly<Record<string, unknown>>,
  reason: InvalidRequestReason,
): Result.Result<Readonly<Record<string, unknown>>, InvalidRequest> => {
  const allowed = (agent.callerOptions ?? usualCallerOptions).filter(
    (name) => agent.options === undefined || !Object.hasOwn(agent.options, name),
  )
  const foreign = Object.keys(options).find((name) => !allowed.includes(name))
  if (foreign !== undefined) {
    return Result.fail(
      refused(
        reason,
        `\`${foreign}\` is no option that a caller of this runner may set; allowed: ${allowed.join(", ")}`,
      ),
    )
  }
  const given = ConfigurationCodec.decodeOptions(options)
  const { cwd } = given
  if (cwd === undefined) return Result.succeed(given)
  const { workspaces = {} } = agent
  return typeof cwd === "string" && Object.hasOwn(workspaces, cwd)
    ? Result.succeed({ ...given, cwd: workspaces[cwd] })
    : Result.fail(refused("invalid-config", noWorkspace(agent)))
}

const refused = (reason: InvalidRequestReason, message: string) =>
  new InvalidRequest({ reason, message: clip(`${message}.`), delivery: "not-sent" })

const only = ({ workspaces = {} }: RunnerAgent): string | undefined => {
  const directories = Object.values(workspaces)
  return directories.length === 1 ? directories[0] : undefined
}

const noWorkspace = ({ workspaces = {} }: RunnerAgent): string =>
  `\`cwd\` must be the name of a workspace of the runner; it has: ${Object.keys(workspaces).join(", ") || "none"}`
