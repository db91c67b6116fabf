/**
 * The profile of Claude Code's own MCP server.
 */
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import * as AgentServerProfile from "@zain/sdk-client/AgentServerProfile"
import { facts } from "../ClaudeCodeFacts.ts"
import { ClaudeCodeNativeOptions } from "../ClaudeCodeOptions.ts"
import * as ClaudeCodeDialect from "./ClaudeCodeDialect.ts"
import * as ClaudeCodeFailedTurn from "./ClaudeCodeFailedTurn.ts"
import * as ClaudeCodeSession from "./ClaudeCodeSession.ts"

/** Claude Code as its own MCP server. Its other tools run without permission checks, so callers cannot name a tool. */
export const profile: AgentProfile<ClaudeCodeNativeOptions> = {
  provider: facts.name,
  vendor: facts.vendor,
  causeOf: ClaudeCodeFailedTurn.causeOf,
  supports: {
    streaming: false,
    approvals: false,
    cancelKeepsConversation: true,
    failureKeepsConversation: true,
    background: false,
  },
  options: ClaudeCodeNativeOptions,
  environment: facts.environment,
  open: ClaudeCodeSession.open,
  accepts: AgentServerProfile.refuse,
  event: ClaudeCodeDialect.event,
}
