/**
 * How to reach a Claude Code.
 *
 * @see seed, `ClaudeCodeTransportFactory`
 */
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as AgentServerCommand from "@zain/sdk-client/AgentServerCommand"
import * as AgentServerHttp from "@zain/sdk-client/AgentServerHttp"
import type { ClaudeCodeNativeOptions, ClaudeCodeOptions } from "./ClaudeCodeOptions.ts"

/** What turns Claude Code into an MCP server. */
export const serverArguments: ReadonlyArray<string> = ["mcp", "serve"]

/** `options`: see `ClaudeCodeOptions`. The rest: see `AgentServerCommand.LocalOptions`. */
export interface LocalOptions extends AgentServerCommand.LocalOptions {
  readonly options?: ClaudeCodeOptions
}

/**
 * The Claude Code of this machine behind `@zain/agent-server` over stdio, for an adapter with the default profile. Where
 * that package is not installed, `zain-claude-code-mcp` is looked for on `PATH`; a session opens with
 * `ConnectionUnavailable`, reason `spawn-failed`, if it is not there either.
 *
 * **Example**
 *
 * ```ts
 * import { ClaudeCodeTransportFactory } from "@zain/claude-code-client"
 *
 * ClaudeCodeTransportFactory.local({ options: { model: "sonnet", permissionMode: "acceptEdits" } })
 * ```
 *
 * @see design, §6
 */
export const local = ({ options, ...rest }: LocalOptions = {}): McpConnectionConfig.McpConnectionConfig =>
  AgentServerCommand.config({ program: "zain-claude-code-mcp", agent: "claude", from: import.meta.url }, rest, options)

/** `options`: see `ClaudeCodeOptions`; paths in them are of the agent's machine. The rest: see `AgentServerHttp.HttpOptions`. */
export interface HttpOptions extends AgentServerHttp.HttpOptions {
  readonly options?: ClaudeCodeOptions
}

/**
 * The Claude Code of another machine, behind `zain-claude-code-mcp http`: for an adapter with the default profile.
 *
 * **Example**
 *
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
 * @see docs/running-remotely.md
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
 * **Example**
 *
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
    command: command ?? "claude",
    args: ["--setting-sources=user", ...serverArguments],
    ...(options === undefined ? {} : { providerOptions: options }),
  })
