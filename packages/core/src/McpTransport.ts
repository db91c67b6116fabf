/**
 * The three ways to reach an MCP server.
 */
import * as Schema from "effect/Schema"

/** `stdio` starts a process; `streamable-http` and `sse` reach a server that runs already. */
export const McpTransport = Schema.Literals(["stdio", "streamable-http", "sse"])
export type McpTransport = typeof McpTransport.Type
