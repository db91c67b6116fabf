/**
 * How to reach a Claude Code.
 *
 * @see seed, `ClaudeCodeTransportFactory`
 */
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { ClaudeCodeOptions } from "./ClaudeCodeOptions.ts"

/** What turns Claude Code into an MCP server. */
export const serverArguments: ReadonlyArray<string> = ["mcp", "serve"]

/** `command`: the Claude Code to start, found on `PATH` by default. `options`: see `ClaudeCodeOptions`. */
export interface NativeOptions extends Omit<McpConnectionConfig.StdioOptions, "args" | "command" | "providerOptions"> {
  readonly command?: string
  readonly options?: ClaudeCodeOptions
}

/**
 * The Claude Code of this machine, as an MCP server over stdio. Settings of the directory it works in are not read: a
 * project's hooks would run without a question.
 *
 * **Example**
 *
 * ```ts
 * import { ClaudeCodeTransportFactory } from "@zain/claude-code-client"
 *
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
