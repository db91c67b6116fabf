import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { ContractSubject } from "./ContractSubject.ts"
import type { PeerObservation } from "./PeerObservation.ts"

/**
 * A fake agent in this process.
 *
 * - `config`, `unreachable`, `silent`: see `ContractSubject`
 * - `peer`: what it saw
 * - `cannot`: what the agent's own MCP server is excused from
 */
export interface InProcess {
  readonly config: McpConnectionConfig
  readonly unreachable: McpConnectionConfig
  readonly silent: McpConnectionConfig
  readonly peer: Required<PeerObservation>
  readonly cannot: NonNullable<ContractSubject["cannot"]>
}

/** What no agent's own MCP server can do. */
export const forgets = {
  resume: "the agent's own MCP server forgets its threads when it ends",
  elsewhere: "the agent's own MCP server forgets its threads when it ends",
}
