/**
 * The profile of Codex's own MCP server.
 */
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import * as AgentServerProfile from "@zain/sdk-client/AgentServerProfile"
import { facts } from "../CodexFacts.ts"
import { CodexNativeOptions } from "../CodexOptions.ts"
import * as CodexElicitation from "./CodexElicitation.ts"
import * as CodexEvent from "./CodexEvent.ts"
import * as CodexFailedTurn from "./CodexFailedTurn.ts"
import * as CodexSession from "./CodexSession.ts"

/** Codex up to 0.153.4, as its own MCP server. */
export const make = (): AgentProfile<CodexNativeOptions> => ({
  provider: facts.name,
  vendor: facts.vendor,
  causeOf: CodexFailedTurn.causeOf,
  supports: {
    streaming: true,
    approvals: true,
    cancelKeepsConversation: false,
    failureKeepsConversation: false,
    background: false,
  },
  options: CodexNativeOptions,
  environment: facts.environment,
  open: CodexSession.make(),
  approvals: CodexElicitation.approvals,
  accepts: AgentServerProfile.refuse,
  event: CodexEvent.makeReader(),
})
