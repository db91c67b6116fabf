/**
 * The profile of Codex behind the agent server. `native/CodexNativeProfile` is that of Codex's own MCP server.
 */

import * as McpServerOption from "@zain/process/McpServerOption"
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import * as AgentServerProfile from "@zain/sdk-client/AgentServerProfile"
import * as Schema from "effect/Schema"
import { facts } from "./CodexFacts.ts"
import { CodexOptions, CodexStartOptions, CodexTurnOptions } from "./CodexOptions.ts"
import * as CodexFailedTurn from "./native/CodexFailedTurn.ts"
import * as CodexVersion from "./native/CodexVersion.ts"

/** Codex 0.154 or later, behind `zain-codex-mcp`. */
export const agentServer: AgentProfile<CodexOptions> = AgentServerProfile.make({
  provider: facts.name,
  vendor: facts.vendor,
  causeOf: CodexFailedTurn.causeOf,
  options: CodexOptions,
  turnOptions: CodexTurnOptions,
  extensions: true,
  environment: facts.environment,
  server: facts.server,
  tool: "codex",
  toArguments: Schema.encodeSync(CodexStartOptions),
  secretsOf: ({ mcpServers }) => McpServerOption.secretsOf(mcpServers),
  native: { server: "codex-mcp-server", args: [CodexVersion.serverArgument] },
})
