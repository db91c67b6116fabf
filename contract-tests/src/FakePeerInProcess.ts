import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { PeerObservation } from "./PeerObservation.ts"

/**
 * A fake agent in this process.
 *
 * - `config`, `unreachable`, `silent`: see `ContractSubject`
 * - `peer`: what it saw
 * - `cannot`: what a fake of an agent's own MCP server is excused from; lay your own beside it
 */
export interface InProcess {
  readonly config: McpConnectionConfig
  readonly unreachable: McpConnectionConfig
  readonly silent: McpConnectionConfig
  readonly peer: Required<PeerObservation>
  readonly cannot: typeof forgets
}

/** What the agents' own MCP servers cannot do. */
export const forgets = {
  resume: "the agent's own MCP server forgets its threads when it ends",
  elsewhere: "the agent's own MCP server forgets its threads when it ends",
}
