/**
 * What is different about Claude Code: behind the agent server, and as its own MCP server.
 */
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import * as AgentServerProfile from "@zain/sdk-client/AgentServerProfile"
import { facts, serverArguments } from "./ClaudeCodeFacts.ts"
import * as ClaudeCodeFailedTurn from "./ClaudeCodeFailedTurn.ts"
import { ClaudeCodeNativeOptions, ClaudeCodeOptions, toServerArguments } from "./ClaudeCodeOptions.ts"
import * as ClaudeCodeDialect from "./native/ClaudeCodeDialect.ts"
import * as ClaudeCodeSession from "./native/ClaudeCodeSession.ts"

/** Any current Claude Code, behind `zain-claude-code-mcp`. */
export const agentServer: AgentProfile<ClaudeCodeOptions> = AgentServerProfile.make({
  provider: facts.name,
  vendor: facts.vendor,
  causeOf: ClaudeCodeFailedTurn.causeOf,
  options: ClaudeCodeOptions,
  environment: facts.environment,
  server: facts.server,
  tool: "claude-code",
  toArguments: toServerArguments,
  native: { server: "claude/tengu", args: serverArguments },
})

/** Claude Code as its own MCP server. Its other tools run unchecked, so no name of a tool comes from a caller. */
export const native: AgentProfile<ClaudeCodeNativeOptions> = {
  provider: facts.name,
  vendor: facts.vendor,
  causeOf: ClaudeCodeFailedTurn.causeOf,
  supports: { streaming: false, approvals: false, cancelKeepsConversation: true, failureKeepsConversation: true },
  options: ClaudeCodeNativeOptions,
  environment: facts.environment,
  open: ClaudeCodeSession.open,
  accepts: AgentServerProfile.refuse,
  event: ClaudeCodeDialect.event,
}
