/**
 * How to reach a Codex, and the connections to it.
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

/** `options`: see `CodexOptions`. The rest: see `AgentServerCommand.LocalOptions`. */
export type LocalOptions = AgentServerCommand.LocalOptions & { readonly options?: CodexOptions }

/**
 * The Codex of this machine, any current version, behind `zain-codex-mcp` over stdio: for an adapter with the default
 * profile. The program is this package's; in a bundle, the file `zain-codex-mcp.js` beside it; else the one on `PATH`. If there
 * is none, `openSession` fails with `ConnectionUnavailable`, reason `spawn-failed`.
 *
 * @example
 * ```ts
 * import { CodexTransportFactory } from "@zain/codex-client"
 *
 * CodexTransportFactory.local({ options: { sandbox: "workspace-write", approvalPolicy: "on-request" } })
 * ```
 *
 * @see design, §6
 */
export const local = ({ options, ...rest }: LocalOptions = {}): McpConnectionConfig.McpConnectionConfig =>
  AgentServerCommand.config(
    { program: `@zain/codex-client/${facts.server}`, agent: facts.program, from: import.meta.url },
    rest,
    options,
  )

/** `options`: see `CodexOptions`; paths in them are of the agent's machine. The rest: see `AgentServerHttp.HttpOptions`. */
export type HttpOptions = AgentServerHttp.HttpOptions & { readonly options?: CodexOptions }

/**
 * The Codex of another machine, behind `zain-codex-mcp http`: for an adapter with the default profile.
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

/** `command`: the Codex to start, found on `PATH` by default. `options`: see `CodexNativeOptions`. */
export interface NativeOptions extends Omit<McpConnectionConfig.StdioOptions, "args" | "command" | "providerOptions"> {
  readonly command?: string
  readonly options?: CodexNativeOptions
}

/**
 * The Codex of this machine, as an MCP server over stdio: any version up to 0.153.4, for an adapter with the profile
 * `native`.
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

/**
 * `profile`: what stands before Codex. `"agent-server"` by default: `zain-codex-mcp`, before any current Codex, which `local` starts
 * and `http` reaches. `"native"`: Codex's own MCP server, which it has up to 0.153.4 and `native` starts.
 * The rest: see `TransportFactory.Options`.
 */
export type CreateOptions =
  | (TransportFactory.Options<CodexOptions> & { readonly profile?: "agent-server" })
  | (TransportFactory.Options<CodexNativeOptions> & { readonly profile: "native" })

/**
 * The factory of one adapter. Its connections share what they can, and end with the Scope.
 *
 * @param options what every connection starts with
 */
export const make = (options: CreateOptions = {}) =>
  Effect.suspend(() =>
    options.profile === "native"
      ? TransportFactory.make(CodexNativeProfile.make(), options)
      : TransportFactory.make(CodexProfiles.agentServer, options),
  )

/**
 * One connection to Codex, for a program that only asks whether it can be reached: adapters call it for each session.
 *
 * @param config where the server is, and the limits; `connectTimeout` bounds the handshake
 * @param options what the connection starts with
 * @returns an opaque handle, which ends with the Scope. Fails with `ConnectionUnavailable`, or with `InvalidRequest` (`invalid-config`)
 *   for a configuration that cannot be read
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
