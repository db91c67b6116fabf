/**
 * What is different about Claude Code: behind the agent server, and as its own MCP server.
 */
import * as McpProvider from "@zain/core/McpProvider"
import * as Environment from "@zain/process/Environment"
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import * as AgentServerProfile from "@zain/sdk-client/AgentServerProfile"
import * as ClaudeCodeFailedTurn from "./ClaudeCodeFailedTurn.ts"
import { ClaudeCodeNativeOptions, ClaudeCodeOptions, toServerArguments } from "./ClaudeCodeOptions.ts"
import * as ClaudeCodeDialect from "./native/ClaudeCodeDialect.ts"
import * as ClaudeCodeSession from "./native/ClaudeCodeSession.ts"

const environment = [
  "CLAUDE_CONFIG_DIR",
  "CLAUDE_CODE_*",
  "ANTHROPIC_*",
  "DISABLE_AUTOUPDATER",
  "DISABLE_ERROR_REPORTING",
  "DISABLE_TELEMETRY",
  ...Environment.proxies,
  "NODE_EXTRA_CA_CERTS",
]

/** Any current Claude Code, behind `zain-claude-code-mcp`. */
export const agentServer: AgentProfile<ClaudeCodeOptions> = AgentServerProfile.make({
  provider: McpProvider.claudeCode,
  vendor: "anthropic",
  causeOf: ClaudeCodeFailedTurn.causeOf,
  options: ClaudeCodeOptions,
  // Where the server keeps what it knows of threads.
  environment: [...environment, "XDG_STATE_HOME"],
  server: "zain-claude-code-mcp",
  tool: "claude-code",
  toArguments: toServerArguments,
  native: { server: "claude/tengu", args: ClaudeCodeSession.serverArguments },
})

/** Claude Code as its own MCP server. Its other tools run unchecked, so no name of a tool comes from a caller. */
export const native: AgentProfile<ClaudeCodeNativeOptions> = {
  provider: McpProvider.claudeCode,
  vendor: "anthropic",
  causeOf: ClaudeCodeFailedTurn.causeOf,
  supports: { streaming: false, approvals: false, cancelKeepsConversation: true, failureKeepsConversation: true },
  options: ClaudeCodeNativeOptions,
  environment,
  open: ClaudeCodeSession.open,
  accepts: AgentServerProfile.refuse,
  event: ClaudeCodeDialect.event,
}
