/**
 * Codex behind the Zain port.
 */
export * as CodexFacts from "./CodexFacts.ts"
export * as CodexMcpClientAdapter from "./CodexMcpClientAdapter.ts"
export * as CodexOptions from "./CodexOptions.ts"
export * as CodexTransportFactory from "./CodexTransportFactory.ts"
