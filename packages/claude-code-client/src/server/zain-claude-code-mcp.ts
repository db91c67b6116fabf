#!/usr/bin/env node
import * as Main from "@zain/agent-server/Main"
/**
 * Claude Code as an MCP server.
 */
import * as Environment from "@zain/process/Environment"
import { programs } from "@zain/tool-server/AgentProgram"
import * as ClaudeCodeAgent from "./ClaudeCodeAgent.ts"

Main.run({
  name: "zain-claude-code-mcp",
  ...programs["claude-code"],
  environment: [
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_*",
    "ANTHROPIC_*",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY",
    "XDG_STATE_HOME",
    ...Environment.proxies,
    "NODE_EXTRA_CA_CERTS",
  ],
  agent: ClaudeCodeAgent.make,
})
