/**
 * Claude Code behind the Zain port.
 */
export * as ClaudeCodeFacts from "./ClaudeCodeFacts.ts"
export * as ClaudeCodeMcpClientAdapter from "./ClaudeCodeMcpClientAdapter.ts"
export * as ClaudeCodeOptions from "./ClaudeCodeOptions.ts"
export * as ClaudeCodeTransportFactory from "./ClaudeCodeTransportFactory.ts"
