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
import * as mcpTool from "./McpTool.ts"

export type {
  AgentConnection,
  AgentRequest,
  AgentThreads,
  Answer,
  Driver,
  ThreadChange,
  ToolAnswer,
  TraceContext,
  Turn,
  TurnTrace,
} from "./AgentConnection.ts"
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
  McpQuestion,
  McpQuestionAnswers,
} from "./McpApproval.ts"
export * as McpApproval from "./McpApproval.ts"
export type { ImageMediaType, McpAttachment } from "./McpAttachment.ts"
export { BackgroundWork } from "./McpBackground.ts"
export * as McpBudget from "./McpBudget.ts"
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
export { McpEvent, type McpEventContent, McpEvents, type McpStreamEnd, type McpStreamed } from "./McpEvents.ts"
export type { JsonSchema, McpOutput } from "./McpOutput.ts"
export type {
  Options as McpPromiseClientOptions,
  SessionConfig as McpPromiseClientSessionConfig,
} from "./McpPromiseClient.ts"
export * as McpPromiseRetry from "./McpPromiseRetry.ts"
export type { McpPromiseSession } from "./McpPromiseSession.ts"
export type { McpPromiseThreads, McpSessionThreads } from "./McpPromiseThreads.ts"
export type { McpRequest } from "./McpRequest.ts"
export * as McpRequestParser from "./McpRequestParser.ts"
export type { McpAnswer, McpContext, McpStopReason, McpUsage } from "./McpResponse.ts"
export * as McpRetry from "./McpRetry.ts"
export { type McpSession, withSession } from "./McpSession.ts"
export type { McpSessionEntry } from "./McpSessionCatalog.ts"
export * as McpSessionRuntime from "./McpSessionRuntime.ts"
export { McpSteer, type McpSteered } from "./McpSteer.ts"
export {
  type McpForkOptions,
  McpThread,
  McpThreadPage,
  type McpThreadQuery,
  McpThreads,
  type McpThreadTurn,
  type McpThreadTurns,
  type McpTurnQuery,
} from "./McpThreads.ts"
export type { McpToolContext } from "./McpTool.ts"
export { McpTransport } from "./McpTransport.ts"
export * as SchemaProblem from "./SchemaProblem.ts"
export * as SessionFailure from "./SessionFailure.ts"
export * as StdioUrl from "./StdioUrl.ts"
export * as TerminalText from "./TerminalText.ts"
export type { ToolDefinition } from "./ToolDefinition.ts"

// A name is both a type and the functions of its module.
/** An implementation of the port for one provider, and `layer`, which provides it as services of Effect. */
export type McpClientAdapter = mcpClientAdapter.McpClientAdapter
export const McpClientAdapter = mcpClientAdapter
/** Where an MCP server is and the limits of the connection, with `stdio`, `streamableHttp`, `sse` and `parse`. */
export type McpConnectionConfig = mcpConnectionConfig.McpConnectionConfig
export const McpConnectionConfig = mcpConnectionConfig
/** The four errors of an operation, as a type, a schema and classes: match on `_tag`, then on `reason`. */
export type McpError = mcpError.McpError
export const McpError = mcpError
/** A client with promises, and `make`, which makes one of an adapter. */
export type McpPromiseClient = mcpPromiseClient.McpPromiseClient
export const McpPromiseClient = mcpPromiseClient
/** The name of an agent, such as `"codex"` or `"claude-code"`. */
export type McpProvider = mcpProvider.McpProvider
export const McpProvider = mcpProvider
/** The answer of an agent to one prompt, with `getOrThrow` and `orFail`, which make an error of a failed turn. */
export type McpResponse<A = unknown> = mcpResponse.McpResponse<A>
export const McpResponse = mcpResponse
/** A success with its value or a failure with an `McpError`, with `isSuccess`, `isFailure` and `getOrThrow`. */
export type McpResult<A> = mcpResult.McpResult<A>
export const McpResult = mcpResult
/** The sessions of a client and their states, and `make`, which makes an empty catalog. */
export type McpSessionCatalog = mcpSessionCatalog.McpSessionCatalog
export const McpSessionCatalog = mcpSessionCatalog
/** The id of a session, which `openSession` returns. */
export type McpSessionId = mcpSessionId.McpSessionId
export const McpSessionId = mcpSessionId
/** A function of this process that an agent's model can call, and `make`, which types its arguments. */
export type McpTool = mcpTool.McpTool
export const McpTool = mcpTool
