/**
 * How to reach a Codex.
 *
 * @see seed, `CodexTransportFactory`
 */
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { CodexOptions } from "./CodexOptions.ts"
import { serverArgument } from "./CodexVersion.ts"

/** `command`: the Codex to start, found on `PATH` by default. `options`: see `CodexOptions`. */
export interface NativeOptions extends Omit<McpConnectionConfig.StdioOptions, "args" | "command" | "providerOptions"> {
  readonly command?: string
  readonly options?: CodexOptions
}

/**
 * The Codex of this machine, as an MCP server over stdio: any version up to 0.153.4.
 *
 * **Example**
 *
 * ```ts
 * import { CodexTransportFactory } from "@zain/codex-client"
 *
 * CodexTransportFactory.native({ options: { sandbox: "read-only" }, idleTimeout: "10 minutes" })
 * ```
 */
export const native = ({ command, options, ...rest }: NativeOptions = {}): McpConnectionConfig.McpConnectionConfig =>
  McpConnectionConfig.stdio({
    ...rest,
    command: command ?? "codex",
    args: [serverArgument],
    ...(options === undefined ? {} : { providerOptions: options }),
  })
