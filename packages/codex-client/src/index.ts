/**
 * Codex as an `McpClient`: its options, configurations of connections, and the adapter.
 */
export * as CodexFacts from "./CodexFacts.ts"
export * as CodexMcpClientAdapter from "./CodexMcpClientAdapter.ts"
export * as CodexOptions from "./CodexOptions.ts"
export * as CodexTransportFactory from "./CodexTransportFactory.ts"
