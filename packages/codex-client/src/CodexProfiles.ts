/**
 * What is different about Codex: behind the agent server, and as its own MCP server.
 */
import * as McpProvider from "@zain/core/McpProvider"
import * as Environment from "@zain/process/Environment"
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import * as AgentServerProfile from "@zain/sdk-client/AgentServerProfile"
import * as CodexFailedTurn from "./CodexFailedTurn.ts"
import { CodexNativeOptions, CodexOptions, toServerArguments } from "./CodexOptions.ts"
import * as CodexElicitation from "./native/CodexElicitation.ts"
import * as CodexEvent from "./native/CodexEvent.ts"
import * as CodexSession from "./native/CodexSession.ts"
import * as CodexVersion from "./native/CodexVersion.ts"

const environment = ["CODEX_HOME", "OPENAI_API_KEY", ...Environment.proxies, "SSL_CERT_FILE", "SSL_CERT_DIR"]

/** Any current Codex, behind `zain-codex-mcp`. */
export const agentServer: AgentProfile<CodexOptions> = AgentServerProfile.make({
  provider: McpProvider.codex,
  vendor: "openai",
  causeOf: CodexFailedTurn.causeOf,
  options: CodexOptions,
  environment,
  server: "zain-codex-mcp",
  tool: "codex",
  toArguments: toServerArguments,
  native: { server: "codex-mcp-server", args: [CodexVersion.serverArgument] },
})

/** A Codex up to 0.153.4, as its own MCP server. */
export const native = (): AgentProfile<CodexNativeOptions> => ({
  provider: McpProvider.codex,
  vendor: "openai",
  causeOf: CodexFailedTurn.causeOf,
  supports: { streaming: true, approvals: true, cancelKeepsConversation: false, failureKeepsConversation: false },
  options: CodexNativeOptions,
  environment,
  open: CodexSession.make(),
  approvals: CodexElicitation.approvals,
  accepts: AgentServerProfile.refuse,
  event: CodexEvent.makeReader(),
})
