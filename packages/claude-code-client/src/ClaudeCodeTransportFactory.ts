/**
 * How to reach a Claude Code, and the connections to it.
 *
 * @see seed, `ClaudeCodeTransportFactory`
 */
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as AgentServerCommand from "@zain/sdk-client/AgentServerCommand"
import * as AgentServerHttp from "@zain/sdk-client/AgentServerHttp"
import * as TransportFactory from "@zain/sdk-client/TransportFactory"
import * as Effect from "effect/Effect"
import { facts, serverArguments } from "./ClaudeCodeFacts.ts"
import type { ClaudeCodeNativeOptions, ClaudeCodeOptions } from "./ClaudeCodeOptions.ts"
import * as ClaudeCodeProfiles from "./ClaudeCodeProfiles.ts"
import * as ClaudeCodeNativeProfile from "./native/ClaudeCodeNativeProfile.ts"

/** `options`: see `ClaudeCodeOptions`. The rest: see `AgentServerCommand.LocalOptions`. */
export type LocalOptions = AgentServerCommand.LocalOptions & { readonly options?: ClaudeCodeOptions }

/**
 * The Claude Code of this machine behind `zain-claude-code-mcp` over stdio, for an adapter with the default profile. The
 * program is this package's; in a bundle, the file `zain-claude-code-mcp.js` beside it; else the one on `PATH`. If there is
 * none, `openSession` fails with `ConnectionUnavailable`, reason `spawn-failed`.
 *
 * @example
 * ```ts
 * import { ClaudeCodeTransportFactory } from "@zain/claude-code-client"
 *
 * ClaudeCodeTransportFactory.local({ options: { model: "sonnet", permissionMode: "acceptEdits" } })
 * ```
 *
 * @see design, §6
 */
export const local = ({ options, ...rest }: LocalOptions = {}): McpConnectionConfig.McpConnectionConfig =>
  AgentServerCommand.config(
    { program: `@zain/claude-code-client/${facts.server}`, agent: facts.program, from: import.meta.url },
    rest,
    options,
  )

/** `options`: see `ClaudeCodeOptions`; paths in them are of the agent's machine. The rest: see `AgentServerHttp.HttpOptions`. */
export type HttpOptions = AgentServerHttp.HttpOptions & { readonly options?: ClaudeCodeOptions }

/**
 * The Claude Code of another machine, behind `zain-claude-code-mcp http`: for an adapter with the default profile.
 *
 * @example
 * ```ts
 * import { ClaudeCodeTransportFactory } from "@zain/claude-code-client"
 *
 * ClaudeCodeTransportFactory.http({
 *   url: "https://agents.example/mcp",
 *   bearerToken: "the token",
 *   options: { cwd: "/srv/project", permissionMode: "acceptEdits" },
 * })
 * ```
 *
 * @see docs/guides/run-remotely.md
 */
export const http = ({ options, ...rest }: HttpOptions): McpConnectionConfig.McpConnectionConfig =>
  AgentServerHttp.config(rest, options)

/** `command`: the Claude Code to start, found on `PATH` by default. `options`: see `ClaudeCodeNativeOptions`. */
export interface NativeOptions extends Omit<McpConnectionConfig.StdioOptions, "args" | "command" | "providerOptions"> {
  readonly command?: string
  readonly options?: ClaudeCodeNativeOptions
}

/**
 * The Claude Code of this machine, as an MCP server over stdio, for an adapter with the profile `native`. Settings of the
 * directory it works in are not read: a project's hooks would run without a question.
 *
 * @example
 * ```ts
 * import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
 *
 * ClaudeCodeMcpClientAdapter.make({ profile: "native" })
 * ClaudeCodeTransportFactory.native({ options: { model: "sonnet" }, idleTimeout: "10 minutes" })
 * ```
 */
export const native = ({ command, options, ...rest }: NativeOptions = {}): McpConnectionConfig.McpConnectionConfig =>
  McpConnectionConfig.stdio({
    ...rest,
    command: command ?? facts.program,
    args: ["--setting-sources=user", ...serverArguments],
    ...(options === undefined ? {} : { providerOptions: options }),
  })

/**
 * `profile`: what stands before Claude Code. `"agent-server"` by default: `zain-claude-code-mcp`, which `local` starts and `http`
 * reaches. `"native"`: Claude Code's own MCP server, without streaming and approvals, which `native` starts.
 * The rest: see `TransportFactory.Options`.
 */
export type CreateOptions =
  | (TransportFactory.Options<ClaudeCodeOptions> & { readonly profile?: "agent-server" })
  | (TransportFactory.Options<ClaudeCodeNativeOptions> & { readonly profile: "native" })

/**
 * The factory of one adapter. Its connections share what they can, and end with the Scope.
 *
 * @param options what every connection starts with
 */
export const make = (options: CreateOptions = {}) =>
  Effect.suspend(() =>
    options.profile === "native"
      ? TransportFactory.make(ClaudeCodeNativeProfile.profile, options)
      : TransportFactory.make(ClaudeCodeProfiles.agentServer, options),
  )

/**
 * One connection to Claude Code, for a program that only asks whether it can be reached: adapters call it for each session.
 *
 * @param config where the server is, and the limits; `connectTimeout` bounds the handshake
 * @param options what the connection starts with
 * @returns an opaque handle, which ends with the Scope. Fails with `ConnectionUnavailable`, or with `InvalidRequest` (`invalid-config`)
 *   for a configuration that cannot be read
 *
 * @example
 * ```ts
 * import { ClaudeCodeTransportFactory } from "@zain/claude-code-client"
 * import * as Effect from "effect/Effect"
 *
 * const isReachable = Effect.scoped(ClaudeCodeTransportFactory.create(ClaudeCodeTransportFactory.local())).pipe(
 *   Effect.as(true),
 *   Effect.catchTag("ConnectionUnavailable", () => Effect.succeed(false)),
 * )
 * ```
 *
 * @see seed, `ClaudeCodeTransportFactory`
 */
export const create = (config: McpConnectionConfig.McpConnectionConfig, options?: CreateOptions) =>
  TransportFactory.create(make(options), config)
