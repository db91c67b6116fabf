/**
 * The three ways to reach an MCP server.
 */
import * as Schema from "effect/Schema"

/**
 * How to reach an MCP server: `stdio` starts a process; `streamable-http`, MCP's current transport over HTTP, and
 * `sse`, the one before it, connect to a running server.
 *
 * @see MCP specification, Transports
 */
export const McpTransport = Schema.Literals(["stdio", "streamable-http", "sse"])
export type McpTransport = typeof McpTransport.Type
