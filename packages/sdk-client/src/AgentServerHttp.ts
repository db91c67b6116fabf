/**
 * Configurations that connect to an agent server over HTTP.
 */
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"

/**
 * The options of a connection to an agent server. `url` is the URL that the server prints at its start; `bearerToken` is one
 * of the tokens in its token file. The other options are those of `McpConnectionConfig.streamableHttp`.
 */
export interface HttpOptions extends Omit<McpConnectionConfig.HttpOptions, "providerOptions"> {}

/**
 * Returns the configuration of an agent server over Streamable HTTP. Invalid options fail when a session opens, with
 * `InvalidRequest`, reason `invalid-config`.
 *
 * @param options the server's `url`, which alone is required, the credentials, and the limits of the connection
 * @param providerOptions the provider's options for every session, as in `McpConnectionConfig`
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
