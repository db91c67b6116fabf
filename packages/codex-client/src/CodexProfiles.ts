/**
 * The profile of Codex behind the agent server. `native/CodexNativeProfile` is that of Codex's own MCP server.
 */
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import * as AgentServerProfile from "@zain/sdk-client/AgentServerProfile"
import * as Schema from "effect/Schema"
import { facts } from "./CodexFacts.ts"
import * as CodexFailedTurn from "./CodexFailedTurn.ts"
import { CodexOptions, CodexStartOptions, CodexTurnOptions } from "./CodexOptions.ts"
import * as CodexVersion from "./native/CodexVersion.ts"

/** Codex 0.154 or later, behind `zain-codex-mcp`. */
export const agentServer: AgentProfile<CodexOptions> = AgentServerProfile.make({
  provider: facts.name,
  vendor: facts.vendor,
  causeOf: CodexFailedTurn.causeOf,
  options: CodexOptions,
  turnOptions: CodexTurnOptions,
  tools: true,
  environment: facts.environment,
  server: facts.server,
  tool: "codex",
  toArguments: Schema.encodeSync(CodexStartOptions),
  native: { server: "codex-mcp-server", args: [CodexVersion.serverArgument] },
})
