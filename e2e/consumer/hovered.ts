// Types that users meet: hover.mjs finds a description at each of their members.
import type { AgentDoor, claudeCode, codex } from "@zain/agents"
import type {
  ClaudeCodeMcpClientAdapter,
  ClaudeCodeOptions,
  ClaudeCodeTransportFactory,
} from "@zain/claude-code-client"
import type { CodexMcpClientAdapter, CodexOptions, CodexTransportFactory } from "@zain/codex-client"
import type {
  ConnectionUnavailable,
  HttpOptions,
  McpApproval,
  McpApprovalEntry,
  McpClientAdapter,
  McpConnectionConfig,
  McpEvent,
  McpPromiseClient,
  McpPromiseClientOptions,
  McpRequest,
  McpResponse,
  McpSessionEntry,
  StdioOptions,
} from "@zain/core"
import type { Evaluator, ImprovementLoop, LoopEvent } from "@zain/loopsmith"

export interface Hovered {
  agents: [AgentDoor<object, object, object>, typeof codex, typeof claudeCode]
  port: [
    McpClientAdapter,
    McpPromiseClient,
    McpPromiseClientOptions,
    McpRequest,
    McpResponse,
    McpEvent,
    McpSessionEntry,
  ]
  errors: ConnectionUnavailable
  connection: [McpConnectionConfig, StdioOptions, HttpOptions]
  approvals: [McpApproval.Options, McpApprovalEntry]
  claudeCode: [
    ClaudeCodeMcpClientAdapter.Options,
    ClaudeCodeOptions.ClaudeCodeOptions,
    ClaudeCodeOptions.ClaudeCodeNativeOptions,
    ClaudeCodeTransportFactory.LocalOptions,
    ClaudeCodeTransportFactory.HttpOptions,
  ]
  codex: [
    CodexMcpClientAdapter.Options,
    CodexOptions.CodexOptions,
    CodexOptions.CodexNativeOptions,
    CodexTransportFactory.LocalOptions,
    CodexTransportFactory.HttpOptions,
  ]
  loopsmith: [Evaluator.Evaluator, LoopEvent.LoopEvent, Parameters<typeof ImprovementLoop.run>]
}
