/**
 * What is different about Codex: behind the agent server, and as its own MCP server.
 */
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import * as AgentServerProfile from "@zain/sdk-client/AgentServerProfile"
import { facts } from "./CodexFacts.ts"
import * as CodexFailedTurn from "./CodexFailedTurn.ts"
import { CodexNativeOptions, CodexOptions, toServerArguments } from "./CodexOptions.ts"
import * as CodexElicitation from "./native/CodexElicitation.ts"
import * as CodexEvent from "./native/CodexEvent.ts"
import * as CodexSession from "./native/CodexSession.ts"
import * as CodexVersion from "./native/CodexVersion.ts"

/** Any current Codex, behind `zain-codex-mcp`. */
export const agentServer: AgentProfile<CodexOptions> = AgentServerProfile.make({
  provider: facts.name,
  vendor: facts.vendor,
  causeOf: CodexFailedTurn.causeOf,
  options: CodexOptions,
  environment: facts.environment,
  server: facts.server,
  tool: "codex",
  toArguments: toServerArguments,
  native: { server: "codex-mcp-server", args: [CodexVersion.serverArgument] },
})

/** A Codex up to 0.153.4, as its own MCP server. */
export const native = (): AgentProfile<CodexNativeOptions> => ({
  provider: facts.name,
  vendor: facts.vendor,
  causeOf: CodexFailedTurn.causeOf,
  supports: { streaming: true, approvals: true, cancelKeepsConversation: false, failureKeepsConversation: false },
  options: CodexNativeOptions,
  environment: facts.environment,
  open: CodexSession.make(),
  approvals: CodexElicitation.approvals,
  accepts: AgentServerProfile.refuse,
  event: CodexEvent.makeReader(),
})
