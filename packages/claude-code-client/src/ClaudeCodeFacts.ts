/**
 * Facts about Claude Code: its program, its environment, its versions, its login, and its start.
 */
import { join } from "node:path"
import * as McpProvider from "@zain/core/McpProvider"
import * as Environment from "@zain/process/Environment"
import * as StateFiles from "@zain/process/StateFiles"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as ClaudeCodeLoginQuestion from "./native/ClaudeCodeLoginQuestion.ts"
import * as ClaudeCodeStartCheck from "./native/ClaudeCodeStartCheck.ts"
import { tried } from "./native/TestedVersion.ts"

/** The last arguments with which `claude` runs as an MCP server; flags with settings stand before them. */
export const serverArguments: ReadonlyArray<string> = ["mcp", "serve"]

/**
 * Claude Code's program, the commands that install it and log it in, its versions, and the variables that it receives.
 *
 * @example
 * ```ts
 * import { facts } from "@zain/claude-code-client/ClaudeCodeFacts"
 *
 * console.log(`Install ${facts.title} with: ${facts.install}`)
 * ```
 */
export const facts: AgentFacts = {
  name: McpProvider.claudeCode,
  title: "Claude Code",
  program: "claude",
  install: "npm install --global @anthropic-ai/claude-code",
  logIn: "claude auth login",
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
  quiet: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" },
  servers: (env) => join(env["CLAUDE_CONFIG_DIR"] ?? StateFiles.homeOf(env), ".claude.json"),
  server: "zain-claude-code-mcp",
  factory: "ClaudeCodeTransportFactory",
  vendor: "anthropic",
  oldest: [2, 1, 0],
  tried,
  // Settings of the directory it works in are not read: a project's hooks would run without a question.
  ownServer: () => ["--setting-sources=user", ...serverArguments],
  question: "claude auth",
  protocol: "claude -p",
  login: ClaudeCodeLoginQuestion.ask,
  check: ClaudeCodeStartCheck.ask,
}
