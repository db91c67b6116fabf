/**
 * The port for driving coding agents over MCP.
 */
import * as mcpClientAdapter from "./McpClientAdapter.ts"
import * as mcpConnectionConfig from "./McpConnectionConfig.ts"
import * as mcpError from "./McpError.ts"
import * as mcpPromiseClient from "./McpPromiseClient.ts"
import * as mcpProvider from "./McpProvider.ts"
import * as mcpResponse from "./McpResponse.ts"
import * as mcpResult from "./McpResult.ts"
import * as mcpSessionCatalog from "./McpSessionCatalog.ts"
import * as mcpSessionId from "./McpSessionId.ts"

export type { AgentConnection, Answer, Driver, TraceContext, Turn, TurnTrace } from "./AgentConnection.ts"
export type { FailedTurnCause } from "./FailedTurn.ts"
export * as FailedTurn from "./FailedTurn.ts"
export * as InMemoryMcpClient from "./InMemoryMcpClient.ts"
export type {
  McpApprovalAnswer,
  McpApprovalAsker,
  McpApprovalDecision,
  McpApprovalEntry,
  McpApprovalPolicy,
  McpApprovalReply,
  McpApprovalRequest,
  McpApprovalRule,
  McpFileChange,
} from "./McpApproval.ts"
export * as McpApproval from "./McpApproval.ts"
export { McpClient } from "./McpClient.ts"
export type { McpSupports } from "./McpClientAdapter.ts"
export type { HttpOptions, McpLimits, McpTls, Secret, StdioOptions } from "./McpConnectionConfig.ts"
export {
  ConnectionUnavailable,
  type ConnectionUnavailableReason,
  InvalidRequest,
  type InvalidRequestReason,
  type McpDelivery,
  type McpDiagnostics,
  SessionClosed,
  type SessionClosedReason,
  SessionNotFound,
} from "./McpError.ts"
export { McpEvent, type McpEventContent, McpEvents } from "./McpEvents.ts"
export type { McpRequest } from "./McpRequest.ts"
export * as McpRequestParser from "./McpRequestParser.ts"
export type { McpUsage } from "./McpResponse.ts"
export type { McpSessionEntry } from "./McpSessionCatalog.ts"
export * as McpSessionRuntime from "./McpSessionRuntime.ts"
export { McpTransport } from "./McpTransport.ts"
export * as SchemaProblem from "./SchemaProblem.ts"
export * as SessionFailure from "./SessionFailure.ts"
export * as StdioUrl from "./StdioUrl.ts"

// A name is both a type and the functions of its module.
export type McpClientAdapter = mcpClientAdapter.McpClientAdapter
export const McpClientAdapter = mcpClientAdapter
export type McpConnectionConfig = mcpConnectionConfig.McpConnectionConfig
export const McpConnectionConfig = mcpConnectionConfig
export type McpError = mcpError.McpError
export const McpError = mcpError
export type McpPromiseClient = mcpPromiseClient.McpPromiseClient
export const McpPromiseClient = mcpPromiseClient
export type McpProvider = mcpProvider.McpProvider
export const McpProvider = mcpProvider
export type McpResponse = mcpResponse.McpResponse
export const McpResponse = mcpResponse
export type McpResult<A> = mcpResult.McpResult<A>
export const McpResult = mcpResult
export type McpSessionCatalog = mcpSessionCatalog.McpSessionCatalog
export const McpSessionCatalog = mcpSessionCatalog
export type McpSessionId = mcpSessionId.McpSessionId
export const McpSessionId = mcpSessionId
