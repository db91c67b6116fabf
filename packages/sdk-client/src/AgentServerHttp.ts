/**
 * How the agent server of another machine is reached.
 */
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"

/** `url`: where the server says that it listens. `bearerToken`: one of its token file. The rest: see `McpConnectionConfig`. */
export interface HttpOptions extends Omit<McpConnectionConfig.HttpOptions, "providerOptions"> {}

/**
 * The agent server over Streamable HTTP.
 *
 * @param options where it is, and the limits of the connection
 * @param providerOptions as in `McpConnectionConfig`
 * @returns whatever is wrong with the options is told when a session opens: `InvalidRequest`, reason `invalid-config`
 *
 * @example
 * ```ts
 * import * as AgentServerHttp from "@zain/sdk-client/AgentServerHttp"
 *
 * const config = AgentServerHttp.config({ url: "https://agents.example/mcp", bearerToken: "the token" }, { model: "small" })
 * ```
 */
export const config = (
  options: HttpOptions,
  providerOptions: Readonly<Record<string, unknown>> | undefined,
): McpConnectionConfig.McpConnectionConfig =>
  McpConnectionConfig.streamableHttp({ ...options, ...(providerOptions === undefined ? {} : { providerOptions }) })
