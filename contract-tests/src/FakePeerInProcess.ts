import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { ContractSubject } from "./ContractSubject.ts"
import type { PeerObservation } from "./PeerObservation.ts"

/** A fake agent in this process; it holds the fields of a `ContractSubject` that the agent's side decides. */
export interface InProcess {
  /** The configuration of a session with the fake, for `ContractSubject.config`. */
  readonly config: McpConnectionConfig
  /** The configuration of a server that does not exist: `openSession` fails with `ConnectionUnavailable`. */
  readonly unreachable: McpConnectionConfig
  /** The configuration of a server that never answers the handshake. */
  readonly silent: McpConnectionConfig
  /** Observes the fake; all its sessions count. */
  readonly peer: Required<PeerObservation>
  /** The capabilities that the agent's own MCP server lacks, with their reasons. */
  readonly cannot: NonNullable<ContractSubject["cannot"]>
}

/** The capabilities that no agent's own MCP server has, with their reasons, for `ContractSubject.cannot`. */
export const forgets = {
  /** Why a later session cannot resume a thread. */
  resume: "the agent's own MCP server forgets its threads when it ends",
  /** Why another process cannot resume a thread. */
  elsewhere: "the agent's own MCP server forgets its threads when it ends",
  /** Why work after an answer is not observed. */
  background: "the agent's own MCP server reports no work after its answer",
}
