/**
 * Configurations of connections to Codex, and the connections themselves.
 *
 * @see seed, `CodexTransportFactory`
 */
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as AgentServerCommand from "@zain/sdk-client/AgentServerCommand"
import * as AgentServerHttp from "@zain/sdk-client/AgentServerHttp"
import * as TransportFactory from "@zain/sdk-client/TransportFactory"
import * as Effect from "effect/Effect"
import { facts } from "./CodexFacts.ts"
import type { CodexNativeOptions, CodexOptions } from "./CodexOptions.ts"
import * as CodexProfiles from "./CodexProfiles.ts"
import * as CodexNativeProfile from "./native/CodexNativeProfile.ts"
import { serverArgument } from "./native/CodexVersion.ts"

/**
 * Options of a session with a Codex that this process starts: its options, its process, and the limits of the
 * connection.
 */
export type LocalOptions = AgentServerCommand.LocalOptions & {
  /** Options of Codex for this session; they take precedence over those that the adapter was made with. */
  readonly options?: CodexOptions
}

/**
 * Configuration of a session with the Codex of this machine (0.154 or later) behind `zain-codex-mcp` over stdio, for an
 * adapter with the default profile. It starts this package's `zain-codex-mcp`; in a
 * bundle, pass its path as `server`, unless the package is installed where the bundle runs. Without any, `openSession` fails
 * with `ConnectionUnavailable`, reason `spawn-failed`.
 *
 * @param options Codex's options, and the limits of the process and the connection; all are optional
 *
 * @example
 * ```ts
 * import { CodexTransportFactory } from "@zain/codex-client"
 *
 * CodexTransportFactory.local({ options: { sandbox: "workspace-write", approvalPolicy: "on-request" } })
 * ```
 *
 * @see docs/guides/agent-server.md
 * @see docs/guides/bundle.md
 */
export const local = ({ options, ...rest }: LocalOptions = {}): McpConnectionConfig.McpConnectionConfig =>
  AgentServerCommand.config(
    { program: `@zain/codex-client/${facts.server}`, agent: facts.program, from: import.meta.url },
    rest,
    options,
  )

/**
 * Options of a session with a Codex on another machine: the server's `url` and `bearerToken`, the options of Codex,
 * and the limits of the connection. Paths in `options` are paths of that machine.
 */
export type HttpOptions = AgentServerHttp.HttpOptions & Pick<LocalOptions, "options">

/**
 * Configuration of a session with the Codex of another machine, which runs `zain-codex-mcp http`. The adapter must have
 * the profile `agent-server`, the default.
 *
 * @param options the server's `url`, which alone is required, its `bearerToken`, Codex's options, and the limits of the
 *   connection
 *
 * @example
 * ```ts
 * import { CodexTransportFactory } from "@zain/codex-client"
 *
 * CodexTransportFactory.http({
 *   url: "https://agents.example/mcp",
 *   bearerToken: "the token",
 *   options: { cwd: "/srv/project", sandbox: "workspace-write" },
 * })
 * ```
 *
 * @see docs/guides/run-remotely.md
 */
export const http = ({ options, ...rest }: HttpOptions): McpConnectionConfig.McpConnectionConfig =>
  AgentServerHttp.config(rest, options)

/** Options of a session with Codex's own MCP server: its options, its process, and the limits of the connection. */
export interface NativeOptions extends Omit<McpConnectionConfig.StdioOptions, "args" | "command" | "providerOptions"> {
  /** Program to start, by name or path. Default: `codex` on `PATH`. */
  readonly command?: string
  /** Options of Codex for this session; they take precedence over those that the adapter was made with. */
  readonly options?: CodexNativeOptions
}

/**
 * Configuration of a session with Codex's own MCP server (`codex mcp-server`, up to 0.153.4) over stdio, for an adapter with
 * the profile `native`. With a later Codex, `openSession` fails with `ConnectionUnavailable`, reason `not-an-mcp-server`.
 *
 * @param options Codex's options, and the limits of the process and the connection; all are optional
 *
 * @example
 * ```ts
 * import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
 *
 * CodexMcpClientAdapter.make({ profile: "native" })
 * CodexTransportFactory.native({ options: { sandbox: "read-only" }, idleTimeout: "10 minutes" })
 * ```
 */
export const native = ({ command, options, ...rest }: NativeOptions = {}): McpConnectionConfig.McpConnectionConfig =>
  McpConnectionConfig.stdio({
    ...rest,
    command: command ?? facts.program,
    args: [serverArgument],
    ...(options === undefined ? {} : { providerOptions: options }),
  })

/** How connections are made: through which MCP server, and with which options of Codex in every session. */
export type CreateOptions =
  | (TransportFactory.Options<CodexOptions> & {
      /**
       * `"agent-server"`: `zain-codex-mcp` in front of Codex 0.154 or later, which `local` starts and `http` connects to. It
       * streams, requests approvals, and continues a conversation after a cancelled turn. Default.
       */
      readonly profile?: "agent-server"
    })
  | (TransportFactory.Options<CodexNativeOptions> & {
      /**
       * `"native"`: Codex's own MCP server, which Codex had up to its version 0.153.4, and which `native` starts. It
       * streams and requests approvals; a cancelled turn, or a failed one after the first, ends the conversation: the
       * next `execute` fails with `SessionClosed`, `conversation-lost`.
       */
      readonly profile: "native"
    })

/**
 * The factory of one adapter's connections, which close with the Scope. Adapters call it; use `CodexMcpClientAdapter.make`.
 *
 * @param options the profile (`"agent-server"` by default), Codex's options, and how to open the wire
 */
export const make = (options: CreateOptions = {}) =>
  Effect.suspend(() =>
    options.profile === "native"
      ? TransportFactory.make(CodexNativeProfile.make(), options)
      : TransportFactory.make(CodexProfiles.agentServer, options),
  )

/**
 * Opens one connection to Codex, for a program that only tests whether Codex is available. Adapters call it for each
 * session.
 *
 * @param config the server, and the limits; `connectTimeout` bounds the handshake
 * @param options the profile (`"agent-server"` by default), Codex's options, and how to open the wire
 * @returns an opaque handle, which closes with the Scope. Fails with `ConnectionUnavailable`, or with `InvalidRequest`, reason
 *   `invalid-config`, for a configuration that is not valid
 *
 * @example
 * ```ts
 * import { CodexTransportFactory } from "@zain/codex-client"
 * import * as Effect from "effect/Effect"
 *
 * const isReachable = Effect.scoped(CodexTransportFactory.create(CodexTransportFactory.local())).pipe(
 *   Effect.as(true),
 *   Effect.catchTag("ConnectionUnavailable", () => Effect.succeed(false)),
 * )
 * ```
 *
 * @see seed, `CodexTransportFactory`
 */
export const create = (config: McpConnectionConfig.McpConnectionConfig, options?: CreateOptions) =>
  TransportFactory.create(make(options), config)
