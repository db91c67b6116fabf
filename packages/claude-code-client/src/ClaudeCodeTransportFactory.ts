/**
 * Configurations of connections to Claude Code, and the connections themselves.
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

/**
 * Options of a session with a Claude Code that this process starts: its options, its process, and the limits of the
 * connection.
 */
export type LocalOptions = AgentServerCommand.LocalOptions & {
  /** Options of Claude Code for this session; they take precedence over those that the adapter was made with. */
  readonly options?: ClaudeCodeOptions
}

/**
 * Configuration of a session with the Claude Code of this machine behind `zain-claude-code-mcp` over stdio, for an adapter
 * with the default profile. It starts this package's `zain-claude-code-mcp`; in a
 * bundle, pass its path as `server`, unless the package is installed where the bundle runs. Without any, `openSession` fails
 * with `ConnectionUnavailable`, reason `spawn-failed`.
 *
 * @param options Claude Code's options, and the limits of the process and the connection; all are optional
 *
 * @example
 * ```ts
 * import { ClaudeCodeTransportFactory } from "@zain/claude-code-client"
 *
 * ClaudeCodeTransportFactory.local({ options: { model: "sonnet", permissionMode: "acceptEdits" } })
 * ```
 *
 * @see docs/guides/agent-server.md
 * @see docs/guides/bundle.md
 */
export const local = ({ options, ...rest }: LocalOptions = {}): McpConnectionConfig.McpConnectionConfig =>
  AgentServerCommand.config(
    { program: `@zain/claude-code-client/${facts.server}`, agent: facts.program, from: import.meta.url },
    rest,
    options,
  )

/**
 * Options of a session with a Claude Code on another machine: the server's `url` and `bearerToken`, the options of Claude Code,
 * and the limits of the connection. Paths in `options` are paths of that machine.
 */
export type HttpOptions = AgentServerHttp.HttpOptions & Pick<LocalOptions, "options">

/**
 * Configuration of a session with the Claude Code of another machine, which runs `zain-claude-code-mcp http`. The adapter
 * must have the profile `agent-server`, the default; with `native`, `openSession` fails with `InvalidRequest`.
 *
 * @param options the server's `url`, which alone is required, its `bearerToken`, Claude Code's options, and the limits
 *   of the connection
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

/** Options of a session with Claude Code's own MCP server: its options, its process, and the limits of the connection. */
export interface NativeOptions extends Omit<McpConnectionConfig.StdioOptions, "args" | "command" | "providerOptions"> {
  /** Program to start, by name or path. Default: `claude` on `PATH`. */
  readonly command?: string
  /** Options of Claude Code for this session; they take precedence over those that the adapter was made with. */
  readonly options?: ClaudeCodeNativeOptions
}

/**
 * Configuration of a session with Claude Code's own MCP server (`claude mcp serve`) over stdio, for an adapter with the
 * profile `native`. It does not read the settings of its directory, because a project's hooks run without an approval. Claude
 * Code declines by itself what requires an approval. Its memory and scheduled turns are off, unless `env` has
 * `CLAUDE_CODE_DISABLE_AUTO_MEMORY: "0"` or `CLAUDE_CODE_DISABLE_CRON: "0"`; it writes `.claude/agent-memory` and
 * `.claude/launch.json` without an approval.
 *
 * @param options Claude Code's options, and the limits of the process and the connection; all are optional
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

/** How connections are made: through which MCP server, and with which options of Claude Code in every session. */
export type CreateOptions =
  | (TransportFactory.Options<ClaudeCodeOptions> & {
      /**
       * `"agent-server"`: `zain-claude-code-mcp`, which `local` starts and `http` connects to. It streams, requests approvals,
       * and continues a conversation after a cancelled turn. Default.
       */
      readonly profile?: "agent-server"
    })
  | (TransportFactory.Options<ClaudeCodeNativeOptions> & {
      /**
       * `"native"`: Claude Code's own MCP server, which `native` starts. It continues a conversation after a cancelled turn,
       * but neither streams nor requests approvals.
       */
      readonly profile: "native"
    })

/**
 * The factory of one adapter's connections, which close with the Scope. Adapters call it; use `ClaudeCodeMcpClientAdapter.make`.
 *
 * @param options the profile (`"agent-server"` by default), Claude Code's options, and how to open the wire
 */
export const make = (options: CreateOptions = {}) =>
  Effect.suspend(() =>
    options.profile === "native"
      ? TransportFactory.make(ClaudeCodeNativeProfile.profile, options)
      : TransportFactory.make(ClaudeCodeProfiles.agentServer, options),
  )

/**
 * Opens one connection to Claude Code, for a program that only tests whether Claude Code is available. Adapters call it for each
 * session.
 *
 * @param config the server, and the limits; `connectTimeout` bounds the handshake
 * @param options the profile (`"agent-server"` by default), Claude Code's options, and how to open the wire
 * @returns an opaque handle, which closes with the Scope. Fails with `ConnectionUnavailable`, or with `InvalidRequest`, reason
 *   `invalid-config`, for a configuration that is not valid
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
