/**
 * Codex and Claude Code through promises: the port, in one package without dependencies.
 *
 * Its errors are other classes than those of `@zain/core`: match on `_tag`.
 */
import { facts as claudeCodeFacts } from "@zain/claude-code-client/ClaudeCodeFacts"
import * as ClaudeCodeMcpClientAdapter from "@zain/claude-code-client/ClaudeCodeMcpClientAdapter"
import type { ClaudeCodeOptions } from "@zain/claude-code-client/ClaudeCodeOptions"
import * as ClaudeCodeTransportFactory from "@zain/claude-code-client/ClaudeCodeTransportFactory"
import { facts as codexFacts } from "@zain/codex-client/CodexFacts"
import * as CodexMcpClientAdapter from "@zain/codex-client/CodexMcpClientAdapter"
import type { CodexOptions } from "@zain/codex-client/CodexOptions"
import * as CodexTransportFactory from "@zain/codex-client/CodexTransportFactory"
import * as AgentDoor from "./AgentDoor.ts"

export type { ClaudeCodeOptions, ClaudeCodeTurnOptions } from "@zain/claude-code-client/ClaudeCodeOptions"
export type { CodexOptions, CodexTurnOptions } from "@zain/codex-client/CodexOptions"
export {
  type ConnectionUnavailable,
  type ConnectionUnavailableReason,
  type InvalidRequest,
  type InvalidRequestReason,
  McpBudget,
  McpConnectionConfig,
  type McpDelivery,
  type McpDiagnostics,
  type McpEvent,
  type McpPromiseClient,
  type McpPromiseClientSessionConfig,
  McpPromiseRetry,
  type McpRequest,
  McpResponse,
  McpResult,
  type McpSessionId,
  type McpSupports,
  McpTool,
  type McpUsage,
  type SessionClosed,
  type SessionClosedReason,
  type SessionNotFound,
} from "@zain/core"
export { isMcpError, type McpError } from "@zain/core/McpError"
export type { AgentDoor, ClientOptions } from "./AgentDoor.ts"

/**
 * Codex.
 *
 * @example
 * ```ts
 * import { codex, McpResponse, McpResult } from "@zain/agents"
 *
 * await using client = await codex.make()
 * const session = McpResult.getOrThrow(await client.openSession(codex.local()))
 * const { content } = McpResponse.getOrThrow(await client.execute(session, "What does this repository do?"))
 * console.log(content)
 * ```
 */
export const codex: AgentDoor.AgentDoor<
  CodexOptions,
  CodexTransportFactory.LocalOptions,
  CodexTransportFactory.HttpOptions
> = AgentDoor.make({
  make: CodexMcpClientAdapter.make,
  local: CodexTransportFactory.local,
  http: CodexTransportFactory.http,
  server: codexFacts.server,
})

/**
 * Claude Code.
 *
 * @example
 * ```ts
 * import { claudeCode, McpResponse, McpResult } from "@zain/agents"
 *
 * await using client = await claudeCode.make()
 * const session = McpResult.getOrThrow(await client.openSession(claudeCode.local()))
 * const { content } = McpResponse.getOrThrow(await client.execute(session, "What does this repository do?"))
 * console.log(content)
 * ```
 */
export const claudeCode: AgentDoor.AgentDoor<
  ClaudeCodeOptions,
  ClaudeCodeTransportFactory.LocalOptions,
  ClaudeCodeTransportFactory.HttpOptions
> = AgentDoor.make({
  make: ClaudeCodeMcpClientAdapter.make,
  local: ClaudeCodeTransportFactory.local,
  http: ClaudeCodeTransportFactory.http,
  server: claudeCodeFacts.server,
})
