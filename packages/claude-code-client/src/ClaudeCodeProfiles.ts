/**
 * The profile of Claude Code behind the agent server. `native/ClaudeCodeNativeProfile` is that of Claude Code's own MCP
 * server.
 */

import * as McpServerOption from "@zain/process/McpServerOption"
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import * as AgentServerProfile from "@zain/sdk-client/AgentServerProfile"
import * as Schema from "effect/Schema"
import { facts, serverArguments } from "./ClaudeCodeFacts.ts"
import { ClaudeCodeOptions, ClaudeCodeStartOptions, ClaudeCodeTurnOptions } from "./ClaudeCodeOptions.ts"
import * as ClaudeCodeFailedTurn from "./native/ClaudeCodeFailedTurn.ts"

/** Claude Code 2.1 or later, behind `zain-claude-code-mcp`. */
export const agentServer: AgentProfile<ClaudeCodeOptions> = AgentServerProfile.make({
  provider: facts.name,
  vendor: facts.vendor,
  causeOf: ClaudeCodeFailedTurn.causeOf,
  options: ClaudeCodeOptions,
  turnOptions: ClaudeCodeTurnOptions,
  extensions: true,
  environment: facts.environment,
  server: facts.server,
  tool: "claude-code",
  reportsCost: true,
  toArguments: Schema.encodeSync(ClaudeCodeStartOptions),
  secretsOf: ({ mcpServers }) => McpServerOption.secretsOf(mcpServers),
  native: { server: "claude/tengu", args: serverArguments },
})
