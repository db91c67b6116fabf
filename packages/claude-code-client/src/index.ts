/**
 * Claude Code as an `McpClient`: its options, configurations of connections, and the adapter.
 */
export * as ClaudeCodeFacts from "./ClaudeCodeFacts.ts"
export * as ClaudeCodeMcpClientAdapter from "./ClaudeCodeMcpClientAdapter.ts"
export * as ClaudeCodeOptions from "./ClaudeCodeOptions.ts"
export * as ClaudeCodeTransportFactory from "./ClaudeCodeTransportFactory.ts"
