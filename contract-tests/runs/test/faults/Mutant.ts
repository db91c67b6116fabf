/** Clients that are broken in one way: an adapter with one flaw around it. */
import type { McpApproval } from "@zain/core"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpTransport } from "@zain/core/McpTransport"

/**
 * - `name`: a clause about the client
 * - `caughtBy`: the fault that must fail
 * - `says`: a pattern of the report's problem
 * - `adapter`: the flaw. `policy`: the approval policy
 */
export interface Mutant {
  readonly name: string
  readonly transport: McpTransport
  readonly caughtBy: string
  readonly says: RegExp
  readonly adapter?: (adapter: McpClientAdapter) => McpClientAdapter
  readonly policy?: McpApproval.McpApprovalPolicy
}

/** The transport and the fault that catch a mutant. */
export type Where = readonly [transport: McpTransport, caughtBy: string]

export const mutant = (
  name: string,
  [transport, caughtBy]: Where,
  says: RegExp,
  flaw: Pick<Mutant, "adapter" | "policy">,
): Mutant => ({ name, transport, caughtBy, says, ...flaw })
