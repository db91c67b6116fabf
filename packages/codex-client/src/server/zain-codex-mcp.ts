#!/usr/bin/env node
import * as Main from "@zain/agent-server/Main"
/**
 * Codex as an MCP server.
 */
import * as Environment from "@zain/process/Environment"
import { programs } from "@zain/tool-server/AgentProgram"
import * as CodexAgent from "./CodexAgent.ts"

Main.run({
  name: "zain-codex-mcp",
  ...programs.codex,
  environment: ["CODEX_*", "OPENAI_*", "XDG_STATE_HOME", ...Environment.proxies, "SSL_CERT_FILE", "SSL_CERT_DIR"],
  agent: CodexAgent.make,
})
